#pragma once

#include <limits>

#include "md/core/box.hpp"
#include "md/particles/particle_store.hpp"

namespace sterna::md {

/// Some of the molecules: by type, by place, or all.
struct Selection {
  static constexpr double infinite = std::numeric_limits<double>::infinity();

  /// Region of the box; open at both ends.
  Vec3 lower{-infinite, -infinite, -infinite}, upper{infinite, infinite, infinite};
  int type = -1;  ///< the only one; -1: all

  bool has_region() const;
  /// Whether it is all molecules, wherever they are.
  bool is_everything() const { return type < 0 && !has_region(); }
  /// Any image of the position will do.
  bool contains(const Position& position, const Box& box) const;
};

}  // namespace sterna::md
