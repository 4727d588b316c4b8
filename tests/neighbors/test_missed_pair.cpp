#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "md/neighbors/missed_pair.hpp"
#include "neighbors/periodic_system.hpp"

using namespace sterna::md;

namespace {

constexpr double cutoff = 1.9, skin = 0.3, list_radius = cutoff + skin;

/// Of each ghost, the local particle that it is an image of.
std::vector<std::size_t> originals(const ParticleStore& particles, const Box& box) {
  std::vector<std::size_t> result;
  const std::size_t n = particles.local_count();
  for (std::size_t g = n; g < particles.total_count(); ++g) {
    std::size_t found = n;
    for (std::size_t i = 0; i < n; ++i) {
      const Vec3 d = particles.position[g].vector() - particles.position[i].vector();
      int image[3];
      const Vec3 half{0.5, 0.5, 0.5};
      const Vec3 rest = box.wrap(d + half, image) - half;
      if (dot(rest, rest) < 1e-12) found = i;
    }
    REQUIRE(found < n);
    result.push_back(found);
  }
  return result;
}

/// Whether a pair is nearer than `near` now that was farther apart than `far` before.
bool brute_force(const ParticleStore& now, const std::vector<Vec3>& before, double near,
                 double far) {
  for (std::size_t i = 0; i < now.local_count(); ++i) {
    for (std::size_t j = i + 1; j < now.total_count(); ++j) {
      const Vec3 d = now.position[i].vector() - now.position[j].vector();
      const Vec3 was = before[i] - before[j];
      if (dot(d, d) < near * near && dot(was, was) > far * far) return true;
    }
  }
  return false;
}

void move(Position& position, const Vec3& path) {
  position.x += path.x;
  position.y += path.y;
  position.z += path.z;
}

}  // namespace

TEST_CASE("a pair that the list lacks is found as soon as it is within the cutoff") {
  std::mt19937_64 engine(5);
  std::normal_distribution<double> normal;
  int lost = 0, kept = 0, claimed = 0;
  for (const Box& box : {Box{{7.1, 6.7, 7.4}}, Box{{7.1, 6.7, 7.4}, {3.0, -2.0, 2.5}},
                         Box{{4.5, 4.4, 9.0}}, Box{{4.5, 4.4, 12.0}}}) {
    ParticleStore particles = test::jittered_lattice(box, 216, 1, 0.1, 13);
    // Beyond the half shell, too: there one of two images alone may see such a pair.
    const auto shell = box.length.z > 10.0 ? test::Shell::full : test::Shell::half;
    PairList list("auto", 1, true);
    test::rebuild(list, particles, box, list_radius, shell);
    const std::vector<std::size_t> original = originals(particles, box);
    std::vector<Vec3> before;
    for (std::size_t i = 0; i < particles.total_count(); ++i) {
      before.push_back(particles.position[i].vector());
    }
    const std::size_t n = particles.local_count();
    for (int trial = 0; trial < 150; ++trial) {
      // Ghosts lag behind by a last step of up to this.
      const double ghost_path = trial % 3 == 0 ? 0.02 : 0.0;
      const double deviation = 0.035 + 0.0004 * trial;
      std::vector<Vec3> path(n), last(n);
      for (std::size_t i = 0; i < n; ++i) {
        path[i] = deviation * Vec3{normal(engine), normal(engine), normal(engine)};
        const double length = std::sqrt(dot(path[i], path[i]));
        if (length > 0.27) path[i] *= 0.27 / length;
        last[i] = 0.99 * ghost_path / std::max(length, 1e-9) * path[i];
      }
      ParticleStore lagging;
      lagging.resize_local(n);
      lagging.resize_ghosts(particles.ghost_count());
      ParticleStore now;
      now.resize_local(n);
      now.resize_ghosts(particles.ghost_count());
      for (std::size_t i = 0; i < particles.total_count(); ++i) {
        const std::size_t source = i < n ? i : original[i - n];
        now.position[i] = lagging.position[i] = particles.position[i];
        move(now.position[i], path[source]);
        move(lagging.position[i], i < n ? path[source] : path[source] - last[source]);
      }
      const auto far = list.displacements(lagging, 0.5 * skin).far;
      const std::vector<std::uint32_t> movers(far.begin(), far.end());
      const bool found = list_misses_pair(list, lagging, cutoff, movers, ghost_path);
      // (Rounding aside.)
      const bool surely = brute_force(now, before, cutoff - 1e-9, list_radius + 1e-9);
      const bool perhaps = brute_force(now, before, cutoff + 1e-9, (1.0 - 2e-5) * list_radius);
      if (surely) CHECK(found);
      if (ghost_path == 0.0) CHECK((!found || perhaps));
      ++(surely ? lost : kept);
      claimed += found && !perhaps ? 1 : 0;
    }
  }
  CHECK(lost > 50);
  CHECK(kept > 50);
  CHECK(claimed < 60);
}
