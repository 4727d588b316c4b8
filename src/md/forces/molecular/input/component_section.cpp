#include "md/input/sections/component_section.hpp"

#include "md/forces/molecular/input/component_sections.hpp"
#include "md/input/sections/section.hpp"
#include "md/model/library/published_model.hpp"

namespace sterna::md::section {
namespace {

template <auto member>
Target site_target(Input& input, std::size_t n) {
  return target_of(nth_inner<&Input::components, &ComponentSection::sites>(input, n).*member);
}

Condition site_is(std::initializer_list<SiteKind> kinds) {
  return choice_is("component.site", "kind", kinds);
}

}  // namespace

InputSection component() {
  return {
      .schema = {.name = "component",
                 .is_array = true,
                 .tables = tables_in<&Input::components>(),
                 .description =
                     "A rigid molecule: a published model by name, or sections "
                     "`[[component.site]]` behind it. In a start file that numbers its types, the "
                     "first section is type 1, or the next one behind the `[[type]]`s. Beside "
                     "`[[molecule]]`s it is a `[[molecule]]` of one atom. Start files and "
                     "trajectories have the centers of "
                     "mass; orientations turn the body frame, whose axes are those of the sites "
                     "where these are principal axes of inertia already.",
                 .aliases = {"rigid"}},
      .keys = {{.name = "name",
                .target = target_in_table<&Input::components, &ComponentSection::name>,
                .description = "Name of the component, as start files and trajectories have it.",
                .need = Need::required,
                .aliases = {"symbol", "id"}},
               {.name = "model",
                .target = target_in_table<&Input::components, &ComponentSection::model>,
                .description = "A published model by its name in [the library](models.md); its "
                               "citation is printed and written to NAME.bib. Needs real units.",
                .default_text = "the sites that follow",
                .choices = published_model_names,
                .aliases = {"forcefield", "potential"}},
               {.name = "inertia",
                .target = target_in_table<&Input::components, &ComponentSection::inertia>,
                .description = "Moments of inertia about the axes of the sites, which are then "
                               "taken for principal axes. 0: no rotation about this axis.",
                .default_text = "from the masses of the sites",
                .dimension = Dimension::moment_of_inertia,
                .range = not_negative,
                .aliases = {"momentsofinertia", "moments_of_inertia", "moment_of_inertia"}},
               {.name = "fraction",
                .target = target_in_table<&Input::components, &ComponentSection::fraction>,
                .description = "Share of the molecules of a lattice or random start that are of "
                               "this component, relative to the other components' shares.",
                .range = not_negative,
                .aliases = {"share", "mole_fraction"}}},
      .behind = "type"};
}

// It is long because it is a table, with a row for each key of the section.
InputSection component_site() {
  return {
      .schema = {.name = "component.site",
                 .is_array = true,
                 .tables = inner_tables_in<&Input::components, &ComponentSection::sites>(100'000),
                 .description = "A point of the molecule where forces act.",
                 .aliases = {"site", "sites"}},
      .keys = {{.name = "kind",
                .target = site_target<&SiteSection::kind>,
                .description = "What is at this point. A point may have several sites.",
                .need = Need::required,
                .aliases = {"type"}},
               {.name = "position",
                .target = site_target<&SiteSection::position>,
                .description =
                    "Where it is: any origin and axes, the same for all sites of the component.",
                .dimension = Dimension::length,
                .aliases = {"coords", "coordinates", "pos", "r"}},
               {.name = "mass",
                .target = site_target<&SiteSection::mass>,
                .description = "Mass at this point.",
                .dimension = Dimension::mass,
                .range = not_negative,
                .condition = site_is({SiteKind::lennard_jones, SiteKind::charge}),
                .aliases = {"m"}},
               {.name = "epsilon",
                .target = site_target<&SiteSection::epsilon>,
                .description = "Depth of the potential's well.",
                .need = Need::required,
                .dimension = Dimension::energy,
                .range = not_negative,
                .condition = site_is({SiteKind::lennard_jones}),
                .aliases = {"eps"}},
               {.name = "sigma",
                .target = site_target<&SiteSection::sigma>,
                .description = "Distance at which the potential is zero.",
                .need = Need::required,
                .dimension = Dimension::length,
                .range = positive,
                .condition = site_is({SiteKind::lennard_jones}),
                .aliases = {"sig", "diameter"}},
               {.name = "charge",
                .target = site_target<&SiteSection::charge>,
                .description = "Electric charge.",
                .need = Need::required,
                .dimension = Dimension::charge,
                .condition = site_is({SiteKind::charge}),
                .aliases = {"q"}},
               {.name = "dipole_moment",
                .target = site_target<&SiteSection::moment>,
                .description = "Strength of the point dipole.",
                .need = Need::required,
                .dimension = Dimension::dipole_moment,
                .condition = site_is({SiteKind::dipole}),
                .aliases = {"dipole", "moment", "dipolemoment", "mu", "abs"}},
               {.name = "quadrupole_moment",
                .target = site_target<&SiteSection::moment>,
                .description = "Strength Q of the linear point quadrupole: that of charges q, -2 "
                               "q, q at distances d is 2 q d^2.",
                .need = Need::required,
                .dimension = Dimension::quadrupole_moment,
                .condition = site_is({SiteKind::quadrupole}),
                .aliases = {"quadrupole", "quadrupolemoment", "Q"}},
               {.name = "axis",
                .target = site_target<&SiteSection::axis>,
                .description = "Direction of the dipole (towards the positive charge) or "
                               "quadrupole, of any length.",
                .condition = site_is({SiteKind::dipole, SiteKind::quadrupole}),
                .aliases = {"direction", "orientation"}}}};
}

}  // namespace sterna::md::section
