#include "md/input/component_schema.hpp"

#include <utility>

#include "md/model/library/published_model.hpp"

namespace sterna::md {
namespace {

using Names = std::vector<std::string_view>;

constexpr Range positive{.minimum = 0.0, .exclusive_minimum = true};
constexpr Range not_negative{.minimum = 0.0};

/// The site of this number, counted through all components.
Input::Site& site(Input& input, std::size_t n) {
  auto component = input.components.begin();
  for (; n >= component->sites.size(); ++component) n -= component->sites.size();
  return component->sites[n];
}

Condition site_is(Names kinds) {
  return {"component.site", "kind", std::move(kinds)};
}

}  // namespace

std::vector<KeySchema> component_keys() {
  return {
      // ---- [[component]]
      {.section = "component",
       .name = "name",
       .target = [](Input& i, std::size_t n) -> Target { return &i.components[n].name; },
       .description = "Name of the component, as start files and trajectories have it.",
       .need = Need::required,
       .aliases = {"symbol", "id"}},
      {.section = "component",
       .name = "model",
       .target = [](Input& i, std::size_t n) -> Target { return &i.components[n].model; },
       .description = "A published model by its name in [the library](models.md); its citation is "
                      "printed and written to NAME.bib. Needs real units.",
       .default_text = "the sites that follow",
       .choices = published_model_names,
       .aliases = {"forcefield", "potential"}},
      {.section = "component",
       .name = "inertia",
       .target = [](Input& i, std::size_t n) -> Target { return &i.components[n].inertia; },
       .description = "Moments of inertia about the axes of the sites, which are then taken for "
                      "principal axes. 0: no rotation about this axis.",
       .default_text = "from the masses of the sites",
       .dimension = Dimension::moment_of_inertia,
       .range = not_negative,
       .aliases = {"momentsofinertia", "moments_of_inertia", "moment_of_inertia"}},
      {.section = "component",
       .name = "fraction",
       .target = [](Input& i, std::size_t n) -> Target { return &i.components[n].fraction; },
       .description = "Share of the molecules of a lattice or random start that are of this "
                      "component, relative to the other components' shares.",
       .range = not_negative,
       .aliases = {"share", "mole_fraction"}},

      // ---- [[component.site]]
      {.section = "component.site",
       .name = "kind",
       .target = [](Input& i, std::size_t n) -> Target { return &site(i, n).kind; },
       .description = "What is at this point. A point may have several sites.",
       .need = Need::required,
       .choices =
           [] {
             return Names{"lennard_jones", "charge", "dipole", "quadrupole"};
           },
       .aliases = {"type"}},
      {.section = "component.site",
       .name = "position",
       .target = [](Input& i, std::size_t n) -> Target { return &site(i, n).position; },
       .description = "Where it is: any origin and axes, the same for all sites of the component.",
       .dimension = Dimension::length,
       .aliases = {"coords", "coordinates", "pos", "r"}},
      {.section = "component.site",
       .name = "mass",
       .target = [](Input& i, std::size_t n) -> Target { return &site(i, n).mass; },
       .description = "Mass at this point.",
       .dimension = Dimension::mass,
       .range = not_negative,
       .condition = site_is({"lennard_jones", "charge"}),
       .aliases = {"m"}},
      {.section = "component.site",
       .name = "epsilon",
       .target = [](Input& i, std::size_t n) -> Target { return &site(i, n).epsilon; },
       .description = "Depth of the potential's well.",
       .need = Need::required,
       .dimension = Dimension::energy,
       .range = not_negative,
       .condition = site_is({"lennard_jones"}),
       .aliases = {"eps"}},
      {.section = "component.site",
       .name = "sigma",
       .target = [](Input& i, std::size_t n) -> Target { return &site(i, n).sigma; },
       .description = "Distance at which the potential is zero.",
       .need = Need::required,
       .dimension = Dimension::length,
       .range = positive,
       .condition = site_is({"lennard_jones"}),
       .aliases = {"sig", "diameter"}},
      {.section = "component.site",
       .name = "charge",
       .target = [](Input& i, std::size_t n) -> Target { return &site(i, n).charge; },
       .description = "Electric charge.",
       .need = Need::required,
       .dimension = Dimension::charge,
       .condition = site_is({"charge"}),
       .aliases = {"q"}},
      {.section = "component.site",
       .name = "dipole_moment",
       .target = [](Input& i, std::size_t n) -> Target { return &site(i, n).moment; },
       .description = "Strength of the point dipole.",
       .need = Need::required,
       .dimension = Dimension::dipole_moment,
       .condition = site_is({"dipole"}),
       .aliases = {"dipole", "moment", "dipolemoment", "mu", "abs"}},
      {.section = "component.site",
       .name = "quadrupole_moment",
       .target = [](Input& i, std::size_t n) -> Target { return &site(i, n).moment; },
       .description = "Strength Q of the linear point quadrupole: that of charges q, -2 q, q at "
                      "distances d is 2 q d^2.",
       .need = Need::required,
       .dimension = Dimension::quadrupole_moment,
       .condition = site_is({"quadrupole"}),
       .aliases = {"quadrupole", "quadrupolemoment", "Q"}},
      {.section = "component.site",
       .name = "axis",
       .target = [](Input& i, std::size_t n) -> Target { return &site(i, n).axis; },
       .description = "Direction of the dipole (towards the positive charge) or quadrupole, of any "
                      "length.",
       .condition = site_is({"dipole", "quadrupole"}),
       .aliases = {"direction", "orientation"}},
  };
}

}  // namespace sterna::md
