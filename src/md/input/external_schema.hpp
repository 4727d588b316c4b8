#pragma once

#include <vector>

#include "md/input/input_schema.hpp"

namespace sterna::md {

/// The keys of [[wall]], [[field]], [[restraint]] and [[freeze]]: a part of `input_keys()`.
std::vector<KeySchema> external_keys();

}  // namespace sterna::md
