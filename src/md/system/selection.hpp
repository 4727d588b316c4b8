#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "md/core/box.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// Some of the molecules: by type, by place, or all.
struct Selection {
  static constexpr double infinite = std::numeric_limits<double>::infinity();

  /// Region of the box; open at both ends.
  Vec3 lower{-infinite, -infinite, -infinite}, upper{infinite, infinite, infinite};
  int type = -1;                ///< the only one; -1: all
  std::vector<char> without{};  ///< by type, whether it is left out; empty: none is

  bool has_region() const;
  /// Whether it is all molecules, wherever they are.
  bool is_everything() const { return type < 0 && without.empty() && !has_region(); }
  bool contains_type(std::int64_t one) const {
    return (type < 0 || one == type) &&
           (without.empty() || without[static_cast<std::size_t>(one)] == 0);
  }
  /// Any image of the position will do.
  bool contains(const Position& position, const Box& box) const;
};

/// Which of so many slabs of equal width along y, from the region's lower end to its upper one, a
/// molecule is in; -1 where the selection does not contain it.
int slab_along_y(const Selection& where, int slabs, const Position& position, const Box& box);

}  // namespace sterna::md
