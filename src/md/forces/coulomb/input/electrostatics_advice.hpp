#pragma once

#include "md/input/check_input.hpp"
#include "md/input/forecast.hpp"

namespace sterna::md {

/// Warns of systems that are not neutral.
void advise_on_charges(const Input& input, const SystemFacts& facts, const Report& report);

}  // namespace sterna::md
