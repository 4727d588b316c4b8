#include "md/forces/pair/input/scaled_pairs_from_input.hpp"

#include <algorithm>

namespace sterna::md {

namespace {

bool is_scaled(const Input::MoleculeTerm& term) {
  return term.share.value_or(0.0) > 0.0 || term.charge_share.value_or(0.0) > 0.0;
}

}  // namespace

bool has_scaled_pairs(const Input& input) {
  return std::ranges::any_of(input.molecules, [](const Input::Molecule& molecule) {
    return std::ranges::any_of(molecule.special_pairs, is_scaled);
  });
}

std::vector<std::vector<ScaledPairs::Pair>> scaled_pairs_from_input(const Input& input) {
  std::vector<std::vector<ScaledPairs::Pair>> all;
  for (const Input::Molecule& molecule : input.molecules) {
    auto& pairs = all.emplace_back();
    for (const Input::MoleculeTerm& term : molecule.special_pairs) {
      if (!is_scaled(term)) continue;
      for (const auto& atoms : term.atoms) {
        pairs.push_back({{atoms[0] - 1, atoms[1] - 1},
                         term.share.value_or(0.0),
                         term.charge_share.value_or(0.0)});
      }
    }
  }
  return all;
}

}  // namespace sterna::md
