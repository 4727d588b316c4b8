#include "md/forces/molecular/input/check_components.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "md/core/display_text.hpp"
#include "md/input/particle_names.hpp"
#include "md/model/library/published_model.hpp"

namespace sterna::md {
namespace {

class ComponentChecker {
 public:
  ComponentChecker(const Input& input, const IsGood& is_good, const Report& report)
      : input_(input), good_(is_good), report_(report) {}

  void check() {
    if (input_.components.empty()) {
      only_of_components();
      return;
    }
    names();
    fractions();
    for (std::size_t n = 0; n < input_.components.size(); ++n) component(n);
    pairs();
    interaction();
  }

 private:
  void error(std::string_view place, std::string message) {
    report_(Severity::error, place, std::move(message));
  }
  bool given(const std::string& place) const { return input_.places.contains(place); }

  void only_of_components() {
    for (const char* key : {"molecular_cutoff", "lennard_jones_cutoff", "electrostatics",
                            "shift_unlike_components"}) {
      const std::string place = fmt::format("interaction.{}", key);
      if (!good_(place)) continue;
      report_(
          Severity::warning, place,
          fmt::format("\"{}\" in [interaction] has no effect on [[type]]s; only on the sites of "
                      "[[component]]s",
                      key));
    }
    if (good_("run.rotation")) {
      report_(Severity::warning, "run.rotation",
              "\"rotation\" in [run] has no effect on [[type]]s, which do not turn");
    }
    const auto& fields = input_.output.trajectory_fields;
    for (const char* field : {"orientation", "angular_momentum"}) {
      if (!good_("output.trajectory_fields") || std::ranges::count(fields, field) == 0) continue;
      error("output.trajectory_fields",
            fmt::format("\"trajectory_fields\" in [output] asks for \"{}\", which only "
                        "[[component]]s have; [[type]]s are points",
                        field));
    }
  }

  void names() {
    std::set<std::string, std::less<>> seen, types;
    for (const Input::Type& type : input_.types) types.insert(type.name);
    for (std::size_t n = 0; n < input_.components.size(); ++n) {
      const std::string& name = input_.components[n].name;
      const std::string place = fmt::format("component[{}].name", n);
      if (good_(place) && !seen.insert(name).second) {
        error(place, fmt::format("there is already a [[component]] with the name {}", quote(name)));
      } else if (good_(place) && types.contains(name)) {
        error(place, fmt::format("there is already a [[type]] with the name {}", quote(name)));
      }
    }
  }

  void fractions() {
    double sum = 0.0;
    for (std::size_t n = 0; n < input_.components.size(); ++n) {
      const std::string place = fmt::format("component[{}].fraction", n);
      if (given(place) && !good_(place)) return;
      sum += input_.components[n].fraction;
    }
    // If there are types, too, `check_input` checks the sum over both kinds.
    if (sum > 0.0 || !input_.types.empty()) return;
    error("component[0].fraction",
          "the \"fraction\" of every [[component]] is 0; one must be greater");
  }

  void component(std::size_t n) {
    const Input::Component& component = input_.components[n];
    const std::string place = fmt::format("component[{}]", n);
    const bool has_model = given(place + ".model"), has_sites = given(place + ".site[0]");
    if (has_model && has_sites) {
      error(place + ".model",
            "\"model\" contradicts the [[component.site]] sections that follow: a published model "
            "has sites of its own; give one of the two");
      return;
    }
    if (!has_model && !has_sites) {
      if (given(place + ".site")) return;  // an error of its own
      error(place,
            "[[component]] has no sites; it needs \"model\", or sections [[component.site]] behind "
            "it");
      return;
    }
    if (good_(place + ".model") && input_.units.is_reduced()) {
      error(place + ".model",
            fmt::format("the published model {} has real units; expected units = \"nano\", "
                        "\"metal\" or \"real\" before the first section",
                        quote(component.model)));
    }
    if (has_model && given(place + ".inertia")) {
      error(place + ".inertia",
            "\"inertia\" contradicts \"model\": a published model has masses of its own; give one "
            "of the two");
    }
    if (has_sites) sites(component, place);
    if (component.sites.size() > most_sites_of_small) many_sites(component, place);
    if (good_(place + ".inertia")) inertia(*component.inertia, place + ".inertia");
  }

  void sites(const Input::Component& component, const std::string& place) {
    double mass = 0.0;
    bool all_good = true;
    for (std::size_t i = 0; i < component.sites.size(); ++i) {
      const Input::Site& site = component.sites[i];
      const std::string site_place = fmt::format("{}.site[{}]", place, i);
      mass += site.mass;
      all_good = all_good && good_(site_place + ".kind") &&
                 (good_(site_place + ".mass") || !given(site_place + ".mass"));
      if (good_(site_place + ".axis") && site.axis == Vec3{}) {
        error(site_place + ".axis",
              "\"axis\" in [[component.site]] is [0, 0, 0]; expected a direction");
      }
    }
    if (all_good && !(mass > 0.0)) {
      error(place, fmt::format("the component {} has no mass; give \"mass\" to its sites of kind "
                               "\"lennard_jones\" or \"charge\"",
                               quote(component.name)));
    }
  }

  /// Components of more sites need cells of sites (`forces/molecular/large_bodies`), because a loop
  /// over all pairs would be too long.
  static constexpr std::size_t most_sites_of_small = 256;

