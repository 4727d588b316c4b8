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

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "md/forces/alchemy/dhdl_head.hpp"

namespace sterna::md {
namespace {

constexpr double alchemy_state_format = 1.0;

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
    : context_(context),
      box_(box),
      topology_(std::move(whole)),
      options_(std::move(options)),
      type_count_(square_root_of(options_.pairs.size())),
      now_(options_.states[options_.state]),
      of_positions_(context, "alchemical atoms"),
      of_forces_(context, "forces on alchemical atoms", comm::ReductionOrder::fixed),
      parts_{{"van_der_waals", 0.0}, {"within_molecules", 0.0}} {
  if (options_.interpolates_energies) parts_.push_back({"charges", 0.0});
  for (Pair& pair : options_.pairs) {
    if (!pair.curve) continue;
    range_ = std::max(range_, pair.cutoff);
    pair.sigma6 = std::pow(std::max(pair.size, options_.soft_core.least_sigma), 6);
  }
  list_atoms();
  coordinates_.assign(3 * atoms_.size(), 0.0);
  forces_.assign(3 * atoms_.size(), 0.0);
  positions_.assign(atoms_.size(), Vec3{});
  of_positions_.sum(coordinates_.data(), coordinates_.size());
  of_forces_.sum(forces_.data(), forces_.size());
  if (options_.interval > 0) texts_.push_back({".dhdl.xvg", head()});
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
          const Topology::Atom& atom = of.atoms[static_cast<std::size_t>(k)];
          atoms_.push_back({next_id + n * size + k, atom.type, options_.charge_factor * atom.charge,
                            molecules_.size() - 1});
        }
      }
    }
    next_id += run.count * size;
  }
  for (const Atom& atom : atoms_) {
    for (std::size_t type = 0; type < type_count_; ++type) {
      if (pair_of(atom.type, static_cast<std::int64_t>(type)).curve) acts_on_[type] = 1;
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
  particles_ = &particles;
  if (!types_are_counted_) count_types(particles);
  slot_of_own_.clear();
  place_of_own_.clear();
  surroundings_.clear();
  others_.clear();
  is_own_.assign(atoms_.size(), 0);
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
    if (acts_on_[type] != 0) surroundings_.push_back(i);
    if (options_.cutoff_charges && topology_.atom_of(particles.id[i]).charge != 0.0) {
      others_.push_back(i);
    }
  }
}

/// Collective. The tail of alchemical atoms follows from the numbers of all types.
void AlchemyForces::count_types(const ParticleStore& particles) {
  types_are_counted_ = true;
  std::vector<double> counts(type_count_, 0.0), alchemical(type_count_, 0.0);
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    counts[static_cast<std::size_t>(particles.position[i].type)] += 1.0;
  }
  comm::ReductionBatch(context_, "types").sum(counts.data(), counts.size()).run();
  if (!options_.tail_correction) return;
  for (const Atom& atom : atoms_) alchemical[static_cast<std::size_t>(atom.type)] += 1.0;
  for (std::size_t a = 0; a < type_count_; ++a) {
    for (std::size_t b = 0; b < type_count_; ++b) {
      // The types of alchemical molecules are theirs alone.
      if (alchemical[a] == 0.0 && alchemical[b] == 0.0) continue;
      const Pair& pair = pair_of(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
      const double pairs = 2.0 * std::numbers::pi * counts[a] * counts[b];
      tail_energy_ += pairs * pair.tail_energy;
      tail_virial_ += pairs * pair.tail_virial;
      if (a == b) near_tail_ += 0.5 * counts[a] * pair.near_tail;
    }
  }
}

