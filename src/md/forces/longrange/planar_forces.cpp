#include "md/forces/longrange/planar_forces.hpp"

#include <algorithm>
#include <cmath>

namespace sterna::md {

PlanarForces::PlanarForces(const comm::Context& context, std::span<const AveragedPotential> pairs,
                           const Box& box, int normal, std::size_t slabs)
    : box_(box),
      normal_(normal),
      correction_(pairs, box.length[normal], slabs),
      counts_(correction_.components() * slabs),
      density_(counts_.size()),
      profile_(context, "density profile") {
  profile_.sum(counts_.data(), counts_.size());
}

void PlanarForces::rebuild(const ParticleStore& particles) {
  const std::size_t slabs = correction_.slabs();
  const double per_length = static_cast<double>(slabs) / box_.length[normal_];
  std::fill(counts_.begin(), counts_.end(), 0);
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const Position& position = particles.position[i];
    const double place = std::floor(position.vector()[normal_] * per_length);
    const auto slab =
        static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(slabs - 1)));
    ++counts_[static_cast<std::size_t>(position.type) * slabs + slab];
  }
  profile_.run();
  const double per_volume = static_cast<double>(slabs) / box_.volume();
  for (std::size_t k = 0; k < counts_.size(); ++k) {
    density_[k] = static_cast<double>(counts_[k]) * per_volume;
  }
  correction_.set_profile(density_);
}

void PlanarForces::finish(ParticleStore& particles, EnergyAndVirial* sums) {
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const Position& position = particles.position[i];
    const auto values =
        correction_.at(static_cast<std::size_t>(position.type), position.vector()[normal_]);
    particles.force[i][normal_] += values.force;
    if (sums == nullptr) continue;
    // A molecule's energy is shared with its partners, so half of it counts.
    sums->energy += 0.5 * values.energy;
    for (int axis = 0; axis < 3; ++axis) {
      sums->virial[axis] +=
          0.5 * (axis == normal_ ? values.virial_normal : values.virial_tangential);
    }
  }
}

}  // namespace sterna::md
