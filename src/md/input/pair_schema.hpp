#pragma once

#include <vector>

#include "md/input/input_schema.hpp"

namespace sterna::md {

/// The keys of [[pair]]: those of the frame, and one for each parameter of the pair potentials.
std::vector<KeySchema> pair_keys();

}  // namespace sterna::md
