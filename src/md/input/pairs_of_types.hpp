#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "md/input/input.hpp"

namespace sterna::md {

/// The value of a parameter of a [[pair]]; nothing if it is not given.
std::optional<double> pair_parameter(const Input::Pair& pair, std::string_view name);
void set_pair_parameter(Input::Pair& pair, std::string_view name, double value);

/// Whether a [[pair]] is that of the types of these names, in any order.
bool is_pair(const Input::Pair& pair, const std::string& a, const std::string& b);
/// The [[pair]] of the types at these places that adds to no other; null where there is none.
const Input::Pair* pair_of_types(const Input& input, std::size_t a, std::size_t b);
/// Whether a [[pair]] has another potential than the Lennard-Jones one, an end of its own, or adds to
/// what its types have.
bool has_pair_potentials(const Input& input);

/// Lennard-Jones parameters of two types; for other potentials, their scales of energy and length.
struct TypePair {
  double epsilon, sigma;
};

/// The Lennard-Jones parameters of the types with these indices, for a valid input: mixed by its
/// rule, or those of their [[pair]]. The depth is 0 if they have a many-body potential.
TypePair mixed_type_pair(const Input& input, std::size_t a, std::size_t b);

}  // namespace sterna::md
