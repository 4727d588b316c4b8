// Idea:    alchemical atoms are few. All ranks know where they are, so each computes their pairs with
//          its own particles without lists, ghosts or skins.
// Cost:    two reductions in each step, of three numbers for each alchemical atom; one distance for
//          each local particle and molecule, and the pairs within the cutoff. Energies of all states
//          are computed only in steps that write them.
// Hazards: a cutoff above half the box would need several images of an atom; inputs with such a box
//          are refused.
// Others:  a term of the neighbor list has rows of its own, in which each row has one particle, and
//          that makes the rows of all other pairs slower.

#include "md/forces/alchemy/alchemy_forces.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "md/forces/alchemy/pair_virial.hpp"

namespace sterna::md {
namespace {

/// Of differences of bonded energies. Smaller ones have more rounding errors.
constexpr double lambda_step = 1e-3;

}  // namespace

AlchemyForces::AlchemyForces(const comm::Context& context, const Box& box, Topology whole,
                             Options options)
    : AlchemicalTerm(context, options.states),
      context_(context),
      box_(box),
      topology_(std::move(whole)),
      options_(std::move(options)),
      pairs_(std::move(options_.pairs), std::move(options_.pairs_of_b), options_.soft_core),
      atoms_(box, topology_, options_.atoms),
      charges_(atoms_, topology_, options_.keeps_molecules, std::move(options_.charges)),
      of_positions_(context, "alchemical atoms"),
      of_forces_(context, "forces on alchemical atoms", comm::ReductionOrder::fixed),
      parts_{{"van_der_waals", 0.0}, {"within_molecules", 0.0}} {
  has_changes_ = has_bonded() || !options_.changed_pairs.empty();
  if (charges_.interpolates_energies() || options_.rigid) {
    charges_part_ = parts_.size();
    parts_.push_back({"charges", 0.0});
  }
  if (has_changes_) {
    changed_part_ = parts_.size();
    parts_.push_back({"changed_terms", 0.0});
  }
  if (options_.rigid) rigid_.emplace(box, *options_.rigid);
  acts_on_.assign(pairs_.types(), 0);
  for (const AlchemicalAtoms::Atom& atom : atoms_.all()) {
    for (std::size_t type = 0; type < pairs_.types(); ++type) {
      if (pairs_.act(atom.type, static_cast<std::int64_t>(type))) acts_on_[type] = 1;
    }
  }
  coordinates_.assign(3 * atoms_.size(), 0.0);
  forces_.assign(3 * atoms_.size(), 0.0);
  of_positions_.sum(coordinates_.data(), coordinates_.size());
  of_forces_.sum(forces_.data(), forces_.size());
}

void AlchemyForces::rebuild(const ParticleStore& particles) {
  remember(particles);
  if (!types_are_counted_) count_types(particles);
  surroundings_.clear();
  charges_.forget_others();
  if (rigid_) rigid_->rebuild(particles);
  atoms_.find_own(particles, [&](std::uint32_t i) {
    const auto type = static_cast<std::size_t>(particles.position[i].type);
    if (type >= pairs_.types()) return;  // a rigid molecule
    if (acts_on_[type] != 0) surroundings_.push_back(i);
    charges_.take_other(particles, i);
  });
}

/// Collective. The tail of alchemical atoms follows from the numbers of all types.
void AlchemyForces::count_types(const ParticleStore& particles) {
  types_are_counted_ = true;
  std::vector<double> counts(rigid_ ? rigid_->kinds() : pairs_.types(), 0.0);
  std::vector<double> alchemical(pairs_.types(), 0.0);
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    counts[static_cast<std::size_t>(particles.position[i].type)] += 1.0;
  }
  comm::ReductionBatch(context_, "types").sum(counts.data(), counts.size()).run();
  counts_of_kinds_ = counts;
  if (!options_.tail_correction) return;
  for (const AlchemicalAtoms::Atom& atom : atoms_.all()) {
    alchemical[static_cast<std::size_t>(atom.type)] += 1.0;
  }
  pairs_.count(std::span(counts).first(pairs_.types()), alchemical);
}

