#pragma once

#include <vector>

#include "md/io/input_schema.hpp"

namespace sterna::md {

/// The keys of [[component]], [[component.site]] and [[pair]]: a part of `input_keys()`.
std::vector<KeySchema> component_keys();

}  // namespace sterna::md
