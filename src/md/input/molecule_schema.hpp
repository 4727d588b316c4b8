#pragma once

#include <vector>

#include "md/input/input_schema.hpp"

namespace sterna::md {

/// The keys of [[molecule]] and of the sections in it; part of `input_keys`.
std::vector<KeySchema> molecule_keys();

}  // namespace sterna::md
