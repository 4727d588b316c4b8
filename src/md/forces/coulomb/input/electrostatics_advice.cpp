#include "md/forces/coulomb/input/electrostatics_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "md/forces/coulomb/rounded_charge.hpp"

namespace sterna::md {
namespace {

/// The charge of an atom; of a rigid molecule that of all its sites.
double charge_of(const Input& input, const Input::MoleculeAtom& atom) {
  const auto type = std::ranges::find(input.types, atom.type, &Input::Type::name);
  if (type != input.types.end()) return atom.charge.value_or(type->charge);
  const auto rigid = std::ranges::find(input.components, atom.type, &Input::Component::name);
  double charge = 0.0;
  if (rigid == input.components.end()) return charge;
  for (const Input::Site& site : rigid->sites) charge += site.charge;
  return charge;
}

/// Warns where the charges of all [[molecule]]s do not add up to 0.
void advise_on_molecules(const Input& input, const Report& report) {
  double net = 0.0, largest = 0.0;
  for (const Input::Molecule& molecule : input.molecules) {
    for (const Input::MoleculeAtom& atom : molecule.atoms) {
      const double charge = charge_of(input, atom);
      net += static_cast<double>(molecule.count) * charge;
      largest = std::max(largest, std::abs(charge));
    }
  }
  if (!(std::abs(net) > rounded_charge * largest)) return;
  report(Severity::warning, "molecule[0]",
         fmt::format("the system is not neutral: its charge is {}",
                     input.units.text(net, Dimension::charge)));
}

}  // namespace

// The shares of types must be known: as given, or counted.
void advise_on_charges(const Input& input, const SystemFacts& facts, const Report& report) {
  if (!input.molecules.empty()) return advise_on_molecules(input, report);
  struct Kind {
    double charge = 0.0, largest = 0.0, share = 0.0;
  };
  std::vector<Kind> kinds;
  for (const Input::Type& type : input.types) {
    kinds.push_back({type.charge, std::abs(type.charge), type.fraction});
  }
  for (const Input::Component& component : input.components) {
    Kind& kind = kinds.emplace_back();
    kind.share = component.fraction;
    for (const Input::Site& site : component.sites) {
      kind.charge += site.charge;
      kind.largest = std::max(kind.largest, std::abs(site.charge));
    }
  }
  const bool counted = facts.particles_of_type.size() == kinds.size();
  if (input.start.kind == StartKind::file && kinds.size() > 1 && !counted) return;
  double net = 0.0, largest = 0.0, shares = 0.0;
  for (std::size_t n = 0; n < kinds.size(); ++n) {
    const double share = counted ? static_cast<double>(facts.particles_of_type[n]) : kinds[n].share;
    net += share * kinds[n].charge;
    largest = std::max(largest, kinds[n].largest);
    shares += share;
  }
  if (!(shares > 0.0) || !(std::abs(net) > 1e-6 * largest * shares)) return;
  const bool molecules = !input.components.empty();
  report(Severity::warning, molecules ? "component[0].fraction" : "type[0].charge",
         fmt::format("the system is not neutral: it has a charge of {} for each {}",
                     input.units.text(net / shares, Dimension::charge),
                     molecules ? "molecule" : "particle"));
}

}  // namespace sterna::md
