#pragma once

#include <cstdint>

#include "md/core/vector.hpp"

namespace sterna::md {

/// Position and type in 32 bytes, so that the pair kernel loads a neighbor with one aligned load.
struct alignas(32) Position {
  double x, y, z;
  std::int64_t type;
  Vec3 vector() const { return {x, y, z}; }
};

}  // namespace sterna::md
