#pragma once

#include "md/input/input_schema.hpp"

namespace sterna::md::section {

/// [thermostat], with the keys that only some kinds have.
InputSection thermostat();

}  // namespace sterna::md::section
