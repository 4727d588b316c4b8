#include "md/forces/coulomb/excluded_charges.hpp"

#include <cmath>
#include <string>

#include "md/core/agreement.hpp"

namespace sterna::md {

void ExcludedCharges::rebuild(const ParticleStore& particles) {
  pairs_.clear();
  const Topology& topology = places_->topology();
  std::string missing;
  for (std::uint32_t i = 0; i < particles.local_count() && missing.empty(); ++i) {
    const Topology::Place place = topology.place_of(particles.id[i]);
    const auto& atoms = topology.molecules()[place.molecule].atoms;
    const double charge = atoms[static_cast<std::size_t>(place.atom)].charge;
    if (charge == 0.0) continue;
    for (const std::uint32_t excluded : topology.exclusions_of(place)) {
      const double product = charge * atoms[excluded].charge;
      if (product == 0.0) continue;
      const std::int64_t id = place.first_id + excluded;
      const auto other = places_->nearest(id, particles.position[i].vector());
      if (other) {
        pairs_.push_back({i, *other, product});
      } else if (missing.empty()) {
        missing = places_->missing(particles.id[i], id, context_.rank());
      }
    }
  }
  agree(context_, missing);
}

void ExcludedCharges::subtract(const ParticleStore& particles, std::span<Vec3> forces,
                               EnergyAndVirial* sums) const {
  EnergyAndVirial own;
  for (const Pair& pair : pairs_) {
    const Vec3 d =
        particles.position[pair.particle].vector() - particles.position[pair.other].vector();
    const double inverse_squared = 1.0 / dot(d, d);
    const double energy = pair.product * std::sqrt(inverse_squared);
    const Vec3 force = (energy * inverse_squared) * d;
    forces[pair.particle] -= force;
    own.energy -= 0.5 * energy;
    own.virial[0] -= 0.5 * d.x * force.x;
    own.virial[1] -= 0.5 * d.y * force.y;
    own.virial[2] -= 0.5 * d.z * force.z;
    own.virial[3] -= 0.5 * d.x * force.y;
    own.virial[4] -= 0.5 * d.x * force.z;
    own.virial[5] -= 0.5 * d.y * force.z;
  }
  if (sums != nullptr) *sums += own;
}

}  // namespace sterna::md
