#pragma once

#include <cstdint>

#include "md/core/quaternion.hpp"
#include "md/core/random.hpp"

namespace sterna::md {

/// Random orientations, uniform over all rotations (Shoemake, Graphics Gems III, 124 (1992)), as a
/// function of seed and id alone.
class StartOrientation {
 public:
  explicit StartOrientation(std::uint64_t seed) : stream_(seed, RandomPurpose::orientation) {}

  Quaternion draw(std::int64_t id) const;

 private:
  RandomStream stream_;
};

}  // namespace sterna::md
