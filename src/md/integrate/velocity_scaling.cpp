#include "md/integrate/velocity_scaling.hpp"

#include <algorithm>
#include <cmath>

namespace sterna::md {

namespace {
constexpr std::size_t molecules = 0, translation = 1, rotations = 2, rotation = 3, per_slab = 4;
}  // namespace

VelocityScaling::VelocityScaling(std::vector<Zone> zones, std::span<const double> masses,
                                 std::span<const RigidBody> bodies)
    : zones_(std::move(zones)),
      masses_(masses.begin(), masses.end()),
      bodies_(bodies.begin(), bodies.end()) {
  std::size_t slabs = 0;
  for (const Zone& zone : zones_) {
    first_slab_.push_back(slabs);
    slabs += static_cast<std::size_t>(zone.slabs);
  }
  sums_.resize(per_slab * slabs);
}

std::span<double> VelocityScaling::measure(const ParticleStore& particles, const Box& box) {
  std::fill(sums_.begin(), sums_.end(), 0.0);
  for (std::size_t z = 0; z < zones_.size(); ++z) {
    const Zone& zone = zones_[z];
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      const int slab = slab_along_y(zone.where, zone.slabs, particles.position[i], box);
      if (slab < 0) continue;
      double* sums = sums_.data() + per_slab * (first_slab_[z] + static_cast<std::size_t>(slab));
      const auto type = static_cast<std::size_t>(particles.position[i].type);
      sums[molecules] += 1.0;
      for (int axis = 0; axis < 3; ++axis) {
        const double v = particles.velocity[i][axis];
        if (zone.directions[static_cast<std::size_t>(axis)]) {
          sums[translation] += masses_[type] * v * v;
        }
      }
      if (!particles.rotating()) continue;
      sums[rotations] += bodies_[type].degrees_of_freedom();
      sums[rotation] += 2.0 * bodies_[type].kinetic_energy(particles.orientation[i],
                                                           particles.angular_momentum[i]);
    }
  }
  return sums_;
}

VelocityScaling::Scaled VelocityScaling::scale(ParticleStore& particles, const Box& box) const {
  Scaled result;
  for (std::size_t z = 0; z < zones_.size(); ++z) {
    const Zone& zone = zones_[z];
    const auto factor = [&](double degrees, double twice_energy) {
      if (!(degrees > 0.0) || !(twice_energy > 0.0)) return 1.0;
      const double b = std::pow(degrees * zone.thermal_energy / twice_energy, zone.exponent);
      return zone.rule == Rule::power ? b : 2.0 - 1.0 / b;
    };
    const double directions = static_cast<double>(zone.directions[0]) +
                              static_cast<double>(zone.directions[1]) +
                              static_cast<double>(zone.directions[2]);
    struct Factors {
      double velocity, angular_momentum;
    };
    std::vector<Factors> factors;
    double of_zone = 1.0;
    for (std::size_t slab = 0; slab < static_cast<std::size_t>(zone.slabs); ++slab) {
      const double* sums = sums_.data() + per_slab * (first_slab_[z] + slab);
      factors.push_back({factor(directions * sums[molecules], sums[translation]),
                         factor(sums[rotations], sums[rotation])});
      of_zone = std::max(of_zone, std::abs(factors.back().velocity));
    }
    result.largest_factor *= of_zone;
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      const int slab = slab_along_y(zone.where, zone.slabs, particles.position[i], box);
      if (slab < 0) continue;
      const auto [b, r] = factors[static_cast<std::size_t>(slab)];
      const auto type = static_cast<std::size_t>(particles.position[i].type);
      for (int axis = 0; axis < 3; ++axis) {
        if (!zone.directions[static_cast<std::size_t>(axis)]) continue;
        double& v = particles.velocity[i][axis];
        result.taken_up += 0.5 * masses_[type] * v * v * (b * b - 1.0);
        v *= b;
      }
      if (!particles.rotating()) continue;
      result.taken_up +=
          (r * r - 1.0) *
          bodies_[type].kinetic_energy(particles.orientation[i], particles.angular_momentum[i]);
      particles.angular_momentum[i] *= r;
    }
  }
  return result;
}

}  // namespace sterna::md
