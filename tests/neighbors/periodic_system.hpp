#pragma once

// A periodic box on one rank without any communication: images are made by brute force, so that
// the short-range tests depend on nothing above or beside them.

#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <variant>
#include <vector>

#include "md/core/box.hpp"
#include "md/forces/pair/pair_forces.hpp"
#include "md/neighbors/pair_list.hpp"

namespace sterna::md::test {

/// `count` particles on a jittered simple cubic lattice, types drawn at random.
inline ParticleStore jittered_lattice(const Box& box, int count, int type_count, double jitter,
                                      unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-jitter, jitter);
  ParticleStore particles;
  particles.resize_local(static_cast<std::size_t>(count));
  int edge = 1;
  while (edge * edge * edge < count) ++edge;
  for (int k = 0; k < count; ++k) {
    const Vec3 site{(0.5 + k % edge) * box.length.x / edge,
                    (0.5 + k / edge % edge) * box.length.y / edge,
                    (0.5 + k / edge / edge) * box.length.z / edge};
    int image[3];
    const Vec3 p = box.wrap(
        box.shear().position(site) + Vec3{uniform(engine), uniform(engine), uniform(engine)},
        image);
    const auto i = static_cast<std::size_t>(k);
    particles.position[i] = {p.x, p.y, p.z, static_cast<std::int64_t>(engine()) & 0xffff};
    particles.position[i].type %= type_count;
    particles.velocity[i] = {};
    particles.id[i] = k + 1;
    particles.image[i] = {};
  }
  return particles;
}

/// Which ghosts are in the list.
enum class Shell { full, half };

/// Sorts, adds every image within `radius` of the box as ghosts, and builds the list. Returns, of
/// each ghost by its place, the local particle that it is an image of.
inline std::vector<std::uint32_t> rebuild(PairList& list, ParticleStore& particles, const Box& box,
                                          double radius, Shell shell = Shell::full) {
  const Shear shear = box.shear();
  const Vec3 extent = shear.extent(radius);
  list.set_region({0, 0, 0}, box.length, radius, shear);
  list.sort_local(particles);
  std::vector<Position> ghosts;
  std::vector<std::uint32_t> original_of;
  std::vector<char> half_shell;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    for (int sx = -2; sx <= 2; ++sx) {
      for (int sy = -2; sy <= 2; ++sy) {
        for (int sz = -2; sz <= 2; ++sz) {
          if (sx == 0 && sy == 0 && sz == 0) continue;
          const Vec3 image = particles.position[i].vector() + box.translation(sx, sy, sz);
          const Vec3 unsheared = shear.unsheared(image);
          bool near = true;
          for (int axis = 0; axis < 3; ++axis) {
            near = near && unsheared[axis] >= -extent[axis] &&
                   unsheared[axis] <= box.length[axis] + extent[axis];
          }
          if (!near) continue;
          ghosts.push_back({image.x, image.y, image.z, particles.position[i].type});
          original_of.push_back(static_cast<std::uint32_t>(i));
          half_shell.push_back(std::array{sx, sy, sz} > std::array{0, 0, 0} ? 1 : 0);
        }
      }
    }
  }
  std::vector<std::uint32_t> slots;
  particles.resize_ghosts(ghosts.size());
  if (shell == Shell::half) {
    list.place_ghosts(ghosts, particles.local_count(), slots, half_shell);
  } else {
    list.place_ghosts(ghosts, particles.local_count(), slots);
  }
  std::vector<std::uint32_t> originals(ghosts.size());
  for (std::size_t k = 0; k < ghosts.size(); ++k) {
    particles.position[particles.local_count() + slots[k]] = ghosts[k];
    originals[slots[k]] = original_of[k];
  }
  list.build(particles);
  return originals;
}

/// As the engine calls them in a step; `originals` as `rebuild` returns them.
inline void compute_step(ShortRangeForces& forces, const PairList& list, ParticleStore& particles,
                         std::span<const std::uint32_t> originals, EnergyAndVirial* sums) {
  forces.compute(list, particles, PairList::Cells::interior, sums);
  forces.compute(list, particles, PairList::Cells::boundary, sums);
  if (list.half_shell()) {
    forces.compute(list, particles, PairList::Cells::late_interior, sums);
    const CollectedForces collected = forces.collected_forces(particles);
    std::visit(
        [&](auto all) {
          const std::size_t of_a_kind = all.size() / collected.kinds;
          for (std::size_t kind = 0; kind < collected.kinds; ++kind) {
            auto* const force = all.data() + kind * of_a_kind;
            const auto* const ghosts = force + particles.local_count();
            // Only listed ghosts have forces.
            for (std::size_t g = 0; g < list.grid().listed_ghosts(); ++g) {
              force[originals[g]].x += ghosts[g].x;
              force[originals[g]].y += ghosts[g].y;
              force[originals[g]].z += ghosts[g].z;
            }
          }
        },
        collected.forces);
  }
  forces.set_forces(list, particles, nullptr);
}

/// The first step after a rebuild.
inline EnergyAndVirial compute(ShortRangeForces& forces, const PairList& list,
                               ParticleStore& particles,
                               std::span<const std::uint32_t> originals = {}) {
  EnergyAndVirial sums;
  forces.rebuild(list, particles);
  compute_step(forces, list, particles, originals, &sums);
  return sums;
}

}  // namespace sterna::md::test
