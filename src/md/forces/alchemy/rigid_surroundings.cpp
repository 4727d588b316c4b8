#include "md/forces/alchemy/rigid_surroundings.hpp"

#include <utility>

#include "md/forces/alchemy/pair_virial.hpp"

namespace sterna::md {

RigidSurroundings::RigidSurroundings(const Box& box, Options options)
    : box_(box), options_(std::move(options)) {
  for (std::size_t type = 0; type < options_.atom_types; ++type) {
    sites_of_types_.push_back(options_.pairs->turned(type, {}));
  }
}

void RigidSurroundings::rebuild(const ParticleStore& particles) {
  rigid_.clear();
  for (std::uint32_t i = 0; i < particles.local_count(); ++i) {
    if (static_cast<std::size_t>(particles.position[i].type) >= options_.atom_types) {
      rigid_.push_back(i);
    }
  }
}

/// Calls visit(index of the atom, its sites, place of the molecule, its kind and sites, connection
/// from the molecule to the atom).
template <class Visit>
void RigidSurroundings::for_each_pair(std::span<const Atom> atoms, const ParticleStore& particles,
                                      Visit&& visit) const {
  const double range = options_.pairs->range();
  std::vector<Vec3> sites;
  for (const std::uint32_t i : rigid_) {
    const Position& at = particles.position[i];
    const auto kind = static_cast<std::size_t>(at.type);
    bool is_turned = false;
    for (std::size_t a = 0; a < atoms.size(); ++a) {
      const Vec3 d = box_.nearest_image(atoms[a].position - at.vector());
      if (dot(d, d) >= range * range || !options_.pairs->act(atoms[a].type, kind)) continue;
      if (!is_turned) {
        options_.pairs->turn(kind, particles.rotating() ? particles.orientation[i] : Quaternion{},
                             sites);
        is_turned = true;
      }
      visit(a, sites_of_types_[atoms[a].type], i, kind, sites, d);
    }
  }
}

RigidSurroundings::Parts RigidSurroundings::add_forces(
    std::span<const Atom> atoms, double lambda_of_wells, double lambda_of_charges,
    ParticleStore& particles, const std::function<void(std::size_t, const Vec3&)>& act,
    EnergyAndVirial& sums) const {
  const double on = 1.0 - lambda_of_charges;
  Parts parts;
  for_each_pair(atoms, particles,
                [&](std::size_t a, std::span<const Vec3> of_atom, std::uint32_t i, std::size_t kind,
                    std::span<const Vec3> sites, const Vec3& d) {
                  const std::size_t type = atoms[a].type;
                  const BodyPairSums wells =
                      options_.pairs->van_der_waals(type, kind, d, of_atom, sites, lambda_of_wells);
                  parts.of_wells += wells.energy;
                  Vec3 force = wells.force, torque = wells.torque_b;
                  if (on != 0.0) {
                    const BodyPairSums charges =
                        options_.pairs->electrostatic(type, kind, d, of_atom, sites);
                    parts.of_charges += on * charges.energy;
                    force += on * charges.force;
                    torque += on * charges.torque_b;
                  }
                  particles.force[i] -= force;
                  if (particles.rotating()) particles.torque[i] += torque;
                  act(a, force);
                  add_pair_virial(sums, d, force);
                });
  return parts;
}

RigidSurroundings::Energies RigidSurroundings::energies(std::span<const Atom> atoms,
                                                        std::span<const double> lambdas,
                                                        const ParticleStore& particles) const {
  Energies sums{.of_wells = std::vector<double>(lambdas.size(), 0.0)};
  for_each_pair(atoms, particles,
                [&](std::size_t a, std::span<const Vec3> of_atom, std::uint32_t, std::size_t kind,
                    std::span<const Vec3> sites, const Vec3& d) {
                  const std::size_t type = atoms[a].type;
                  for (std::size_t k = 0; k < lambdas.size(); ++k) {
                    const BodyPairSums wells =
                        options_.pairs->van_der_waals(type, kind, d, of_atom, sites, lambdas[k]);
                    sums.of_wells[k] += wells.energy;
                    if (k == 0) sums.by_wells += wells.by_lambda;
                  }
                  sums.of_charges +=
                      options_.pairs->electrostatic(type, kind, d, of_atom, sites).energy;
                });
  return sums;
}

}  // namespace sterna::md
