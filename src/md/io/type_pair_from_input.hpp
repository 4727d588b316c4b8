#pragma once

#include <cstddef>

#include "md/io/input.hpp"

namespace sterna::md {

/// Lennard-Jones parameters of two types.
struct TypePair {
  double epsilon, sigma;
};

/// Of the types at these places of a valid input: mixed as it says, or those of their [[pair]].
TypePair type_pair_from_input(const Input& input, std::size_t a, std::size_t b);

}  // namespace sterna::md
