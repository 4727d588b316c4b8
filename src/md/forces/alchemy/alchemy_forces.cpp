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
#include <numbers>
#include <utility>

namespace sterna::md {
namespace {

/// Of differences of bonded energies. Smaller ones have more rounding errors.
constexpr double lambda_step = 1e-3;
constexpr SoftCore hard_core{.alpha = 0.0, .power = 1, .least_sigma = 0.0};

std::size_t square_root_of(std::size_t square) {
  return static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(square))));
}

void add_virial(EnergyAndVirial& sums, const Vec3& connection, const Vec3& force) {
  sums.virial[0] += connection.x * force.x;
  sums.virial[1] += connection.y * force.y;
  sums.virial[2] += connection.z * force.z;
  sums.virial[3] += connection.x * force.y;
  sums.virial[4] += connection.x * force.z;
  sums.virial[5] += connection.y * force.z;
}

}  // namespace

AlchemyForces::AlchemyForces(const comm::Context& context, const Box& box, Topology whole,
                             Options options)
    : AlchemicalTerm(context, options.states),
      context_(context),
      box_(box),
      topology_(std::move(whole)),
      options_(std::move(options)),
      type_count_(square_root_of(options_.pairs.size())),
      of_positions_(context, "alchemical atoms"),
      of_forces_(context, "forces on alchemical atoms", comm::ReductionOrder::fixed),
      parts_{{"van_der_waals", 0.0}, {"within_molecules", 0.0}} {
  has_changes_ = has_bonded() || !options_.changed_pairs.empty();
  if (options_.interpolates_energies) {
    charges_part_ = parts_.size();
    parts_.push_back({"charges", 0.0});
  }
  if (has_changes_) {
    changed_part_ = parts_.size();
    parts_.push_back({"changed_terms", 0.0});
  }
  for (std::vector<Pair>* const pairs : {&options_.pairs, &options_.pairs_of_b}) {
    for (Pair& pair : *pairs) {
      if (!pair.curve) continue;
      range_ = std::max(range_, pair.cutoff);
      pair.sigma6 = std::pow(std::max(pair.size, options_.soft_core.least_sigma), 6);
    }
  }
  if (options_.rigid) rigid_.emplace(box, *options_.rigid);
  list_atoms();
  coordinates_.assign(3 * atoms_.size(), 0.0);
  forces_.assign(3 * atoms_.size(), 0.0);
  positions_.assign(atoms_.size(), Vec3{});
  of_positions_.sum(coordinates_.data(), coordinates_.size());
  of_forces_.sum(forces_.data(), forces_.size());
}

void AlchemyForces::list_atoms() {
  acts_on_.assign(type_count_, 0);
  std::int64_t next_id = 1;
  for (const Topology::Run& run : topology_.runs()) {
    const Topology::Molecule& of = topology_.molecules()[run.molecule];
    const auto size = static_cast<std::int64_t>(of.atoms.size());
    if (options_.is_alchemical[run.molecule] != 0) {
      for (std::int64_t n = 0; n < run.count; ++n) {
        molecules_.push_back({atoms_.size(), of.atoms.size(), run.molecule});
        for (std::int64_t k = 0; k < size; ++k) {
          const auto place = static_cast<std::size_t>(k);
          const Topology::Atom& atom = of.atoms[place];
          const double of_b = options_.charges_of_b[run.molecule][place];
          atoms_.push_back({next_id + n * size + k, atom.type, options_.charge_factor * atom.charge,
                            options_.charge_factor * of_b, molecules_.size() - 1});
        }
      }
    }
    next_id += run.count * size;
  }
  for (const Atom& atom : atoms_) {
    for (std::size_t type = 0; type < type_count_; ++type) {
      if (act(atom.type, static_cast<std::int64_t>(type))) acts_on_[type] = 1;
    }
  }
  for (std::size_t kind = 0; kind < topology_.molecules().size(); ++kind) {
    auto& pairs = inner_.emplace_back();
    if (options_.is_alchemical[kind] == 0) continue;
    const Topology::Molecule& of = topology_.molecules()[kind];
    const auto count = static_cast<std::uint32_t>(of.atoms.size());
    std::vector<char> excluded(std::size_t{count} * count, 0);
    for (const auto& [a, b] : of.exclusions) {
      const auto first = static_cast<std::size_t>(a), second = static_cast<std::size_t>(b);
      excluded[first * count + second] = excluded[second * count + first] = 1;
    }
    for (std::uint32_t a = 0; a < count; ++a) {
      for (std::uint32_t b = a + 1; b < count; ++b) {
        const bool is_excluded = excluded[std::size_t{a} * count + b] != 0;
        pairs.push_back({a, b, is_excluded, is_excluded ? 0.0 : 1.0});
      }
    }
    if (options_.shared_pairs.empty()) continue;
    for (const SharedPair& shared : options_.shared_pairs[kind]) {
      const auto [a, b] = std::minmax(shared.atoms[0], shared.atoms[1]);
      for (Inner& inner : pairs) {
        if (inner.first == static_cast<std::uint32_t>(a) &&
            inner.second == static_cast<std::uint32_t>(b)) {
          inner.charge_share = shared.charge_share;
        }
      }
    }
  }
}

