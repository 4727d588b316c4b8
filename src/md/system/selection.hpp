#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "md/core/box.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// A selection of molecules by type, by position, or of all.
struct Selection {
  static constexpr double infinite = std::numeric_limits<double>::infinity();

  /// Region of the box; open at both ends.
  Vec3 lower{-infinite, -infinite, -infinite}, upper{infinite, infinite, infinite};
  int type = -1;                ///< the only selected type; -1: all types
  std::vector<char> without{};  ///< for each type, whether it is excluded; empty: no type is

  bool has_region() const;
  /// Whether the selection has all molecules, at any position.
  bool is_everything() const { return type < 0 && without.empty() && !has_region(); }
  bool contains_type(std::int64_t one) const {
    return (type < 0 || one == type) &&
           (without.empty() || without[static_cast<std::size_t>(one)] == 0);
  }
  /// Any periodic image of the position gives the same result.
  bool contains(const Position& position, const Box& box) const;
};

/// The slab of a molecule, with the region divided into `slabs` slabs of equal width from its lower
/// to its upper end along y; -1 if the molecule is not selected.
int slab_along_y(const Selection& where, int slabs, const Position& position, const Box& box);

}  // namespace sterna::md
