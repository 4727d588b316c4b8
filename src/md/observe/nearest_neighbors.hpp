#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "md/core/vector.hpp"
#include "md/neighbors/pair_list.hpp"
#include "md/observe/frame.hpp"

namespace sterna::md {

/// The nearest neighbors of each local particle, from the neighbor list. The row of the observer
/// must have `needs_full_shell` and `needs_all_pairs`.
class NearestNeighbors {
 public:
  struct Neighbor {
    double squared_distance;
    Vec3 away;  ///< from the particle to the neighbor
  };

  /// At most `most` are kept of each particle.
  explicit NearestNeighbors(std::size_t most) : most_(most) {}

  /// Only pairs within `radius` count for which `is_in(i)` is true of both particles.
  template <class IsIn>
  void gather(const Frame& frame, double radius, const IsIn& is_in) {
    const ParticleStore& particles = frame.particles;
    counts_.assign(particles.local_count(), 0);
    nearest_.resize(particles.local_count() * most_);
    frame.list.for_each_neighbor(
        particles, radius, [&](std::uint32_t i, std::uint32_t j, double squared) {
          if (!is_in(i) || !is_in(j)) return;
          insert(i, {squared, particles.position[j].vector() - particles.position[i].vector()});
        });
  }

  /// Of local particle `i`, the nearest first.
  std::span<const Neighbor> of(std::size_t i) const {
    return {nearest_.data() + i * most_, counts_[i] < most_ ? counts_[i] : most_};
  }
  /// How many there are within the radius, also those that are not kept.
  std::size_t count(std::size_t i) const { return counts_[i]; }

 private:
  void insert(std::size_t i, const Neighbor& neighbor);

  std::size_t most_;
  std::vector<std::size_t> counts_;
  std::vector<Neighbor> nearest_;  ///< `most_` places for each particle
};

}  // namespace sterna::md
