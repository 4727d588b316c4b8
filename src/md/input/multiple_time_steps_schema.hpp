#pragma once

#include <vector>

#include "md/input/input_schema.hpp"

namespace sterna::md {

/// The keys of [multiple_time_steps]: a part of `input_keys()`.
std::vector<KeySchema> multiple_time_steps_keys();

}  // namespace sterna::md
