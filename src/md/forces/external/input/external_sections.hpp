#pragma once

#include "md/input/input_schema.hpp"

namespace sterna::md::section {

InputSection wall();
InputSection field();
InputSection restraint();

}  // namespace sterna::md::section
