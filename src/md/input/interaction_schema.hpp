#pragma once

#include <vector>

#include "md/input/input_schema.hpp"

namespace sterna::md {

/// The keys of [interaction]: a part of `input_keys()`.
std::vector<KeySchema> interaction_keys();

}  // namespace sterna::md
