#pragma once

namespace sterna::md {

/// Force on a particle in single precision, padded so that it is one aligned load.
struct alignas(16) SingleForce {
  float x, y, z, unused;
};

}  // namespace sterna::md
