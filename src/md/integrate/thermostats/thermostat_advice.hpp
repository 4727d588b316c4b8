#pragma once

#include "md/input/check_input.hpp"
#include "md/input/forecast.hpp"

namespace sterna::md {

/// Advice on time constants of thermostats, and on starts far from their temperatures.
void advise_on_thermostats(const Input& input, const SystemFacts& facts, const Report& report);

}  // namespace sterna::md
