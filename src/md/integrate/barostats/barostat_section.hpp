#pragma once

#include "md/input/input_schema.hpp"

namespace sterna::md::section {

/// [barostat], with the keys that only some kinds have.
InputSection barostat();

}  // namespace sterna::md::section
