#include "md/forces/alchemy/rigid_surroundings.hpp"

#include <utility>

#include "md/forces/alchemy/pair_virial.hpp"

namespace sterna::md {

RigidSurroundings::RigidSurroundings(const Box& box, Options options)
    : box_(box), options_(std::move(options)) {
  for (std::size_t type = 0; type < options_.atom_types; ++type) {
    sites_of_types_.push_back(options_.pairs->turned(type, {}));
    sites_of_units_.push_back(options_.unit_charges->turned(type, {}));
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

RigidSurroundings::Beyond RigidSurroundings::beyond(std::span<const double> counts) const {
  Beyond found;
  if (options_.beyond) found.of_a = options_.beyond(counts, box_.volume());
  if (options_.beyond_of_b) found.of_b = options_.beyond_of_b(counts, box_.volume());
  return found;
}

bool RigidSurroundings::act(std::size_t type, std::size_t kind) const {
  const Ends& ends = options_.ends[type];
  if (options_.pairs->have_wells(type, kind)) return true;
  if (ends.type_of_b && options_.pairs->have_wells(*ends.type_of_b, kind)) return true;
  const bool is_charged = ends.charge_of_a != 0.0 || ends.charge_of_b != 0.0;
  return is_charged && options_.unit_charges->act(type, kind);
}

BodyPairSums RigidSurroundings::wells(std::size_t type, std::size_t kind, const Vec3& d,
                                      std::span<const Vec3> sites, double lambda) const {
  const std::optional<std::size_t> to = options_.ends[type].type_of_b;
  const bool have_a = options_.pairs->have_wells(type, kind);
  const bool have_b = to && options_.pairs->have_wells(*to, kind);
  // Two wells need no soft core, since each keeps the atom and the molecule apart.
  const BodyPairs& pairs = have_a && have_b ? *options_.hard_pairs : *options_.pairs;
  BodyPairSums sum;
  if (have_a) sum = pairs.van_der_waals(type, kind, d, sites_of_types_[type], sites, lambda);
  if (!have_b) return sum;
  const BodyPairSums of_b =
      pairs.van_der_waals(*to, kind, d, sites_of_types_[*to], sites, 1.0 - lambda);
  sum.energy += of_b.energy;
  sum.by_lambda -= of_b.by_lambda;
  sum.force += of_b.force;
  sum.torque_b += of_b.torque_b;
  return sum;
}

BodyPairSums RigidSurroundings::charges(std::size_t type, std::size_t kind, const Vec3& d,
                                        std::span<const Vec3> sites) const {
  return options_.unit_charges->electrostatic(type, kind, d, sites_of_units_[type], sites);
}

/// Calls visit(index of the atom, its type, place of the molecule, its kind and sites, connection from
/// the molecule to the atom).
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
      if (dot(d, d) >= range * range || !act(atoms[a].type, kind)) continue;
      if (!is_turned) {
        options_.pairs->turn(kind, particles.rotating() ? particles.orientation[i] : Quaternion{},
                             sites);
        is_turned = true;
      }
      visit(a, atoms[a].type, i, kind, sites, d);
    }
  }
}

RigidSurroundings::Parts RigidSurroundings::add_forces(
    std::span<const Atom> atoms, double lambda_of_wells, double lambda_of_charges,
    ParticleStore& particles, const std::function<void(std::size_t, const Vec3&)>& act,
    EnergyAndVirial& sums) const {
  Parts parts;
  for_each_pair(atoms, particles,
                [&](std::size_t a, std::size_t type, std::uint32_t i, std::size_t kind,
                    std::span<const Vec3> sites, const Vec3& d) {
                  const BodyPairSums of_wells = wells(type, kind, d, sites, lambda_of_wells);
                  parts.of_wells += of_wells.energy;
                  Vec3 force = of_wells.force, torque = of_wells.torque_b;
                  const Ends& ends = options_.ends[type];
                  const double charge = (1.0 - lambda_of_charges) * ends.charge_of_a +
                                        lambda_of_charges * ends.charge_of_b;
                  if (charge != 0.0) {
                    const BodyPairSums of_unit = charges(type, kind, d, sites);
                    parts.of_charges += charge * of_unit.energy;
                    force += charge * of_unit.force;
                    torque += charge * of_unit.torque_b;
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
                [&](std::size_t, std::size_t type, std::uint32_t, std::size_t kind,
                    std::span<const Vec3> sites, const Vec3& d) {
                  for (std::size_t k = 0; k < lambdas.size(); ++k) {
                    const BodyPairSums of_wells = wells(type, kind, d, sites, lambdas[k]);
                    sums.of_wells[k] += of_wells.energy;
                    if (k == 0) sums.by_wells += of_wells.by_lambda;
                  }
                  const Ends& ends = options_.ends[type];
                  if (ends.charge_of_a == 0.0 && ends.charge_of_b == 0.0) return;
                  const double of_unit = charges(type, kind, d, sites).energy;
                  sums.of_charges_of_a += ends.charge_of_a * of_unit;
                  sums.of_charges_of_b += ends.charge_of_b * of_unit;
                });
  return sums;
}

}  // namespace sterna::md
