#pragma once

#include <vector>

#include "md/input/input_schema.hpp"

namespace sterna::md {

/// The keys of [electrostatics]: a part of `input_keys()`.
std::vector<KeySchema> electrostatics_keys();

}  // namespace sterna::md
