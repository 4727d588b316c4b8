#pragma once

#include <vector>

#include "md/forces/pair/scaled_pairs.hpp"
#include "md/input/input.hpp"

namespace sterna::md {

/// Whether any [[molecule.special_pair]] has a share.
bool has_scaled_pairs(const Input& input);
/// The scaled pairs of each kind of molecule of a valid input.
std::vector<std::vector<ScaledPairs::Pair>> scaled_pairs_from_input(const Input& input);

}  // namespace sterna::md