void AlchemyForces::start(const ParticleStore& particles) {
  std::ranges::fill(coordinates_, 0.0);
  for (std::size_t k = 0; k < atoms_.slots().size(); ++k) {
    const Vec3 at = particles.position[atoms_.places()[k]].vector();
    for (int axis = 0; axis < 3; ++axis) {
      coordinates_[3 * atoms_.slots()[k] + static_cast<std::size_t>(axis)] = at[axis];
    }
  }
  of_positions_.start();
}

void AlchemyForces::finish(ParticleStore& particles, EnergyAndVirial* sums) {
  of_positions_.finish();
  atoms_.place(coordinates_);
  std::ranges::fill(forces_, 0.0);
  EnergyAndVirial own;
  const auto push = [&](std::size_t a, const Vec3& force) {
    for (int axis = 0; axis < 3; ++axis) {
      forces_[3 * a + static_cast<std::size_t>(axis)] += force[axis];
    }
  };
  double of_pairs = 0.0, within = 0.0;
  atoms_.for_each_surrounding(
      particles, surroundings_, pairs_.range(), [&](std::size_t a, std::uint32_t i, const Vec3& d) {
        const std::int64_t type = particles.position[i].type;
        if (!pairs_.act(atoms_[a].type, type)) return;
        const Value value = pairs_.between(atoms_[a].type, type, dot(d, d), now().van_der_waals);
        const Vec3 force = value.force_over_r * d;
        particles.force[i] += force;
        push(a, -1.0 * force);
        of_pairs += value.energy;
        add_pair_virial(own, d, force);
      });
  const auto add_own_pair = [&](std::size_t a, std::size_t b, const Vec3& d, const Value& value) {
    const Vec3 force = value.force_over_r * d;
    push(b, force);
    push(a, -1.0 * force);
    add_pair_virial(own, d, force);
  };
  atoms_.for_each_outer([&](std::size_t a, std::size_t b, const Vec3& d) {
    if (!pairs_.act(atoms_[a].type, atoms_[b].type)) return;
    const Value value =
        pairs_.between(atoms_[a].type, atoms_[b].type, dot(d, d), now().van_der_waals);
    of_pairs += value.energy;
    add_own_pair(a, b, d, value);
  });
  const double on = 1.0 - now().charges;
  const double lacking = 1.0 - on * on;
  atoms_.for_each_inner([&](std::size_t a, std::size_t b, const AlchemicalAtoms::Inner& inner,
                            const Vec3& d) {
    const double r_squared = dot(d, d), r = std::sqrt(r_squared);
    const Pair& pair = pairs_.pair_of(atoms_[a].type, atoms_[b].type);
    if (pairs_.act(atoms_[a].type, atoms_[b].type) && !inner.is_excluded) {
      const bool is_kept = options_.keeps_molecules;
      const Value value = is_kept && r >= pair.cutoff ? Value{0.0, 0.0}
                          : is_kept                   ? pair.curve(r)
                                    : pairs_.between(atoms_[a].type, atoms_[b].type, r_squared,
                                                     now().van_der_waals);
      (is_kept ? within : of_pairs) += value.energy;
      add_own_pair(a, b, d, value);
    }
    // Excluded pairs with a share, such as 1-4 pairs, are kept in any case.
    const bool keeps_charges = options_.keeps_molecules || inner.is_excluded;
    const double product = atoms_[a].charge * atoms_[b].charge * inner.charge_share;
    if (!keeps_charges || product == 0.0 || lacking == 0.0) return;
    const std::optional<Value> value = charges_.kept(r_squared);
    if (!value) return;
    const Value lacked{lacking * product * value->energy, lacking * product * value->force_over_r};
    within += lacked.energy;
    add_own_pair(a, b, d, lacked);
  });
  const double before_charges = own.energy;
  if (rigid_) {
    const RigidSurroundings::Parts with_rigid = add_rigid_forces(particles, own);
    of_pairs += with_rigid.of_wells;
    own.energy += with_rigid.of_charges;
  }
  if (charges_.interpolates_energies()) charges_.add_own(on * (1.0 - on), push, own);
  if (charges_part_) parts_[*charges_part_].energy = own.energy - before_charges;
  if (has_changes_) {
    const double before = own.energy;
    add_changed_forces(own);
    parts_[*changed_part_].energy = own.energy - before;
  }
  of_forces_.run();
  for (std::size_t k = 0; k < atoms_.slots().size(); ++k) {
    const double* force = forces_.data() + 3 * atoms_.slots()[k];
    particles.force[atoms_.places()[k]] += Vec3{force[0], force[1], force[2]};
  }
  if (sums != nullptr) {
    if (context_.rank() == 0) {
      const double lambda = now().van_der_waals;
      of_pairs += pairs_.tail_energy(lambda, box_.volume());
      const double virial = pairs_.tail_virial(lambda, box_.volume());
      for (int axis = 0; axis < 3; ++axis) own.virial[axis] += virial / 3.0;
    }
    own.energy += of_pairs + within;
    *sums += own;
    parts_[0].energy = of_pairs;
    parts_[1].energy = within;
  }
  write_if_due();
}

