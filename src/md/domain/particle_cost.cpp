#include "md/domain/particle_cost.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace sterna::md {
namespace {

/// The fixed cost of a particle (its row, its sorting, its cell), in units of a neighbor's cost.
constexpr double kNeighborsForOne = 100.0;

/// The numbers of particles in bins of about half the radius, so that 27 bins give the density
/// around a particle. Bins outside of this rank's region are left out, both from the count and from
/// the volume.
class DensityBins {
 public:
  DensityBins(const Region& region, const Vec3& extent) : lower_(region.lower) {
    for (int axis = 0; axis < 3; ++axis) {
      const double width = region.upper[axis] - region.lower[axis];
      bins_[axis] = std::clamp(static_cast<int>(2.0 * width / extent[axis]), 1, 1000);
      per_length_[axis] = bins_[axis] / width;
      volume_ *= width / bins_[axis];
    }
    counts_.assign(index(0, 0, bins_[2]), 0);
  }

  /// The bin of a point, or the nearest one.
  std::size_t of(const Vec3& point) const {
    int at[3];
    for (int axis = 0; axis < 3; ++axis) {
      const double place = (point[axis] - lower_[axis]) * per_length_[axis];
      at[axis] = static_cast<int>(std::clamp(place, 0.0, static_cast<double>(bins_[axis] - 1)));
    }
    return index(at[0], at[1], at[2]);
  }

  void add(std::size_t bin) { ++counts_[bin]; }

  /// What a particle in each bin costs, whose neighbors are in a sphere of this volume.
  std::vector<float> weights(double sphere) const {
    std::vector<float> weights(counts_.size(), 0.0f);
    for (int z = 0; z < bins_[2]; ++z) {
      for (int y = 0; y < bins_[1]; ++y) {
        for (int x = 0; x < bins_[0]; ++x) {
          const std::size_t bin = index(x, y, z);
          if (counts_[bin] == 0) continue;
          weights[bin] = static_cast<float>(kNeighborsForOne + density_around(x, y, z) * sphere);
        }
      }
    }
    return weights;
  }

 private:
  std::size_t index(int x, int y, int z) const {
    return static_cast<std::size_t>(x) +
           static_cast<std::size_t>(bins_[0]) *
               (static_cast<std::size_t>(y) +
                static_cast<std::size_t>(bins_[1]) * static_cast<std::size_t>(z));
  }

  double density_around(int x, int y, int z) const {
    std::uint64_t around = 0;
    int seen = 0;
    for (int c = std::max(0, z - 1); c <= std::min(bins_[2] - 1, z + 1); ++c) {
      for (int b = std::max(0, y - 1); b <= std::min(bins_[1] - 1, y + 1); ++b) {
        for (int a = std::max(0, x - 1); a <= std::min(bins_[0] - 1, x + 1); ++a) {
          around += counts_[index(a, b, c)];
          ++seen;
        }
      }
    }
    return static_cast<double>(around) / (seen * volume_);
  }

  Vec3 lower_, per_length_;
  int bins_[3];
  double volume_ = 1.0;  ///< of a bin
  std::vector<std::uint32_t> counts_;
};

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

  DensityBins bins(region, shear.extent(radius));
  const auto bin_of = [&](std::size_t i) {
    return bins.of(shear.unsheared(particles.position[i].vector()));
  };
  for (std::size_t i = 0; i < count; ++i) bins.add(bin_of(i));
  const double sphere = 4.0 / 3.0 * std::numbers::pi * radius * radius * radius;
  const std::vector<float> weights = bins.weights(sphere);
  for (std::size_t i = 0; i < count; ++i)
    costs.weights[i] = static_cast<double>(weights[bin_of(i)]);
  return costs;
}

double cost_by_neighbors(std::size_t particles, std::size_t neighbors) {
  return kNeighborsForOne * static_cast<double>(particles) + static_cast<double>(neighbors);
}

}  // namespace sterna::md
