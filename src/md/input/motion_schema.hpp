#pragma once

#include <vector>

#include "md/input/input_schema.hpp"

namespace sterna::md {

/// The keys of [[drift_control]], [[limit]] and [alignment]: a part of `input_keys()`.
std::vector<KeySchema> motion_keys();

}  // namespace sterna::md