void AlchemyForces::add_van_der_waals(const ParticleStore& particles, Sums& sums) const {
  const auto add = [&](std::int64_t first, std::int64_t second, double r_squared) {
    if (!pairs_.act(first, second)) return;
    for (std::size_t k = 0; k < sums.lambdas.size(); ++k) {
      sums.van_der_waals[k] += pairs_.between(first, second, r_squared, sums.lambdas[k]).energy;
    }
    sums.by_van_der_waals += pairs_.slope_between(first, second, r_squared, now().van_der_waals);
  };
  atoms_.for_each_surrounding(particles, surroundings_, pairs_.range(),
                              [&](std::size_t a, std::uint32_t i, const Vec3& d) {
                                add(atoms_[a].type, particles.position[i].type, dot(d, d));
                              });
  atoms_.for_each_outer([&](std::size_t a, std::size_t b, const Vec3& d) {
    add(atoms_[a].type, atoms_[b].type, dot(d, d));
  });
  if (!options_.keeps_molecules) {
    atoms_.for_each_inner(
        [&](std::size_t a, std::size_t b, const AlchemicalAtoms::Inner& inner, const Vec3& d) {
          if (!inner.is_excluded) add(atoms_[a].type, atoms_[b].type, dot(d, d));
        });
  }
  if (context_.rank() != 0) return;
  for (std::size_t k = 0; k < sums.lambdas.size(); ++k) {
    sums.van_der_waals[k] += pairs_.tail_energy(sums.lambdas[k], box_.volume());
  }
  sums.by_van_der_waals += pairs_.tail_slope(box_.volume());
}

std::vector<RigidSurroundings::Atom> AlchemyForces::atoms_among_rigid() const {
  std::vector<RigidSurroundings::Atom> atoms;
  for (std::size_t a = 0; a < atoms_.size(); ++a) {
    atoms.push_back({atoms_.positions()[a], static_cast<std::size_t>(atoms_[a].type)});
  }
  return atoms;
}

RigidSurroundings::Parts AlchemyForces::add_rigid_forces(ParticleStore& particles,
                                                         EnergyAndVirial& sums) {
  const auto push = [&](std::size_t a, const Vec3& force) {
    for (int axis = 0; axis < 3; ++axis) {
      forces_[3 * a + static_cast<std::size_t>(axis)] += force[axis];
    }
  };
  RigidSurroundings::Parts parts = rigid_->add_forces(atoms_among_rigid(), now().van_der_waals,
                                                      now().charges, particles, push, sums);
  if (context_.rank() != 0) return parts;
  const RigidSurroundings::Beyond tail = rigid_->beyond(counts_of_kinds_);
  parts.of_wells += tail.energy(now().van_der_waals);
  for (int axis = 0; axis < 3; ++axis) {
    sums.virial[axis] += tail.virial(now().van_der_waals) / 3.0;
  }
  return parts;
}

