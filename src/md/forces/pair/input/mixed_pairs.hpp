#pragma once

#include <cstddef>

#include "md/input/check_input.hpp"

namespace sterna::md {

/// Whether epsilon and sigma of this type are mixed with those of another one, of itself, or of
/// the sites of a component.
bool type_is_mixed(const Input& input, std::size_t type);

/// Gives each two unlike types without a [[pair]] one by the rule of mixing of their potential,
/// where both have the same potential with themselves. The two remain a Lennard-Jones pair if both
/// give epsilon or sigma. Reports the pairs that are missing because no rule gives them.
void add_mixed_pairs(Input& input, const IsGood& is_good, const Report& report);

}  // namespace sterna::md
