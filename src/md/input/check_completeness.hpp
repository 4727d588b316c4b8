#pragma once

#include "md/input/input_reading.hpp"

namespace sterna::md {

/// Reports sections and keys that are required and not there, and keys that have no meaning with the
/// values of others. `from_program`: a program runs as many steps as it likes.
void check_completeness(InputReading& reading, bool from_program);

/// The same of keys only, for the file of a molecule.
void check_keys(InputReading& reading, bool from_program);

}  // namespace sterna::md