void AlchemyForces::rebuild(const ParticleStore& particles) {
  remember(particles);
  if (!types_are_counted_) count_types(particles);
  slot_of_own_.clear();
  place_of_own_.clear();
  surroundings_.clear();
  others_.clear();
  is_own_.assign(atoms_.size(), 0);
  if (rigid_) rigid_->rebuild(particles);
  for (std::uint32_t i = 0; i < particles.local_count(); ++i) {
    const auto found = std::ranges::lower_bound(atoms_, particles.id[i], {}, &Atom::id);
    if (found != atoms_.end() && found->id == particles.id[i]) {
      const auto slot = static_cast<std::uint32_t>(found - atoms_.begin());
      slot_of_own_.push_back(slot);
      place_of_own_.push_back(i);
      is_own_[slot] = 1;
      continue;
    }
    const auto type = static_cast<std::size_t>(particles.position[i].type);
    if (type >= type_count_) continue;  // a rigid molecule
    if (acts_on_[type] != 0) surroundings_.push_back(i);
    if (options_.cutoff_charges && topology_.atom_of(particles.id[i]).charge != 0.0) {
      others_.push_back(i);
    }
  }
}

/// Collective. The tail of alchemical atoms follows from the numbers of all types.
void AlchemyForces::count_types(const ParticleStore& particles) {
  types_are_counted_ = true;
  std::vector<double> counts(rigid_ ? rigid_->kinds() : type_count_, 0.0);
  std::vector<double> alchemical(type_count_, 0.0);
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    counts[static_cast<std::size_t>(particles.position[i].type)] += 1.0;
  }
  comm::ReductionBatch(context_, "types").sum(counts.data(), counts.size()).run();
  counts_of_kinds_ = counts;
  if (!options_.tail_correction) return;
  for (const Atom& atom : atoms_) alchemical[static_cast<std::size_t>(atom.type)] += 1.0;
  tail_ = tail_of(options_.pairs, counts, alchemical);
  if (!options_.pairs_of_b.empty()) tail_of_b_ = tail_of(options_.pairs_of_b, counts, alchemical);
}

AlchemyForces::Tail AlchemyForces::tail_of(const std::vector<Pair>& all,
                                           std::span<const double> counts,
                                           std::span<const double> alchemical) const {
  Tail tail;
  for (std::size_t a = 0; a < type_count_; ++a) {
    for (std::size_t b = 0; b < type_count_; ++b) {
      // The types of alchemical molecules are theirs alone.
      if (alchemical[a] == 0.0 && alchemical[b] == 0.0) continue;
      const Pair& pair = all[a * type_count_ + b];
      const double pairs = 2.0 * std::numbers::pi * counts[a] * counts[b];
      tail.energy += pairs * pair.tail_energy;
      tail.virial += pairs * pair.tail_virial;
      if (a == b) tail.near += 0.5 * counts[a] * pair.near_tail;
    }
  }
  return tail;
}

void AlchemyForces::start(const ParticleStore& particles) {
  std::ranges::fill(coordinates_, 0.0);
  for (std::size_t k = 0; k < slot_of_own_.size(); ++k) {
    const Vec3 at = particles.position[place_of_own_[k]].vector();
    for (int axis = 0; axis < 3; ++axis) {
      coordinates_[3 * slot_of_own_[k] + static_cast<std::size_t>(axis)] = at[axis];
    }
  }
  of_positions_.start();
}

