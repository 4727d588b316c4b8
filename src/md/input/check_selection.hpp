#pragma once

#include <optional>
#include <string>

#include "md/core/vector.hpp"
#include "md/input/check_input.hpp"

namespace sterna::md {

/// The checks of the keys "component", "lower" and "upper" of a section at `place`, which select
/// molecules: the name must be known, the region not empty, and the box fixed.
void check_selection(const Input& input, const IsGood& is_good, const Report& report,
                     const std::string& place, const std::string& component,
                     const std::optional<Vec3>& lower, const std::optional<Vec3>& upper);

}  // namespace sterna::md
