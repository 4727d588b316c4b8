#pragma once

#include "md/input/input_reading.hpp"

namespace sterna::md {

/// Reports required sections and keys that are missing, and keys that have no meaning with the
/// values of others. `from_program`: whether a program decides the number of steps.
void check_completeness(InputReading& reading, bool from_program);

/// As `check_completeness` for keys only, for the file of a molecule.
void check_keys(InputReading& reading, bool from_program);

}  // namespace sterna::md
