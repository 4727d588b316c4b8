#pragma once

// Particles that every rank can compute for itself, and the ghosts that each rank must have of
// them, by brute force.

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include "md/domain/decomposition.hpp"
#include "md/system/particle_store.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md::test {

/// Uniform in [0, 1), a pure function of its arguments.
inline double uniform(std::uint64_t id, std::uint64_t purpose) {
  std::uint64_t x = id * 0x9e3779b97f4a7c15ULL + (purpose + 1) * 0xd1b54a32d192ed03ULL;
  for (int round = 0; round < 3; ++round) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ULL;
  }
  x ^= x >> 32;
  return static_cast<double>(x >> 11) * 0x1.0p-53;
}

/// Wrapped positions whose type is their number; every third one lies, on some axis, on a boundary
/// of a region or at the halo width from one (exactly so in an orthorhombic box).
inline std::vector<Position> make_positions(const Decomposition& decomposition, double width,
                                            std::size_t count) {
  const Box& box = decomposition.box();
  const Vec3 extent = box.shear().extent(width);
  std::vector<Position> positions;
  for (std::size_t i = 0; i < count; ++i) {
    Vec3 p;
    for (int axis = 0; axis < 3; ++axis) {
      p[axis] = uniform(i, static_cast<std::uint64_t>(axis)) * box.length[axis];
      if (i % 3 == 0 && uniform(i, 3 + static_cast<std::uint64_t>(axis)) < 0.5) {
        const auto rank = static_cast<int>(uniform(i, 7) * decomposition.rank_count());
        const double plane = decomposition.region(rank).lower[axis];
        const double kinds[] = {plane, plane + extent[axis], plane - extent[axis]};
        p[axis] = kinds[static_cast<std::size_t>(uniform(i, 8) * 3)];
      }
    }
    int image[3];
    const Vec3 w = box.wrap(box.shear().position(p), image);
    positions.push_back({w.x, w.y, w.z, static_cast<std::int64_t>(i)});
  }
  return positions;
}

/// Those of a rank, in this order.
inline ParticleStore own_particles(const comm::Context& context, const Decomposition& decomposition,
                                   const std::vector<Position>& all) {
  ParticleStore particles;
  for (const Position& p : all) {
    if (decomposition.owner(p.vector()) != context.rank()) continue;
    particles.resize_local(particles.local_count() + 1);
    particles.position[particles.local_count() - 1] = p;
  }
  return particles;
}

using Ghost = std::tuple<std::int64_t, double, double, double>;  ///< type and position

inline Ghost as_ghost(const Position& p) {
  return {p.type, p.x, p.y, p.z};
}

inline std::vector<Ghost> sorted_ghosts(const Position* first, std::size_t count) {
  std::vector<Ghost> ghosts;
  for (std::size_t i = 0; i < count; ++i) ghosts.push_back(as_ghost(first[i]));
  std::sort(ghosts.begin(), ghosts.end());
  return ghosts;
}

/// Every image of every particle within `width` of the region, per axis, other than the own
/// particles themselves; sorted.
inline std::vector<Ghost> expected_ghosts(const Decomposition& decomposition, int rank,
                                          double width, const std::vector<Position>& all) {
  const Region region = decomposition.region(rank);
  const Vec3 length = decomposition.box().length;
  std::vector<Ghost> ghosts;
  for (const Position& p : all) {
    // Images per axis, for the product of the three.
    std::array<std::vector<double>, 3> images;
    bool self[3] = {};
    for (int axis = 0; axis < 3; ++axis) {
      const int m = static_cast<int>(width / length[axis]) + 2;
      for (int offset = -m; offset <= m; ++offset) {
        const double image = p.vector()[axis] + offset * length[axis];
        if (image < region.lower[axis] - width || image > region.upper[axis] + width) continue;
        self[axis] = self[axis] ||
                     (offset == 0 && region.lower[axis] <= image && image < region.upper[axis]);
        images[axis].push_back(image);
      }
    }
    const bool own = self[0] && self[1] && self[2];
    for (const double x : images[0]) {
      for (const double y : images[1]) {
        for (const double z : images[2]) {
          if (own && x == p.x && y == p.y && z == p.z) continue;
          ghosts.emplace_back(p.type, x, y, z);
        }
      }
    }
  }
  std::sort(ghosts.begin(), ghosts.end());
  return ghosts;
}

/// Of the particle with this number at this time: tells from which particle it came, and when.
inline Quaternion orientation_of(std::int64_t number, std::int64_t step) {
  const auto key = static_cast<std::uint64_t>(number);
  const auto purpose = static_cast<std::uint64_t>(1000 + 4 * step);
  return Quaternion{uniform(key, purpose) - 0.5, uniform(key, purpose + 1) - 0.5,
                    uniform(key, purpose + 2) - 0.5, uniform(key, purpose + 3) - 0.5}
      .normalized();
}

/// Boxes, rank counts and widths where halos extend over several regions or around the box.
struct Case {
  const char* what;
  Vec3 length;
  std::array<int, 3> grid;
  double width;
};

}  // namespace sterna::md::test