void AlchemyForces::take_positions() {
  of_positions_.finish();
  for (Molecule& molecule : molecules_) {
    molecule.radius = 0.0;
    for (std::size_t a = molecule.first; a < molecule.first + molecule.count; ++a) {
      const Vec3 at{coordinates_[3 * a], coordinates_[3 * a + 1], coordinates_[3 * a + 2]};
      const Vec3& first = positions_[molecule.first];
      positions_[a] = a == molecule.first ? at : first + box_.nearest_image(at - first);
      const Vec3 arm = positions_[a] - first;
      molecule.radius = std::max(molecule.radius, std::sqrt(dot(arm, arm)));
    }
  }
}

AlchemyForces::Value AlchemyForces::softened(const Pair& pair, const SoftCore& core,
                                             double r_squared, double lambda) const {
  if (lambda == 1.0) return {0.0, 0.0};
  const SoftCore::Distance s = core.at(r_squared, pair.sigma6, lambda);
  if (s.softened >= pair.cutoff) return {0.0, 0.0};
  const Value value = pair.curve(s.softened);
  const double on = 1.0 - lambda;
  return {on * value.energy, on * value.force_over_r * s.softened * s.by_square};
}

double AlchemyForces::softened_slope(const Pair& pair, const SoftCore& core, double r_squared,
                                     double lambda) const {
  const SoftCore::Distance s = core.at(r_squared, pair.sigma6, lambda);
  if (s.softened >= pair.cutoff) return 0.0;
  const Value value = pair.curve(s.softened);
  return -value.energy - (1.0 - lambda) * value.force_over_r * s.softened * s.by_lambda;
}

AlchemyForces::Value AlchemyForces::between(std::int64_t a, std::int64_t b, double r_squared,
                                            double lambda) const {
  const Pair& from = pair_of(a, b);
  const Pair* const to = pair_of_b(a, b);
  // Two potentials need no soft core, since each keeps the atoms apart.
  const SoftCore& core = from.curve && to != nullptr ? hard_core : options_.soft_core;
  Value sum{0.0, 0.0};
  if (from.curve) sum = softened(from, core, r_squared, lambda);
  if (to != nullptr) {
    const Value value = softened(*to, core, r_squared, 1.0 - lambda);
    sum = {sum.energy + value.energy, sum.force_over_r + value.force_over_r};
  }
  return sum;
}

double AlchemyForces::slope_between(std::int64_t a, std::int64_t b, double r_squared,
                                    double lambda) const {
  const Pair& from = pair_of(a, b);
  const Pair* const to = pair_of_b(a, b);
  const SoftCore& core = from.curve && to != nullptr ? hard_core : options_.soft_core;
  double slope = 0.0;
  if (from.curve) slope += softened_slope(from, core, r_squared, lambda);
  if (to != nullptr) slope -= softened_slope(*to, core, r_squared, 1.0 - lambda);
  return slope;
}

template <class Visit>
void AlchemyForces::for_each_surrounding(const ParticleStore& particles,
                                         std::span<const std::uint32_t> which, double range,
                                         Visit&& visit) const {
  for (const Molecule& molecule : molecules_) {
    const Vec3& center = positions_[molecule.first];
    const double reach = molecule.radius + range;
    for (const std::uint32_t i : which) {
      const Vec3 at = particles.position[i].vector();
      const Vec3 away = box_.nearest_image(at - center);
      if (dot(away, away) >= reach * reach) continue;
      for (std::size_t a = molecule.first; a < molecule.first + molecule.count; ++a) {
        const Vec3 connection = box_.nearest_image(at - positions_[a]);
        if (dot(connection, connection) < range * range) visit(a, i, connection);
      }
    }
  }
}

template <class Visit>
void AlchemyForces::for_each_outer(Visit&& visit) const {
  for (std::size_t m = 0; m < molecules_.size(); ++m) {
    const Molecule& molecule = molecules_[m];
    for (std::size_t a = molecule.first; a < molecule.first + molecule.count; ++a) {
      if (is_own_[a] == 0) continue;
      for (std::size_t b = molecule.first + molecule.count; b < atoms_.size(); ++b) {
        visit(a, b, box_.nearest_image(positions_[b] - positions_[a]));
      }
    }
  }
}

template <class Visit>
void AlchemyForces::for_each_inner(Visit&& visit) const {
  for (const Molecule& molecule : molecules_) {
    for (const Inner& inner : inner_[molecule.kind]) {
      const std::size_t a = molecule.first + inner.first, b = molecule.first + inner.second;
      if (is_own_[a] != 0) visit(a, b, inner, box_.nearest_image(positions_[b] - positions_[a]));
    }
  }
}