void AlchemyForces::begin_step(const StepContext& now) {
  time_ = now.time;
  is_new_ = now.step != step_;
  step_ = now.step;
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

AlchemyForces::Value AlchemyForces::softened(const Pair& pair, double r_squared,
                                             double lambda) const {
  if (lambda == 1.0) return {0.0, 0.0};
  const SoftCore::Distance s = options_.soft_core.at(r_squared, pair.sigma6, lambda);
  if (s.softened >= pair.cutoff) return {0.0, 0.0};
  const Value value = pair.curve(s.softened);
  const double on = 1.0 - lambda;
  return {on * value.energy, on * value.force_over_r * s.softened * s.by_square};
}

double AlchemyForces::softened_slope(const Pair& pair, double r_squared, double lambda) const {
  const SoftCore::Distance s = options_.soft_core.at(r_squared, pair.sigma6, lambda);
  if (s.softened >= pair.cutoff) return 0.0;
  const Value value = pair.curve(s.softened);
  return -value.energy - (1.0 - lambda) * value.force_over_r * s.softened * s.by_lambda;
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
  for_each_surrounding(particles, surroundings_, range_,
                       [&](std::size_t a, std::uint32_t i, const Vec3& d) {
                         const Pair& pair = pair_of(atoms_[a].type, particles.position[i].type);
                         if (!pair.curve) return;
                         const Value value = softened(pair, dot(d, d), now_.van_der_waals);
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
    const Pair& pair = pair_of(atoms_[a].type, atoms_[b].type);
    if (!pair.curve) return;
    const Value value = softened(pair, dot(d, d), now_.van_der_waals);
    of_pairs += value.energy;
    add_own_pair(a, b, d, value);
  });
  const double on = 1.0 - now_.charges;
  const double lacking = 1.0 - on * on;
  for_each_inner([&](std::size_t a, std::size_t b, const Inner& inner, const Vec3& d) {
    const double r_squared = dot(d, d), r = std::sqrt(r_squared);
    const Pair& pair = pair_of(atoms_[a].type, atoms_[b].type);
    if (pair.curve && !inner.is_excluded) {
      const bool is_kept = options_.keeps_molecules;
      const Value value = is_kept && r >= pair.cutoff ? Value{0.0, 0.0}
                          : is_kept                   ? pair.curve(r)
                                    : softened(pair, r_squared, now_.van_der_waals);
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
  if (options_.interpolates_energies) {
    const double before = own.energy;
    add_own_charges(on * (1.0 - on), own);
    parts_[2].energy = own.energy - before;
  }
  of_forces_.run();
  for (std::size_t k = 0; k < slot_of_own_.size(); ++k) {
    const double* force = forces_.data() + 3 * slot_of_own_[k];
    particles.force[place_of_own_[k]] += Vec3{force[0], force[1], force[2]};
  }
  if (sums != nullptr) {
    if (context_.rank() == 0) {
      const double share = 1.0 - now_.van_der_waals;
      of_pairs += share * whole_tail();
      const double virial = share * tail_virial_ / box_.volume();
      for (int axis = 0; axis < 3; ++axis) own.virial[axis] += virial / 3.0;
    }
    own.energy += of_pairs + within;
    *sums += own;
    parts_[0].energy = of_pairs;
    parts_[1].energy = within;
  }
  if (is_new_ && options_.interval > 0 && step_ % options_.interval == 0) {
    write_row(energies(particles, options_.states));
  }
  is_new_ = false;
}

void AlchemyForces::add_van_der_waals(const ParticleStore& particles, Sums& sums) const {
  const auto add = [&](const Pair& pair, double r_squared) {
    if (!pair.curve) return;
    for (std::size_t k = 0; k < sums.lambdas.size(); ++k) {
      sums.van_der_waals[k] += softened(pair, r_squared, sums.lambdas[k]).energy;
    }
    sums.by_van_der_waals += softened_slope(pair, r_squared, now_.van_der_waals);
  };
  for_each_surrounding(particles, surroundings_, range_,
                       [&](std::size_t a, std::uint32_t i, const Vec3& d) {
                         add(pair_of(atoms_[a].type, particles.position[i].type), dot(d, d));
                       });
  for_each_outer([&](std::size_t a, std::size_t b, const Vec3& d) {
    add(pair_of(atoms_[a].type, atoms_[b].type), dot(d, d));
  });
  if (!options_.keeps_molecules) {
    for_each_inner([&](std::size_t a, std::size_t b, const Inner& inner, const Vec3& d) {
      if (!inner.is_excluded) add(pair_of(atoms_[a].type, atoms_[b].type), dot(d, d));
    });
  }
  if (context_.rank() != 0) return;
  const double tail = whole_tail();
  for (std::size_t k = 0; k < sums.lambdas.size(); ++k) {
    sums.van_der_waals[k] += (1.0 - sums.lambdas[k]) * tail;
  }
  sums.by_van_der_waals -= tail;
}

void AlchemyForces::add_charges(const ParticleStore& particles, Sums& sums) const {
  const bool has_charges =
      std::ranges::any_of(atoms_, [](const Atom& atom) { return atom.charge != 0.0; });
  if (!has_charges) return;
  if (options_.cutoff_charges) return add_cutoff_charges(particles, sums);
  if (!options_.solved_charges) return;
  const std::vector<double> potentials =
      options_.solved_charges->potentials_of_others(particles, place_of_own_);
  for (std::size_t k = 0; k < slot_of_own_.size(); ++k) {
    sums.linear += atoms_[slot_of_own_[k]].charge * potentials[k];
  }
  sums.square += charges_with_images().sums.energy;
  if (options_.keeps_molecules) return;
  for_each_inner([&](std::size_t a, std::size_t b, const Inner& inner, const Vec3& d) {
    if (inner.is_excluded) return;
    sums.square += atoms_[a].charge * atoms_[b].charge / std::sqrt(dot(d, d));
  });
}

AlchemyForces::SolvedCharges::WithImages AlchemyForces::charges_with_images() const {
  std::vector<double> charges;
  std::vector<std::int32_t> molecules;
  for (const Atom& atom : atoms_) {
    charges.push_back(atom.charge);
    molecules.push_back(static_cast<std::int32_t>(atom.molecule));
  }
  return options_.solved_charges->with_images(positions_, charges, molecules);
}

void AlchemyForces::add_own_charges(double factor, EnergyAndVirial& sums) {
  if (factor == 0.0) return;
  const auto add_force = [&](std::size_t a, const Vec3& force) {
    for (int axis = 0; axis < 3; ++axis) {
      forces_[3 * a + static_cast<std::size_t>(axis)] += factor * force[axis];
    }
  };
  const auto add_pair = [&](std::size_t a, std::size_t b, const Vec3& d, const Value& value) {
    const double product = atoms_[a].charge * atoms_[b].charge;
    const Vec3 force = product * value.force_over_r * d;
    add_force(b, force);
    add_force(a, -1.0 * force);
    sums.energy += factor * product * value.energy;
    add_virial(sums, d, factor * force);
  };
  if (options_.solved_charges) {
    const SolvedCharges::WithImages images = charges_with_images();
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
  const CutoffCharges& charges = *options_.cutoff_charges;
  for_each_outer([&](std::size_t a, std::size_t b, const Vec3& d) {
    const double r = std::sqrt(dot(d, d));
    if (r < charges.cutoff) add_pair(a, b, d, charges.value(r));
  });
  for_each_inner([&](std::size_t a, std::size_t b, const Inner& inner, const Vec3& d) {
    const double r = std::sqrt(dot(d, d));
    if (r >= charges.cutoff) return;
    Value value = charges.value(r);
    if (options_.keeps_molecules || inner.is_excluded) {
      const Value within = charges.within_molecule(r);
      value = {value.energy - within.energy, value.force_over_r - within.force_over_r};
    }
    add_pair(a, b, d, value);
  });
  for (std::size_t a = 0; a < atoms_.size(); ++a) {
    if (is_own_[a] == 0) continue;
    sums.energy -= factor * 0.5 * charges.shift * atoms_[a].charge * atoms_[a].charge;
  }
}

void AlchemyForces::add_cutoff_charges(const ParticleStore& particles, Sums& sums) const {
  const CutoffCharges& charges = *options_.cutoff_charges;
  for_each_surrounding(
      particles, others_, charges.cutoff, [&](std::size_t a, std::uint32_t i, const Vec3& d) {
        const double charge = options_.charge_factor * topology_.atom_of(particles.id[i]).charge;
        const double product = atoms_[a].charge * charge;
        if (product != 0.0) sums.linear += product * charges.value(std::sqrt(dot(d, d))).energy;
      });
  const auto add = [&](std::size_t a, std::size_t b, double r, auto&& energy) {
    const double product = atoms_[a].charge * atoms_[b].charge;
    if (product != 0.0 && r < charges.cutoff) sums.square += product * energy(r);
  };
  for_each_outer([&](std::size_t a, std::size_t b, const Vec3& d) {
    add(a, b, std::sqrt(dot(d, d)), [&](double r) { return charges.value(r).energy; });
  });
  for_each_inner([&](std::size_t a, std::size_t b, const Inner& inner, const Vec3& d) {
    const bool is_whole = !options_.keeps_molecules && !inner.is_excluded;
    add(a, b, std::sqrt(dot(d, d)), [&](double r) {
      return charges.value(r).energy - (is_whole ? 0.0 : charges.within_molecule(r).energy);
    });
  });
  for (std::size_t a = 0; a < atoms_.size(); ++a) {
    if (is_own_[a] != 0) sums.square -= 0.5 * charges.shift * atoms_[a].charge * atoms_[a].charge;
  }
}

AlchemicalEnergies AlchemyForces::energies(const ParticleStore& particles,
                                           std::span<const AlchemicalState> states) const {
  Sums sums;
  sums.lambdas = {now_.van_der_waals};
  std::vector<std::size_t> lambda_of_state;
  for (const AlchemicalState& state : states) {
    const auto known = std::ranges::find(sums.lambdas, state.van_der_waals);
    lambda_of_state.push_back(static_cast<std::size_t>(known - sums.lambdas.begin()));
    if (known == sums.lambdas.end()) sums.lambdas.push_back(state.van_der_waals);
  }
  sums.van_der_waals.assign(sums.lambdas.size(), 0.0);
  add_van_der_waals(particles, sums);
  add_charges(particles, sums);
  comm::ReductionBatch(context_, "energies of states", comm::ReductionOrder::fixed)
      .sum(sums.van_der_waals.data(), sums.van_der_waals.size())
      .sum(sums.by_van_der_waals)
      .sum(sums.linear)
      .sum(sums.square)
      .run();
  const double on = 1.0 - now_.charges;
  AlchemicalEnergies energies;
  energies.by_van_der_waals = sums.by_van_der_waals;
  const bool is_linear = options_.interpolates_energies;
  energies.by_charges = -(sums.linear + (is_linear ? 1.0 : 2.0 * on) * sums.square);
  for (std::size_t k = 0; k < states.size(); ++k) {
    const double other = 1.0 - states[k].charges;
    const double of_charges = sums.linear + (is_linear ? 1.0 : other + on) * sums.square;
    energies.differences.push_back(sums.van_der_waals[lambda_of_state[k]] - sums.van_der_waals[0] +
                                   (other - on) * of_charges);
  }
  return energies;
}

namespace {

AlchemicalState changed_by(AlchemicalState state, const StateParameters& values) {
  const auto take = [&](std::string_view name, double& value) {
    if (const auto found = values.find(name); found != values.end()) value = found->second;
  };
  take(alchemy_parameter::charges, state.charges);
  take(alchemy_parameter::van_der_waals, state.van_der_waals);
  return state;
}

}  // namespace

StateParameters AlchemyForces::state_parameters() const {
  return {{std::string(alchemy_parameter::charges), now_.charges},
          {std::string(alchemy_parameter::van_der_waals), now_.van_der_waals}};
}

void AlchemyForces::set_state_parameters(const StateParameters& values) {
  now_ = changed_by(now_, values);
}

std::vector<double> AlchemyForces::energies_with(std::span<const StateParameters> sets) {
  std::vector<AlchemicalState> states;
  for (const StateParameters& set : sets) states.push_back(changed_by(now_, set));
  derivatives_.clear();
  // States that differ in temperatures or biases alone cost nothing here.
  if (std::ranges::all_of(states, [&](const AlchemicalState& state) { return state == now_; })) {
    return std::vector<double>(states.size(), 0.0);
  }
  const AlchemicalEnergies found = energies(*particles_, states);
  derivatives_ = {{std::string(alchemy_parameter::charges), found.by_charges},
                  {std::string(alchemy_parameter::van_der_waals), found.by_van_der_waals}};
  return found.differences;
}

void AlchemyForces::set_charges(Topology& topology) const {
  const double on = 1.0 - now_.charges;
  for (std::uint32_t kind = 0; kind < topology_.molecules().size(); ++kind) {
    if (options_.is_alchemical[kind] == 0) continue;
    std::vector<double> charges;
    for (const Topology::Atom& atom : topology_.molecules()[kind].atoms) {
      charges.push_back(on * atom.charge);
    }
    topology.set_charges(kind, charges);
  }
}

void AlchemyForces::write_row(const AlchemicalEnergies& energies) {
  if (context_.rank() != 0) return;
  std::string& lines = texts_.front().lines;
  lines +=
      fmt::format("{:.12g} {:.12g} {:.12g}", time_, energies.by_charges, energies.by_van_der_waals);
  for (const double difference : energies.differences) lines += fmt::format(" {:.12g}", difference);
  lines += "\n";
}

std::string AlchemyForces::head() const {
  DhdlHead head{.comment = "# Written by Sterna in the form of GROMACS's dhdl.xvg\n",
                .temperature = options_.temperature,
                .thermal_energy = options_.thermal_energy,
                .parts = {"coul-lambda", "vdw-lambda"},
                .lambdas = {},
                .derivatives = 2};
  for (const AlchemicalState& state : options_.states) {
    head.lambdas.push_back({state.charges, state.van_der_waals});
  }
  return head.of_state(options_.state);
}

std::vector<double> AlchemyForces::state() const {
  std::vector<double> state{alchemy_state_format, static_cast<double>(step_)};
  if (options_.changes_state) state.insert(state.end(), {now_.van_der_waals, now_.charges});
  return state;
}

void AlchemyForces::restore(std::span<const double> state) {
  const std::size_t expected = options_.changes_state ? 4 : 2;
  if (state.size() < expected || state.size() > 4 || state[0] != alchemy_state_format) {
    throw std::invalid_argument("the state of [alchemy] is of another input");
  }
  step_ = static_cast<std::int64_t>(state[1]);
  // A run that is no replica has the state of its input.
  if (options_.changes_state) now_ = {.van_der_waals = state[2], .charges = state[3]};
}

ForceTerm::Settings AlchemyForces::settings() const {
  return {{"molecules", static_cast<std::int64_t>(molecules_.size())},
          {"atoms", static_cast<std::int64_t>(atoms_.size())},
          {"state", static_cast<std::int64_t>(options_.state)},
          {"states", static_cast<std::int64_t>(options_.states.size())},
          {"van_der_waals", now_.van_der_waals},
          {"charges", now_.charges}};
}

}  // namespace sterna::md
