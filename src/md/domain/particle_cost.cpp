#include "md/domain/particle_cost.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace sterna::md {
namespace {

/// The fixed cost of a particle (its row, its sorting, its cell), in units of a neighbor's cost.
constexpr double kNeighborsForOne = 100.0;

}  // namespace

double ParticleCosts::sum() const {
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

void ParticleCosts::scale_to(double wanted) {
  const double present = sum();
  if (!(present > 0.0)) return;
  for (double& weight : weights) weight *= wanted / present;
}

ParticleCosts particle_costs(const ParticleStore& particles, const Box& box, const Region& region,
                             double radius, CostModel model) {
  const std::size_t count = particles.local_count();
  ParticleCosts costs;
  costs.points.resize(count);
  costs.weights.assign(count, 1.0);
  const Shear shear = box.shear();
  for (std::size_t i = 0; i < count; ++i) {
    int image[3];
    costs.points[i] = shear.unsheared(box.wrap(particles.position[i].vector(), image));
  }
  if (model == CostModel::particles) return costs;

  // Bins have about half the radius, so 27 of them give the density around a particle. Bins outside
  // this rank's region are left out, both from the count and from the volume.
  int bins[3];
  Vec3 per_length;
  const Vec3 extent = shear.extent(radius);
  double volume = 1.0;
  for (int axis = 0; axis < 3; ++axis) {
    const double width = region.upper[axis] - region.lower[axis];
    bins[axis] = std::clamp(static_cast<int>(2.0 * width / extent[axis]), 1, 1000);
    per_length[axis] = bins[axis] / width;
    volume *= width / bins[axis];
  }
  const auto index = [&](int x, int y, int z) {
    return static_cast<std::size_t>(x) +
           static_cast<std::size_t>(bins[0]) *
               (static_cast<std::size_t>(y) +
                static_cast<std::size_t>(bins[1]) * static_cast<std::size_t>(z));
  };
  std::vector<std::uint32_t> counts(index(0, 0, bins[2]), 0);
  const auto bin_of = [&](std::size_t i) {
    int at[3];
    const Vec3 p = shear.unsheared(particles.position[i].vector());
    for (int axis = 0; axis < 3; ++axis) {
      const double place = (p[axis] - region.lower[axis]) * per_length[axis];
      at[axis] = static_cast<int>(std::clamp(place, 0.0, static_cast<double>(bins[axis] - 1)));
    }
    return index(at[0], at[1], at[2]);
  };
  for (std::size_t i = 0; i < count; ++i) ++counts[bin_of(i)];
  std::vector<float> weight_in(counts.size(), 0.0f);
  const double sphere = 4.0 / 3.0 * std::numbers::pi * radius * radius * radius;
  for (int z = 0; z < bins[2]; ++z) {
    for (int y = 0; y < bins[1]; ++y) {
      for (int x = 0; x < bins[0]; ++x) {
        if (counts[index(x, y, z)] == 0) continue;
        std::uint64_t around = 0;
        int seen = 0;
        for (int c = std::max(0, z - 1); c <= std::min(bins[2] - 1, z + 1); ++c) {
          for (int b = std::max(0, y - 1); b <= std::min(bins[1] - 1, y + 1); ++b) {
            for (int a = std::max(0, x - 1); a <= std::min(bins[0] - 1, x + 1); ++a) {
              around += counts[index(a, b, c)];
              ++seen;
            }
          }
        }
        const double density = static_cast<double>(around) / (seen * volume);
        weight_in[index(x, y, z)] = static_cast<float>(kNeighborsForOne + density * sphere);
      }
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    costs.weights[i] = static_cast<double>(weight_in[bin_of(i)]);
  }
  return costs;
}

double cost_by_neighbors(std::size_t particles, std::size_t neighbors) {
  return kNeighborsForOne * static_cast<double>(particles) + static_cast<double>(neighbors);
}

}  // namespace sterna::md
