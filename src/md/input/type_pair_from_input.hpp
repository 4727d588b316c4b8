#pragma once

#include <cstddef>

#include "md/input/input.hpp"

namespace sterna::md {

/// Lennard-Jones parameters of two types; of other potentials their energy and their size.
struct TypePair {
  double epsilon, sigma;
};

/// Of the types at these places of a valid input: Lennard-Jones parameters, mixed as it says or
/// those of their [[pair]]. The depth is 0 where they have a many-body potential.
TypePair mixed_type_pair(const Input& input, std::size_t a, std::size_t b);
/// Likewise; of a [[pair]] with another potential its `PairFunction::scale`.
TypePair type_pair_from_input(const Input& input, std::size_t a, std::size_t b);

}  // namespace sterna::md
