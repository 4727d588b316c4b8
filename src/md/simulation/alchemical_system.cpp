#include "md/simulation/alchemical_system.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "md/forces/alchemy/input/alchemy_section.hpp"
#include "md/forces/alchemy/input/check_alchemy.hpp"
#include "md/forces/alchemy/input/mutation_sections.hpp"
#include "md/forces/bonded/bonded_table.hpp"
#include "md/forces/pair/input/pair_functions_from_input.hpp"
#include "md/input/topology_from_input.hpp"
#include "md/integrate/moving_targets.hpp"

namespace sterna::md {
namespace {

template <class Pair>
void leave_out(const Input& input, std::size_t kinds, std::vector<Pair>& pairs,
               const Pair& nothing) {
  const std::vector<char> types = alchemical_types(input);
  for (std::size_t a = 0; a < types.size(); ++a) {
    for (std::size_t b = 0; b < types.size(); ++b) {
      if (types[a] != 0 || types[b] != 0) pairs[a * kinds + b] = nothing;
    }
  }
}

void interpolate_charges(const Input& input, double lambda,
                         std::vector<Topology::Molecule>& molecules) {
  const std::vector<char> is_alchemical = alchemical_molecules(input);
  for (std::size_t m = 0; m < molecules.size(); ++m) {
    if (is_alchemical[m] == 0) continue;
    const std::vector<double> of_b = charges_of_state_b(input, molecules[m]);
    for (std::size_t k = 0; k < of_b.size(); ++k) {
      double& charge = molecules[m].atoms[k].charge;
      charge = (1.0 - lambda) * charge + lambda * of_b[k];
    }
  }
}

void change_lengths(const ChangingConstraints& changing, double lambda,
                    std::vector<Topology::Molecule>& molecules) {
  for (std::size_t m = 0; m < molecules.size(); ++m) {
    for (const ChangingConstraint& one : changing[m]) {
      std::ranges::find(molecules[m].constraints, one.atoms, &Topology::Constraint::atoms)
          ->distance += lambda * one.change;
    }
  }
}

}  // namespace

std::vector<double> charges_of_state_b(const Input& input, const Topology::Molecule& molecule) {
  if (input.section<AlchemySection>().kind != AlchemyKind::mutation) {
    return std::vector<double>(molecule.atoms.size(), 0.0);
  }
  const double unit = std::sqrt(input.units.coulomb());
  std::vector<double> charges;
  for (const Topology::Atom& atom : molecule.atoms) {
    const std::string& type = input.types[static_cast<std::size_t>(atom.type)].name;
    const double now = atom.charge / unit, then = mutated_charge(input, type, now);
    // A charge that does not change keeps its bits.
    charges.push_back(then == now ? atom.charge : unit * then);
  }
  return charges;
}

ChangingConstraints changing_constraints(const Input& input) {
  const auto& sections = input.tables<MutatedConstraintSection>();
  if (sections.empty()) return {};
  ChangingConstraints changing(input.molecules.size());
  for (const MutatedConstraintSection& section : sections) {
    const auto molecule =
        std::ranges::find(input.molecules, section.molecule, &Input::Molecule::name);
    const std::vector<Topology::Constraint> all = constraints_of(input, *molecule);
    for (const std::vector<int>& atoms : section.atoms) {
      const Topology::Pair pair{std::min(atoms[0], atoms[1]) - 1, std::max(atoms[0], atoms[1]) - 1};
      const double before = std::ranges::find(all, pair, &Topology::Constraint::atoms)->distance;
      changing[static_cast<std::size_t>(molecule - input.molecules.begin())].push_back(
          {pair, section.distance - before});
    }
  }
  return changing;
}

Topology topology_of_state(const Input& input, Topology whole) {
  const AlchemySection& alchemy = input.section<AlchemySection>();
  if (!alchemy.is_used()) return whole;
  const auto state = static_cast<std::size_t>(alchemy.state);
  // The charges of a replica, which takes on other states, are set by AlchemyForces.
  const double charges = input.section<MovingTargets>().by_states ? 0.0 : alchemy.charges_of(state);
  const ChangingConstraints changing = changing_constraints(input);
  const double lengths = changing.empty() ? 0.0 : alchemy.bonded_of(state);
  if (charges == 0.0 && lengths == 0.0) return whole;
  std::vector<Topology::Molecule> molecules = whole.molecules();
  if (charges != 0.0) interpolate_charges(input, charges, molecules);
  if (lengths != 0.0) change_lengths(changing, lengths, molecules);
  std::vector<std::vector<double>> coefficients;
  for (std::uint32_t kind = 0; kind < bonded_table().size(); ++kind) {
    const auto of_kind = whole.coefficients(kind);
    coefficients.emplace_back(of_kind.begin(), of_kind.end());
  }
  return {std::move(molecules), whole.runs(), std::move(coefficients)};
}

void leave_out_alchemical_pairs(const Input& input, std::size_t kinds,
                                std::vector<PairFunction>& functions) {
  if (functions.empty()) return;
  const double no_parameters[] = {0.0, 1.0};
  leave_out(input, kinds, functions,
            PairFunction(*find_pair_potential("lennard_jones"), no_parameters, 0.0,
                         ending_from_input(input)));
}

void leave_out_alchemical_pairs(const Input& input, std::size_t kinds,
                                std::vector<LennardJones::PairParameters>& pairs) {
  leave_out(input, kinds, pairs, LennardJones::PairParameters{0.0, 1.0});
}

void leave_out_alchemical_sites(const Input& input, MoleculeModel& model) {
  if (!input.section<AlchemySection>().is_used()) return;
  std::vector<char> is_alchemical = alchemical_types(input);
  const std::vector<char> components = alchemical_components(input);
  is_alchemical.insert(is_alchemical.end(), components.begin(), components.end());
  for (std::size_t kind = 0; kind < is_alchemical.size(); ++kind) {
    if (is_alchemical[kind] == 0) continue;
    // Sites stay where they are, so that the shapes of molecules do.
    Component& component = model.components[kind];
    for (Component::LennardJonesSite& site : component.lennard_jones) site.epsilon = 0.0;
    for (Component::ChargeSite& site : component.charges) site.charge = 0.0;
    component.dipoles.clear();
    component.quadrupoles.clear();
  }
}

}  // namespace sterna::md
