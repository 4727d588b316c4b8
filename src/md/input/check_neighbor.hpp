#pragma once

#include "md/input/check_input.hpp"

namespace sterna::md {

/// The checks of [neighbor] in `check_input`: the keys that a buffer by tolerance needs, and the
/// features that exclude it.
void check_neighbor(const Input& input, const IsGood& is_good, const Report& report);

/// The highest temperature of the start and of all thermostats; 0 if there is none.
double highest_temperature(const Input& input);
/// The same times Boltzmann's constant.
double highest_thermal_energy(const Input& input);

}  // namespace sterna::md