void AlchemyForces::add_rigid_energies(const ParticleStore& particles, Sums& sums) const {
  const RigidSurroundings::Energies found =
      rigid_->energies(atoms_among_rigid(), sums.lambdas, particles);
  RigidSurroundings::Beyond tail;
  if (context_.rank() == 0) tail = rigid_->beyond(counts_of_kinds_);
  for (std::size_t k = 0; k < sums.lambdas.size(); ++k) {
    sums.van_der_waals[k] += found.of_wells[k] + tail.energy(sums.lambdas[k]);
  }
  sums.by_van_der_waals += found.by_wells + tail.of_b.energy - tail.of_a.energy;
  sums.of_charges.at_a += found.of_charges_of_a;
  sums.of_charges.at_b += found.of_charges_of_b;
}

void AlchemyForces::add_changed_forces(EnergyAndVirial& sums) {
  std::vector<Vec3> forces;
  atoms_.for_each_own_molecule([&](const Molecule& molecule, std::span<const Vec3> positions) {
    forces.assign(molecule.count, Vec3{});
    if (has_bonded()) {
      sums += options_.changed_terms(molecule.kind, now().bonded, positions, forces);
    }
    for (const ChangedPair& pair : changed_pairs_of(molecule)) {
      const Vec3 d = positions[pair.second] - positions[pair.first];
      const double r_squared = dot(d, d);
      const ChangedPair::Value of_wells =
          pair.van_der_waals(options_.soft_core, r_squared, now().van_der_waals);
      const ChangedPair::Value of_charges = pair.charges(r_squared, now().charges);
      const Vec3 force = (of_wells.force_over_r + of_charges.force_over_r) * d;
      sums.energy += of_wells.energy + of_charges.energy;
      forces[pair.second] += force;
      forces[pair.first] -= force;
      add_pair_virial(sums, d, force);
    }
    for (std::size_t k = 0; k < molecule.count; ++k) {
      for (int axis = 0; axis < 3; ++axis) {
        forces_[3 * (molecule.first + k) + static_cast<std::size_t>(axis)] += forces[k][axis];
      }
    }
  });
}

double AlchemyForces::bonded_energy(const Molecule& molecule, double lambda,
                                    std::span<const Vec3> positions) const {
  if (!has_bonded()) return 0.0;
  std::vector<Vec3> unused(positions.size());
  return options_.changed_terms(molecule.kind, lambda, positions, unused).energy;
}

double AlchemyForces::bonded_slope(const Molecule& molecule, double lambda,
                                   std::span<const Vec3> positions) const {
  const auto difference = [&](double step) {
    return (bonded_energy(molecule, lambda + step, positions) -
            bonded_energy(molecule, lambda - step, positions)) /
           (2.0 * step);
  };
  return (4.0 * difference(lambda_step) - difference(2.0 * lambda_step)) / 3.0;
}

void AlchemyForces::add_changed_energies(Sums& sums) const {
  atoms_.for_each_own_molecule([&](const Molecule& molecule, std::span<const Vec3> positions) {
    for (std::size_t k = 0; k < sums.bonded_lambdas.size(); ++k) {
      sums.bonded[k] += bonded_energy(molecule, sums.bonded_lambdas[k], positions);
    }
    sums.by_bonded += bonded_slope(molecule, now().bonded, positions);
    for (const ChangedPair& pair : changed_pairs_of(molecule)) {
      const Vec3 d = positions[pair.second] - positions[pair.first];
      const double r_squared = dot(d, d);
      for (std::size_t k = 0; k < sums.lambdas.size(); ++k) {
        sums.van_der_waals[k] +=
            pair.van_der_waals(options_.soft_core, r_squared, sums.lambdas[k]).energy;
      }
      sums.by_van_der_waals +=
          pair.van_der_waals(options_.soft_core, r_squared, now().van_der_waals).by_lambda;
      sums.by_pairs_of_charges += pair.charges(r_squared, now().charges).by_lambda;
    }
  });
}

