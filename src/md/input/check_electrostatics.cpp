#include "md/input/check_electrostatics.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sterna::md {
namespace {

/// What supposes a box that is filled, or repeated.
void check_open_box(const Input& input, const IsGood& is_good, const Report& report) {
  if (!is_good("electrostatics.surroundings") ||
      input.electrostatics.surroundings != ElectrostaticsSurroundings::open) {
    return;
  }
  if (input.electrostatics.kind == ElectrostaticsKind::ewald) {
    report(Severity::error, "electrostatics.surroundings",
           "Ewald sums are over periodic images: surroundings = \"open\" needs kind = \"fmm\"");
  }
  const auto contradicts = [&](const char* place, const char* what) {
    if (is_good(place)) {
      report(Severity::error, place,
             fmt::format("{} contradicts [electrostatics] with surroundings = \"open\"", what));
    }
  };
  if (input.barostat.is_used()) {
    contradicts("barostat.kind", "a barostat, which changes the volume that images fill,");
  }
  if (input.interaction.tail_correction != TailCorrection::none) {
    contradicts("interaction.tail_correction",
                "a correction for what lies beyond the cutoff in a fluid that fills all space");
  }
}

}  // namespace

void check_electrostatics(const Input& input, const IsGood& is_good, const Report& report) {
  const bool on = input.electrostatics.is_used();
  // A kind that is an error of its own may have been meant to be one.
  const bool perhaps =
      input.places.contains("electrostatics.kind") && !is_good("electrostatics.kind");
  bool charged = std::ranges::any_of(input.components, [](const Input::Component& component) {
    return std::ranges::any_of(component.sites, [](const Input::Site& site) {
      return site.charge != 0.0 || (site.kind == SiteKind::dipole && site.moment != 0.0);
    });
  });
  charged = charged || std::ranges::any_of(input.molecules, [](const Input::Molecule& molecule) {
              return std::ranges::any_of(molecule.atoms, [](const Input::MoleculeAtom& atom) {
                return atom.charge.value_or(0.0) != 0.0;
              });
            });
  for (std::size_t n = 0; n < input.types.size(); ++n) {
    if (input.types[n].charge == 0.0) continue;
    charged = true;
    const std::string place = fmt::format("type[{}].charge", n);
    if (on || perhaps || !is_good(place)) continue;
    report(Severity::error, place,
           "\"charge\" in [[type]] needs a solver: a section [electrostatics] with kind = "
           "\"fmm\"");
  }
  if (!on || !is_good("electrostatics.kind")) return;
  check_open_box(input, is_good, report);
  if (!charged) {
    report(Severity::warning, "electrostatics.kind",
           "[electrostatics] has no effect: nothing has a charge or a dipole");
  }
  if (is_good("interaction.electrostatics") &&
      input.interaction.electrostatics == CutoffElectrostatics::reaction_field) {
    report(Severity::error, "interaction.electrostatics",
           fmt::format("a reaction field contradicts [electrostatics] with kind = \"{}\": expected "
                       "one of the two",
                       choice_name(input.electrostatics.kind)));
  }
}

}  // namespace sterna::md
