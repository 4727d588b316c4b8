#pragma once

#include "md/input/check_input.hpp"
#include "md/input/input.hpp"

namespace sterna::md {

/// Checks the potential of a [[pair]] as a whole, and reads the tables into the input.
void check_pair_potentials(Input& input, bool look_at_files, const IsGood& is_good,
                           const Report& report);

}  // namespace sterna::md