AlchemicalEnergies AlchemyForces::energies(const ParticleStore& particles,
                                           std::span<const AlchemicalState> states) const {
  Sums sums;
  // Places of a lambda among those that are distinct; the first is that of the present state.
  const auto place_in = [](std::vector<double>& lambdas, double lambda) {
    const auto known = std::ranges::find(lambdas, lambda);
    const auto place = static_cast<std::size_t>(known - lambdas.begin());
    if (known == lambdas.end()) lambdas.push_back(lambda);
    return place;
  };
  place_in(sums.lambdas, now().van_der_waals);
  place_in(sums.bonded_lambdas, now().bonded);
  std::vector<std::size_t> lambda_of_state, bonded_lambda_of_state;
  for (const AlchemicalState& state : states) {
    lambda_of_state.push_back(place_in(sums.lambdas, state.van_der_waals));
    bonded_lambda_of_state.push_back(place_in(sums.bonded_lambdas, state.bonded));
  }
  sums.van_der_waals.assign(sums.lambdas.size(), 0.0);
  sums.bonded.assign(sums.bonded_lambdas.size(), 0.0);
  add_van_der_waals(particles, sums);
  sums.of_charges = charges_.energies(particles);
  if (rigid_) add_rigid_energies(particles, sums);
  if (has_changes_) add_changed_energies(sums);
  comm::ReductionBatch(context_, "energies of states", comm::ReductionOrder::fixed)
      .sum(sums.van_der_waals.data(), sums.van_der_waals.size())
      .sum(sums.by_van_der_waals)
      .sum(sums.of_charges.at_a)
      .sum(sums.of_charges.at_b)
      .sum(sums.of_charges.of_change)
      .sum(sums.bonded.data(), sums.bonded.size())
      .sum(sums.by_bonded)
      .sum(sums.by_pairs_of_charges)
      .run();
  // With charges between those of A and B the energy is below the straight line of energies.
  const double lambda = now().charges;
  const double slope = sums.of_charges.at_b - sums.of_charges.at_a + sums.by_pairs_of_charges;
  const double of_change = sums.of_charges.of_change;
  AlchemicalEnergies energies;
  energies.by_van_der_waals = sums.by_van_der_waals;
  energies.by_bonded = sums.by_bonded;
  energies.by_charges = slope - (1.0 - 2.0 * lambda) * of_change;
  for (std::size_t k = 0; k < states.size(); ++k) {
    const double other = states[k].charges;
    const double of_charges = (other - lambda) * (slope - (1.0 - other - lambda) * of_change);
    energies.differences.push_back(sums.van_der_waals[lambda_of_state[k]] - sums.van_der_waals[0] +
                                   sums.bonded[bonded_lambda_of_state[k]] - sums.bonded[0] +
                                   of_charges);
  }
  return energies;
}

void AlchemyForces::set_charges(Topology& topology) const {
  for (std::uint32_t kind = 0; kind < topology_.molecules().size(); ++kind) {
    if (options_.atoms.is_alchemical[kind] == 0) continue;
    const std::vector<Topology::Atom>& atoms = topology_.molecules()[kind].atoms;
    std::vector<double> charges;
    for (std::size_t k = 0; k < atoms.size(); ++k) {
      const double of_b = options_.atoms.charges_of_b[kind][k];
      charges.push_back((1.0 - now().charges) * atoms[k].charge + now().charges * of_b);
    }
    topology.set_charges(kind, charges);
  }
}

ForceTerm::Settings AlchemyForces::settings() const {
  Settings settings{{"molecules", static_cast<std::int64_t>(atoms_.molecules().size())},
                    {"atoms", static_cast<std::int64_t>(atoms_.size())}};
  const Settings of_states = settings_of_states();
  settings.insert(settings.end(), of_states.begin(), of_states.end());
  return settings;
}

}  // namespace sterna::md