  static bool has_multipoles(const Input::Component& component) {
    return std::ranges::any_of(component.sites, [](const Input::Site& site) {
      return site.kind == SiteKind::dipole || site.kind == SiteKind::quadrupole;
    });
  }

  void many_sites(const Input::Component& component, const std::string& place) {
    const std::string subject =
        fmt::format("the component {} has {} sites, more than {}: ", quote(component.name),
                    component.sites.size(), most_sites_of_small);
    if (input_.interaction.molecular_cutoff != MolecularCutoff::site) {
      error(place, subject +
                       "expected molecular_cutoff = \"site\" in [interaction], because a cutoff "
                       "between centers lets all pairs of sites of two molecules interact");
    }
    if (has_multipoles(component)) {
      error(place, subject + "expected sites of the kinds \"lennard_jones\" and \"charge\" only");
      return;
    }
    const bool charged = std::ranges::any_of(component.sites, [](const Input::Site& site) {
      return site.kind == SiteKind::charge && site.charge != 0.0;
    });
    const auto other = std::ranges::find_if(input_.components, has_multipoles);
    if (!charged || other == input_.components.end()) return;
    error(place, fmt::format("{}with charges among them it does not go with the dipoles or "
                             "quadrupoles of {}",
                             subject, quote(other->name)));
  }

  void inertia(const Vec3& moments, const std::string& place) {
    const int axes = (moments.x > 0.0) + (moments.y > 0.0) + (moments.z > 0.0);
    if (axes != 1) return;
    error(place,
          "\"inertia\" in [[component]] has one moment that is not 0; expected two (a linear "
          "molecule), three, or none (no rotation): no body rotates about one axis only");
  }

  void pairs() {
    for (std::size_t n = 0; n < input_.pairs.size(); ++n) {
      const bool has_component = is_component(input_, input_.pairs[n].first) ||
                                 is_component(input_, input_.pairs[n].second);
      if (!has_component && !input_.types.empty()) continue;
      for (const auto& [key, instead] : {std::pair{"epsilon", "xi"}, {"sigma", "eta"}}) {
        const std::string place = fmt::format("pair[{}].{}", n, key);
        if (!good_(place)) continue;
        error(place, fmt::format("\"{}\" in [[pair]] has no meaning with [[component]]s, whose "
                                 "sites mix; give \"{}\", the factor of the mixed value",
                                 key, instead));
      }
      const std::string place = fmt::format("pair[{}]", n);
      if (good_(place + ".first") && good_(place + ".second") &&
          input_.pairs[n].first == input_.pairs[n].second) {
        error(place + ".second",
              fmt::format("a [[pair]] of {} and itself: inside a component sites mix without "
                          "factors; expected two components",
                          quote(input_.pairs[n].first)));
      }
    }
  }

  void interaction() {
    const auto& interaction = input_.interaction;
    if (good_("interaction.truncation") && interaction.truncation != Truncation::truncated &&
        interaction.truncation != Truncation::shifted) {
      error(
          "interaction.truncation",
          fmt::format("truncation = {} is not there for [[component]]s; expected \"truncated\" or "
                      "\"shifted\"",
                      quote(choice_name(interaction.truncation))));
    }
    if (good_("interaction.mixing") && interaction.mixing != Mixing::lorentz_berthelot) {
      mixing_of_published_models();
    }
    if (good_("interaction.potential") &&
        interaction.potential != InteractionPotential::lennard_jones) {
      error("interaction.potential",
            fmt::format("\"potential\" in [interaction] is {}, which says nothing of "
                        "[[component]]s; expected \"lennard_jones\", and the key \"{}\" in the "
                        "[[type]]s that have it",
                        quote(choice_name(interaction.potential)),
                        choice_name(interaction.potential)));
    }
    if (good_("interaction.lennard_jones_cutoff") && good_("interaction.cutoff") &&
        interaction.lennard_jones_cutoff > interaction.cutoff) {
      error("interaction.lennard_jones_cutoff",
            fmt::format("\"lennard_jones_cutoff\" in [interaction] is {}; expected at most the "
                        "cutoff, which is {}",
                        input_.units.text(interaction.lennard_jones_cutoff, Dimension::length),
                        input_.units.text(interaction.cutoff, Dimension::length)));
    }
  }

  /// Published models have parameters for Lorentz and Berthelot's rule, by which also the unlike sites
  /// of two molecules of one component mix.
  void mixing_of_published_models() {
    for (std::size_t n = 0; n < input_.components.size(); ++n) {
      const std::string place = fmt::format("component[{}].model", n);
      if (!good_(place)) continue;
      std::set<std::pair<double, double>> wells;
      for (const PublishedSite& site : find_published_model(input_.components[n].model)->sites) {
        if (site.kind == SiteKind::lennard_jones) wells.emplace(site.epsilon, site.sigma);
      }
      if (wells.size() < 2) continue;
      report_(
          Severity::warning, place,
          fmt::format("mixing = {} in [interaction] is that of the unlike sites of {}, too, which "
                      "was published for \"lorentz_berthelot\"; \"mixing\" in a [[pair]] is of "
                      "two unlike components alone",
                      quote(choice_name(input_.interaction.mixing)),
                      quote(input_.components[n].model)));
    }
  }

  const Input& input_;
  const IsGood& good_;
  const Report& report_;
};

}  // namespace

void check_components(Input& input, bool, const IsGood& is_good, const Report& report) {
  ComponentChecker(input, is_good, report).check();
}

}  // namespace sterna::md
