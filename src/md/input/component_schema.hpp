#pragma once

#include <vector>

#include "md/input/input_schema.hpp"

namespace sterna::md {

/// The keys of [[component]] and [[component.site]]: a part of `input_keys()`.
std::vector<KeySchema> component_keys();

}  // namespace sterna::md
