#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "md/core/box.hpp"
#include "md/core/vector.hpp"

namespace sterna::md {

/// The atoms of a group that this rank has at a step, and what all ranks know of the group. Positions
/// count from a point that is near to the group, so that the group is whole although the box repeats:
/// each atom's image nearest to that point counts. The point is the center of the step before.
struct GroupMembers {
  struct Member {
    std::size_t index;  ///< index in the store
    std::int64_t id;
    double weight;       ///< mass
    std::size_t number;  ///< place in the order of the ids of the whole group
  };
  std::vector<Member> here;
  std::vector<Vec3> from_point;  ///< of each member that is here
  Vec3 point;                    ///< the same on all ranks, as what follows
  Vec3 center;                   ///< of mass, relative to the point
  double mass = 0.0;             ///< of the whole group
  std::int64_t count = 0;        ///< atoms of the whole group

  Vec3 place() const { return point + center; }
};

/// Derivatives of a number by a strain of the box and of all positions: ab = xx yy zz xy xz yz, for a
/// shear that moves a by b.
using StrainDerivatives = std::array<double, 6>;

inline void add_product(StrainDerivatives& to, const Vec3& gradient, const Vec3& arm) {
  constexpr int first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};
  for (std::size_t k = 0; k < 6; ++k) to[k] += gradient[first[k]] * arm[second[k]];
}

}  // namespace sterna::md
