#include "md/simulation/alchemical_system.hpp"

#include <cstdint>
#include <utility>

#include "md/forces/alchemy/input/alchemy_section.hpp"
#include "md/forces/bonded/bonded_table.hpp"
#include "md/forces/pair/input/pair_functions_from_input.hpp"
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

}  // namespace

Topology topology_of_state(const Input& input, Topology whole) {
  const AlchemySection& alchemy = input.section<AlchemySection>();
  // The charges of a replica, which takes on other states, are set by AlchemyForces.
  if (!alchemy.is_used() || input.section<MovingTargets>().by_states) return whole;
  const double on = 1.0 - alchemy.charges_of(static_cast<std::size_t>(alchemy.state));
  if (on == 1.0) return whole;
  const std::vector<char> is_alchemical = alchemical_molecules(input);
  std::vector<Topology::Molecule> molecules = whole.molecules();
  for (std::size_t m = 0; m < molecules.size(); ++m) {
    if (is_alchemical[m] == 0) continue;
    for (Topology::Atom& atom : molecules[m].atoms) atom.charge *= on;
  }
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

}  // namespace sterna::md
