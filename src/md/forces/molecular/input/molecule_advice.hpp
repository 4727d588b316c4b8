#pragma once

#include "md/input/check_input.hpp"
#include "md/input/forecast.hpp"

namespace sterna::md {

/// Advice on the components of a valid input: moments of inertia that no body can have, sites that
/// are far from the center compared with the cutoff, charges that are cut off, molecules that overlap
/// at the start.
void advise_on_components(const Input& input, const SystemFacts& facts, const Report& report);

}  // namespace sterna::md
