#pragma once

#include "md/input/check_input.hpp"

namespace sterna::md {

/// What `check_input` says of [neighbor]: what a buffer by tolerance needs and does not go with.
void check_neighbor(const Input& input, const IsGood& is_good, const Report& report);

/// The highest temperature that the input names, times Boltzmann's constant; 0 where it names none.
double highest_thermal_energy(const Input& input);

}  // namespace sterna::md
