#pragma once

#include "md/input/check_input.hpp"
#include "md/input/forecast.hpp"

namespace sterna::md {

/// Advice on the pair potentials of a valid input: their ends at the cutoff, their depth beside the
/// temperature, their size beside the density.
void advise_on_pairs(const Input& input, const SystemFacts& facts, const Report& report);

}  // namespace sterna::md