void AlchemyForces::finish(ParticleStore& particles, EnergyAndVirial* sums) {
  take_positions();
  std::ranges::fill(forces_, 0.0);
  EnergyAndVirial own;
  const auto push = [&](std::size_t a, const Vec3& force) {
    for (int axis = 0; axis < 3; ++axis) {
      forces_[3 * a + static_cast<std::size_t>(axis)] += force[axis];
    }
  };
  double of_pairs = 0.0, within = 0.0;
  for_each_surrounding(
      particles, surroundings_, range_, [&](std::size_t a, std::uint32_t i, const Vec3& d) {
        const std::int64_t type = particles.position[i].type;
        if (!act(atoms_[a].type, type)) return;
        const Value value = between(atoms_[a].type, type, dot(d, d), now().van_der_waals);
        const Vec3 force = value.force_over_r * d;
        particles.force[i] += force;
        push(a, -1.0 * force);
        of_pairs += value.energy;
        add_virial(own, d, force);
      });
  const auto add_own_pair = [&](std::size_t a, std::size_t b, const Vec3& d, const Value& value) {
    const Vec3 force = value.force_over_r * d;
    push(b, force);
    push(a, -1.0 * force);
    add_virial(own, d, force);
  };
  for_each_outer([&](std::size_t a, std::size_t b, const Vec3& d) {
    if (!act(atoms_[a].type, atoms_[b].type)) return;
    const Value value = between(atoms_[a].type, atoms_[b].type, dot(d, d), now().van_der_waals);
    of_pairs += value.energy;
    add_own_pair(a, b, d, value);
  });
  const double on = 1.0 - now().charges;
  const double lacking = 1.0 - on * on;
  for_each_inner([&](std::size_t a, std::size_t b, const Inner& inner, const Vec3& d) {
    const double r_squared = dot(d, d), r = std::sqrt(r_squared);
    const Pair& pair = pair_of(atoms_[a].type, atoms_[b].type);
    if (act(atoms_[a].type, atoms_[b].type) && !inner.is_excluded) {
      const bool is_kept = options_.keeps_molecules;
      const Value value =
          is_kept && r >= pair.cutoff ? Value{0.0, 0.0}
          : is_kept                   ? pair.curve(r)
                    : between(atoms_[a].type, atoms_[b].type, r_squared, now().van_der_waals);
      (is_kept ? within : of_pairs) += value.energy;
      add_own_pair(a, b, d, value);
    }
    // Excluded pairs with a share, such as 1-4 pairs, are kept in any case.
    const bool keeps_charges = options_.keeps_molecules || inner.is_excluded;
    const double product = atoms_[a].charge * atoms_[b].charge * inner.charge_share;
    if (!keeps_charges || product == 0.0 || lacking == 0.0) return;
    Value value{1.0 / r, 1.0 / (r * r_squared)};
    if (options_.cutoff_charges) {
      if (r >= options_.cutoff_charges->cutoff) return;
      value = options_.cutoff_charges->within_molecule(r);
    }
    const Value lacked{lacking * product * value.energy, lacking * product * value.force_over_r};
    within += lacked.energy;
    add_own_pair(a, b, d, lacked);
  });
  if (rigid_) {
    const double before = own.energy;
    add_rigid_forces(particles, own);
    of_pairs += own.energy - before;
    own.energy = before;
  }
  if (options_.interpolates_energies) {
    const double before = own.energy;
    add_own_charges(on * (1.0 - on), own);
    parts_[*charges_part_].energy = own.energy - before;
  }
  if (has_changes_) {
    const double before = own.energy;
    add_changed_forces(own);
    parts_[*changed_part_].energy = own.energy - before;
  }
  of_forces_.run();
  for (std::size_t k = 0; k < slot_of_own_.size(); ++k) {
    const double* force = forces_.data() + 3 * slot_of_own_[k];
    particles.force[place_of_own_[k]] += Vec3{force[0], force[1], force[2]};
  }
  if (sums != nullptr) {
    if (context_.rank() == 0) {
      const double lambda = now().van_der_waals;
      of_pairs += tail_at(lambda);
      const double virial =
          ((1.0 - lambda) * tail_.virial + lambda * tail_of_b_.virial) / box_.volume();
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
    if (!act(first, second)) return;
    for (std::size_t k = 0; k < sums.lambdas.size(); ++k) {
      sums.van_der_waals[k] += between(first, second, r_squared, sums.lambdas[k]).energy;
    }
    sums.by_van_der_waals += slope_between(first, second, r_squared, now().van_der_waals);
  };
  for_each_surrounding(particles, surroundings_, range_,
                       [&](std::size_t a, std::uint32_t i, const Vec3& d) {
                         add(atoms_[a].type, particles.position[i].type, dot(d, d));
                       });
  for_each_outer([&](std::size_t a, std::size_t b, const Vec3& d) {
    add(atoms_[a].type, atoms_[b].type, dot(d, d));
  });
  if (!options_.keeps_molecules) {
    for_each_inner([&](std::size_t a, std::size_t b, const Inner& inner, const Vec3& d) {
      if (!inner.is_excluded) add(atoms_[a].type, atoms_[b].type, dot(d, d));
    });
  }
  if (context_.rank() != 0) return;
  for (std::size_t k = 0; k < sums.lambdas.size(); ++k)
    sums.van_der_waals[k] += tail_at(sums.lambdas[k]);
  sums.by_van_der_waals += tail_of_b_.at(box_.volume()) - tail_.at(box_.volume());
}

std::vector<RigidSurroundings::Atom> AlchemyForces::atoms_among_rigid() const {
  std::vector<RigidSurroundings::Atom> atoms;
  for (std::size_t a = 0; a < atoms_.size(); ++a) {
    atoms.push_back({positions_[a], static_cast<std::size_t>(atoms_[a].type)});
  }
  return atoms;
}

void AlchemyForces::add_rigid_forces(ParticleStore& particles, EnergyAndVirial& sums) {
  const auto push = [&](std::size_t a, const Vec3& force) {
    for (int axis = 0; axis < 3; ++axis) {
      forces_[3 * a + static_cast<std::size_t>(axis)] += force[axis];
    }
  };
  rigid_->add_forces(atoms_among_rigid(), now().van_der_waals, now().charges, particles, push,
                     sums);
  if (context_.rank() != 0) return;
  const BodiesBeyond tail = rigid_->beyond(counts_of_kinds_);
  sums.energy += (1.0 - now().van_der_waals) * tail.energy;
  for (int axis = 0; axis < 3; ++axis) {
    sums.virial[axis] += (1.0 - now().van_der_waals) * tail.virial / 3.0;
  }
}

void AlchemyForces::add_rigid_energies(const ParticleStore& particles, Sums& sums) const {
  const RigidSurroundings::Energies found =
      rigid_->energies(atoms_among_rigid(), sums.lambdas, particles);
  const double tail = context_.rank() == 0 ? rigid_->beyond(counts_of_kinds_).energy : 0.0;
  for (std::size_t k = 0; k < sums.lambdas.size(); ++k) {
    sums.van_der_waals[k] += found.of_wells[k] + (1.0 - sums.lambdas[k]) * tail;
  }
  sums.by_van_der_waals += found.by_wells - tail;
  sums.at_a += found.of_charges;
}

std::vector<double> AlchemyForces::charges_of(bool b) const {
  std::vector<double> charges;
  for (const Atom& atom : atoms_) charges.push_back(b ? atom.charge_of_b : atom.charge);
  return charges;
}

std::vector<double> AlchemyForces::changes_of_charges() const {
  std::vector<double> changes;
  for (const Atom& atom : atoms_) changes.push_back(atom.charge_of_b - atom.charge);
  return changes;
}

void AlchemyForces::add_charges(const ParticleStore& particles, Sums& sums) const {
  const std::vector<double> at_a = charges_of(false), at_b = charges_of(true);
  const auto is_charged = [](const std::vector<double>& charges) {
    return std::ranges::any_of(charges, [](double charge) { return charge != 0.0; });
  };
  const bool has_a = is_charged(at_a), has_b = is_charged(at_b);
  if (!has_a && !has_b) return;
  if (!options_.cutoff_charges && !options_.solved_charges) return;
  if (options_.cutoff_charges) {
    const CutoffCharges& charges = *options_.cutoff_charges;
    for_each_surrounding(
        particles, others_, charges.cutoff, [&](std::size_t a, std::uint32_t i, const Vec3& d) {
          const double charge = options_.charge_factor * topology_.atom_of(particles.id[i]).charge;
          if (charge == 0.0 || (at_a[a] == 0.0 && at_b[a] == 0.0)) return;
          const double energy = charge * charges.value(std::sqrt(dot(d, d))).energy;
          sums.at_a += at_a[a] * energy;
          sums.at_b += at_b[a] * energy;
        });
  } else {
    const std::vector<double> potentials =
        options_.solved_charges->potentials_of_others(particles, place_of_own_);
    for (std::size_t k = 0; k < slot_of_own_.size(); ++k) {
      sums.at_a += at_a[slot_of_own_[k]] * potentials[k];
      sums.at_b += at_b[slot_of_own_[k]] * potentials[k];
    }
  }
  const double of_a = has_a ? energy_of_own(at_a) : 0.0;
  sums.at_a += of_a;
  if (has_b) sums.at_b += energy_of_own(at_b);
  if (!options_.interpolates_energies) {
    sums.of_change += has_b ? energy_of_own(changes_of_charges()) : of_a;
  }
}

double AlchemyForces::energy_of_own(std::span<const double> charges) const {
  double energy = 0.0;
  if (options_.solved_charges) {
    energy += with_images(charges).sums.energy;
    if (options_.keeps_molecules) return energy;
    for_each_inner([&](std::size_t a, std::size_t b, const Inner& inner, const Vec3& d) {
      if (!inner.is_excluded) energy += charges[a] * charges[b] / std::sqrt(dot(d, d));
    });
    return energy;
  }
  const CutoffCharges& ended = *options_.cutoff_charges;
  const auto add = [&](std::size_t a, std::size_t b, double r, auto&& value) {
    const double product = charges[a] * charges[b];
    if (product != 0.0 && r < ended.cutoff) energy += product * value(r);
  };
  for_each_outer([&](std::size_t a, std::size_t b, const Vec3& d) {
    add(a, b, std::sqrt(dot(d, d)), [&](double r) { return ended.value(r).energy; });
  });
  for_each_inner([&](std::size_t a, std::size_t b, const Inner& inner, const Vec3& d) {
    const bool is_whole = !options_.keeps_molecules && !inner.is_excluded;
    add(a, b, std::sqrt(dot(d, d)), [&](double r) {
      return ended.value(r).energy - (is_whole ? 0.0 : ended.within_molecule(r).energy);
    });
  });
  for (std::size_t a = 0; a < atoms_.size(); ++a) {
    if (is_own_[a] != 0) energy -= 0.5 * ended.shift * charges[a] * charges[a];
  }
  return energy;
}

AlchemyForces::SolvedCharges::WithImages AlchemyForces::with_images(
    std::span<const double> charges) const {
  std::vector<std::int32_t> molecules;
  for (const Atom& atom : atoms_) molecules.push_back(static_cast<std::int32_t>(atom.molecule));
  return options_.solved_charges->with_images(positions_, charges, molecules);
}

void AlchemyForces::add_own_charges(double factor, EnergyAndVirial& sums) {
  if (factor == 0.0) return;
  const std::vector<double> charges = changes_of_charges();
  if (std::ranges::none_of(charges, [](double charge) { return charge != 0.0; })) return;
  const auto add_force = [&](std::size_t a, const Vec3& force) {
    for (int axis = 0; axis < 3; ++axis) {
      forces_[3 * a + static_cast<std::size_t>(axis)] += factor * force[axis];
    }
  };
  const auto add_pair = [&](std::size_t a, std::size_t b, const Vec3& d, const Value& value) {
    const double product = charges[a] * charges[b];
    const Vec3 force = product * value.force_over_r * d;
    add_force(b, force);
    add_force(a, -1.0 * force);
    sums.energy += factor * product * value.energy;
    add_virial(sums, d, factor * force);
  };
  if (options_.solved_charges) {
    const SolvedCharges::WithImages images = with_images(charges);
    sums.energy += factor * images.sums.energy;
    for (int k = 0; k < 6; ++k) sums.virial[k] += factor * images.sums.virial[k];
    for (std::size_t a = 0; a < atoms_.size(); ++a) add_force(a, images.forces[a]);
    if (options_.keeps_molecules) return;
    for_each_inner([&](std::size_t a, std::size_t b, const Inner& inner, const Vec3& d) {
      if (inner.is_excluded) return;
      const double r_squared = dot(d, d), r = std::sqrt(r_squared);
      add_pair(a, b, d, {1.0 / r, 1.0 / (r * r_squared)});
    });
    return;
  }
  if (!options_.cutoff_charges) return;
  const CutoffCharges& ended = *options_.cutoff_charges;
  for_each_outer([&](std::size_t a, std::size_t b, const Vec3& d) {
    const double r = std::sqrt(dot(d, d));
    if (r < ended.cutoff) add_pair(a, b, d, ended.value(r));
  });
  for_each_inner([&](std::size_t a, std::size_t b, const Inner& inner, const Vec3& d) {
    const double r = std::sqrt(dot(d, d));
    if (r >= ended.cutoff) return;
    Value value = ended.value(r);
    if (options_.keeps_molecules || inner.is_excluded) {
      const Value within = ended.within_molecule(r);
      value = {value.energy - within.energy, value.force_over_r - within.force_over_r};
    }
    add_pair(a, b, d, value);
  });
  for (std::size_t a = 0; a < atoms_.size(); ++a) {
    if (is_own_[a] == 0) continue;
    sums.energy -= factor * 0.5 * ended.shift * charges[a] * charges[a];
  }
}

template <class Visit>
void AlchemyForces::for_each_own_molecule(Visit&& visit) const {
  for (const Molecule& molecule : molecules_) {
    if (is_own_[molecule.first] != 0) {
      visit(molecule, std::span(positions_).subspan(molecule.first, molecule.count));
    }
  }
}

void AlchemyForces::add_changed_forces(EnergyAndVirial& sums) {
  std::vector<Vec3> forces;
  for_each_own_molecule([&](const Molecule& molecule, std::span<const Vec3> positions) {
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
      add_virial(sums, d, force);
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
  for_each_own_molecule([&](const Molecule& molecule, std::span<const Vec3> positions) {
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
  add_charges(particles, sums);
  if (rigid_) add_rigid_energies(particles, sums);
  if (has_changes_) add_changed_energies(sums);
  comm::ReductionBatch(context_, "energies of states", comm::ReductionOrder::fixed)
      .sum(sums.van_der_waals.data(), sums.van_der_waals.size())
      .sum(sums.by_van_der_waals)
      .sum(sums.at_a)
      .sum(sums.at_b)
      .sum(sums.of_change)
      .sum(sums.bonded.data(), sums.bonded.size())
      .sum(sums.by_bonded)
      .sum(sums.by_pairs_of_charges)
      .run();
  // With charges between those of A and B the energy is below the straight line of energies.
  const double lambda = now().charges;
  const double slope = sums.at_b - sums.at_a + sums.by_pairs_of_charges;
  AlchemicalEnergies energies;
  energies.by_van_der_waals = sums.by_van_der_waals;
  energies.by_bonded = sums.by_bonded;
  energies.by_charges = slope - (1.0 - 2.0 * lambda) * sums.of_change;
  for (std::size_t k = 0; k < states.size(); ++k) {
    const double other = states[k].charges;
    const double of_charges = (other - lambda) * (slope - (1.0 - other - lambda) * sums.of_change);
    energies.differences.push_back(sums.van_der_waals[lambda_of_state[k]] - sums.van_der_waals[0] +
                                   sums.bonded[bonded_lambda_of_state[k]] - sums.bonded[0] +
                                   of_charges);
  }
  return energies;
}

void AlchemyForces::set_charges(Topology& topology) const {
  for (std::uint32_t kind = 0; kind < topology_.molecules().size(); ++kind) {
    if (options_.is_alchemical[kind] == 0) continue;
    const std::vector<Topology::Atom>& atoms = topology_.molecules()[kind].atoms;
    std::vector<double> charges;
    for (std::size_t k = 0; k < atoms.size(); ++k) {
      const double of_b = options_.charges_of_b[kind][k];
      charges.push_back((1.0 - now().charges) * atoms[k].charge + now().charges * of_b);
    }
    topology.set_charges(kind, charges);
  }
}

ForceTerm::Settings AlchemyForces::settings() const {
  Settings settings{{"molecules", static_cast<std::int64_t>(molecules_.size())},
                    {"atoms", static_cast<std::int64_t>(atoms_.size())}};
  const Settings of_states = settings_of_states();
  settings.insert(settings.end(), of_states.begin(), of_states.end());
  return settings;
}

}  // namespace sterna::md
