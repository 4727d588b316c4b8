#pragma once

#include <vector>

#include "md/input/input_schema.hpp"

namespace sterna::md {

/// The keys of [thermostat] and [barostat]: a part of `input_keys()`.
std::vector<KeySchema> ensemble_keys();

}  // namespace sterna::md
