#pragma once

#include <cstddef>

#include "md/input/input.hpp"

namespace sterna::md {

/// Lennard-Jones parameters of two types; for other potentials, their scales of energy and length.
struct TypePair {
  double epsilon, sigma;
};

/// The Lennard-Jones parameters of the types with these indices, for a valid input: mixed by its
/// rule, or those of their [[pair]]. The depth is 0 if they have a many-body potential.
TypePair mixed_type_pair(const Input& input, std::size_t a, std::size_t b);
/// As `mixed_type_pair`; for a [[pair]] with another potential, its `PairFunction::scale`.
TypePair type_pair_from_input(const Input& input, std::size_t a, std::size_t b);

}  // namespace sterna::md
