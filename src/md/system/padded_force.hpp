#pragma once

namespace sterna::md {

/// Force on a local particle or a ghost, padded so that it is one aligned load.
struct alignas(32) PaddedForce {
  double x, y, z, unused;
};

}  // namespace sterna::md
