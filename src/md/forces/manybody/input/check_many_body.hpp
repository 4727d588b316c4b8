#pragma once

#include "md/input/check_input.hpp"

namespace sterna::md {

/// Reports what is wrong with the many-body potentials of a file and with which types have them.
/// Where there are no pairs besides, completes the cutoff, which is that of the parameters.
/// `look_at_files`: whether parameter files are read.
void check_many_body(Input& input, bool look_at_files, const IsGood& is_good, const Report& report);

}  // namespace sterna::md
