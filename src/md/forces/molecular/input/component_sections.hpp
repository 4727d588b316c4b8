#pragma once

#include "md/input/input_schema.hpp"

namespace sterna::md::section {

InputSection component();
InputSection component_site();

}  // namespace sterna::md::section
