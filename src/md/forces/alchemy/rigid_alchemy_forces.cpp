// Idea:    alchemical molecules are few. All ranks know where they are and how they are turned, so
//          each computes their pairs with its own particles without lists, ghosts or skins.
// Cost:    two reductions in each step, of seven and six numbers for each alchemical molecule; one
//          distance for each local particle and molecule, and the pairs within the cutoff.
// Hazards: a cutoff above half the box would need several images of a molecule; inputs with such a
//          box are refused. Multipoles have no soft core.
// Others:  AlchemyForces, for molecules of atoms.

#include "md/forces/alchemy/rigid_alchemy_forces.hpp"

#include <algorithm>
#include <utility>

#include "md/forces/alchemy/pair_virial.hpp"

namespace sterna::md {
namespace {

constexpr std::size_t numbers_of_place = 7, numbers_of_force = 6;

void add_virial(EnergyAndVirial& sums, const Vec3& d, const BodyPairSums& pair) {
  add_pair_virial(sums, d, pair.force);
  for (int axis = 0; axis < 3; ++axis) sums.virial[axis] += pair.reaction_field;
}

/// First sums, and a factor times second sums.
BodyPairSums plus(const BodyPairSums& first, double factor, const BodyPairSums& second) {
  return {first.energy + factor * second.energy,     first.by_lambda,
          first.force + factor * second.force,       first.torque_a + factor * second.torque_a,
          first.torque_b + factor * second.torque_b, factor * second.reaction_field};
}

/// The distinct lambdas of wells: that of the present state first, then those of other states.
struct DistinctLambdas {
  std::vector<double> lambdas;
  std::vector<std::size_t> place_of_state;
};

DistinctLambdas distinct_lambdas(double present, std::span<const AlchemicalState> states) {
  DistinctLambdas found{.lambdas = {present}, .place_of_state = {}};
  for (const AlchemicalState& state : states) {
    const auto known = std::ranges::find(found.lambdas, state.van_der_waals);
    found.place_of_state.push_back(static_cast<std::size_t>(known - found.lambdas.begin()));
    if (known == found.lambdas.end()) found.lambdas.push_back(state.van_der_waals);
  }
  return found;
}

}  // namespace

RigidAlchemyForces::RigidAlchemyForces(const comm::Context& context, const Box& box,
                                       Options options)
    : AlchemicalTerm(context, options.states),
      context_(context),
      box_(box),
      options_(std::move(options)),
      parts_{{"van_der_waals", 0.0}, {"charges", 0.0}} {
  const std::size_t kinds = options_.is_alchemical.size();
  acts_on_.assign(kinds, 0);
  for (std::size_t a = 0; a < kinds; ++a) {
    for (std::size_t b = 0; b < kinds; ++b) {
      if (options_.is_alchemical[a] != 0 && options_.pairs->act(a, b)) acts_on_[b] = 1;
    }
  }
  scale_charges();
}

void RigidAlchemyForces::scale_charges() const {
  if (options_.solved_charges) options_.solved_charges->scale(1.0 - now().charges);
}

void RigidAlchemyForces::restore(std::span<const double> state) {
  AlchemicalTerm::restore(state);
  scale_charges();
}

void RigidAlchemyForces::set_state_parameters(const StateParameters& values) {
  AlchemicalTerm::set_state_parameters(values);
  scale_charges();
}

/// Collective. Which particles are alchemical molecules follows from their kinds.
void RigidAlchemyForces::list_molecules(const ParticleStore& particles) {
  is_listed_ = true;
  counts_.assign(options_.is_alchemical.size(), 0.0);
  std::vector<double> own(static_cast<std::size_t>(context_.size()), 0.0);
  double& own_count = own[static_cast<std::size_t>(context_.rank())];
  const auto kind_of = [&](std::size_t i) {
    return static_cast<std::size_t>(particles.position[i].type);
  };
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    counts_[kind_of(i)] += 1.0;
    own_count += options_.is_alchemical[kind_of(i)] != 0 ? 1.0 : 0.0;
  }
  comm::ReductionBatch(context_, "alchemical molecules")
      .sum(counts_.data(), counts_.size())
      .sum(own.data(), own.size())
      .run();
  std::size_t before = 0, count = 0;
  for (std::size_t rank = 0; rank < own.size(); ++rank) {
    if (static_cast<int>(rank) == context_.rank()) before = count;
    count += static_cast<std::size_t>(own[rank]);
  }
  // Ids are whole numbers far below 2^53, so a sum of doubles has them exactly.
  std::vector<double> ids(count, 0.0), kinds(count, 0.0);
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    if (options_.is_alchemical[kind_of(i)] == 0) continue;
    ids[before] = static_cast<double>(particles.id[i]);
    kinds[before++] = static_cast<double>(kind_of(i));
  }
  comm::ReductionBatch(context_, "alchemical molecules")
      .sum(ids.data(), count)
      .sum(kinds.data(), count)
      .run();
  for (std::size_t m = 0; m < count; ++m) {
    molecules_.push_back({static_cast<std::int64_t>(ids[m]), static_cast<std::size_t>(kinds[m])});
  }
  std::ranges::sort(molecules_, {}, &Molecule::id);
  places_.assign(numbers_of_place * count, 0.0);
  forces_.assign(numbers_of_force * count, 0.0);
  of_places_.emplace(context_, "alchemical molecules");
  of_places_->sum(places_.data(), places_.size());
  of_forces_.emplace(context_, "forces on alchemical molecules", comm::ReductionOrder::fixed);
  of_forces_->sum(forces_.data(), forces_.size());
}

void RigidAlchemyForces::rebuild(const ParticleStore& particles) {
  remember(particles);
  if (!is_listed_) list_molecules(particles);
  slot_of_own_.clear();
  place_of_own_.clear();
  surroundings_.clear();
  is_own_.assign(molecules_.size(), 0);
  for (std::uint32_t i = 0; i < particles.local_count(); ++i) {
    const auto kind = static_cast<std::size_t>(particles.position[i].type);
    if (options_.is_alchemical[kind] != 0) {
      const auto found = std::ranges::lower_bound(molecules_, particles.id[i], {}, &Molecule::id);
      const auto slot = static_cast<std::uint32_t>(found - molecules_.begin());
      slot_of_own_.push_back(slot);
      place_of_own_.push_back(i);
      is_own_[slot] = 1;
    } else if (acts_on_[kind] != 0) {
      surroundings_.push_back(i);
    }
  }
}

void RigidAlchemyForces::start(const ParticleStore& particles) {
  std::ranges::fill(places_, 0.0);
  for (std::size_t k = 0; k < slot_of_own_.size(); ++k) {
    const std::uint32_t i = place_of_own_[k];
    const Position& at = particles.position[i];
    const Quaternion q = particles.rotating() ? particles.orientation[i] : Quaternion{};
    std::ranges::copy(
        std::initializer_list<double>{at.x, at.y, at.z, q.w, q.x, q.y, q.z},
        places_.begin() + static_cast<std::ptrdiff_t>(numbers_of_place * slot_of_own_[k]));
  }
  of_places_->start();
}

void RigidAlchemyForces::take_places() {
  of_places_->finish();
  for (std::size_t m = 0; m < molecules_.size(); ++m) {
    const double* place = places_.data() + numbers_of_place * m;
    Molecule& molecule = molecules_[m];
    molecule.center = {place[0], place[1], place[2]};
    molecule.orientation = {place[3], place[4], place[5], place[6]};
    molecule.sites = options_.pairs->turned(molecule.kind, molecule.orientation);
  }
}

template <class Visit>
void RigidAlchemyForces::for_each_surrounding(const ParticleStore& particles, Visit&& visit) const {
  const double range = options_.pairs->range();
  for (std::size_t m = 0; m < molecules_.size(); ++m) {
    const Molecule& molecule = molecules_[m];
    for (const std::uint32_t i : surroundings_) {
      const Position& at = particles.position[i];
      const Vec3 d = box_.nearest_image(molecule.center - at.vector());
      const auto kind = static_cast<std::size_t>(at.type);
      if (dot(d, d) >= range * range || !options_.pairs->act(molecule.kind, kind)) continue;
      const Quaternion q = particles.rotating() ? particles.orientation[i] : Quaternion{};
      visit(m, i, kind, d, options_.pairs->turned(kind, q));
    }
  }
}

template <class Visit>
void RigidAlchemyForces::for_each_pair(Visit&& visit) const {
  const double range = options_.pairs->range();
  for (std::size_t m = 0; m < molecules_.size(); ++m) {
    if (is_own_[m] == 0) continue;
    for (std::size_t n = m + 1; n < molecules_.size(); ++n) {
      const Vec3 d = box_.nearest_image(molecules_[m].center - molecules_[n].center);
      if (dot(d, d) >= range * range) continue;
      if (options_.pairs->act(molecules_[m].kind, molecules_[n].kind)) visit(m, n, d);
    }
  }
}

void RigidAlchemyForces::push(std::size_t molecule, const Vec3& force, const Vec3& torque) {
  double* const sums = forces_.data() + numbers_of_force * molecule;
  for (int axis = 0; axis < 3; ++axis) {
    sums[axis] += force[axis];
    sums[3 + axis] += torque[axis];
  }
}

std::vector<RigidAlchemyForces::SolvedCharges::Body> RigidAlchemyForces::bodies() const {
  std::vector<SolvedCharges::Body> bodies;
  for (const Molecule& molecule : molecules_) {
    bodies.push_back({molecule.kind, molecule.center, molecule.orientation});
  }
  return bodies;
}

double RigidAlchemyForces::add_lacking_images(EnergyAndVirial& sums) {
  const double factor = now().charges * (1.0 - now().charges);
  if (!options_.interpolates_energies || !options_.solved_charges || factor == 0.0) return 0.0;
  const SolvedCharges::WithImages images = options_.solved_charges->with_images(bodies());
  for (std::size_t m = 0; m < molecules_.size(); ++m) {
    push(m, factor * images.forces[m], factor * images.torques[m]);
  }
  for (int k = 0; k < 6; ++k) sums.virial[k] += factor * images.sums.virial[k];
  return factor * images.sums.energy;
}

void RigidAlchemyForces::finish(ParticleStore& particles, EnergyAndVirial* sums) {
  take_places();
  std::ranges::fill(forces_, 0.0);
  const double wells = now().van_der_waals, on = 1.0 - now().charges;
  EnergyAndVirial own;
  double of_wells = 0.0, of_charges = 0.0;
  // What the interaction of both is in the present state, with this factor of charges.
  const auto between = [&](const Molecule& a, std::size_t kind, const Vec3& d,
                           std::span<const Vec3> sites, double factor) {
    const BodyPairSums first =
        options_.pairs->van_der_waals(a.kind, kind, d, a.sites, sites, wells);
    of_wells += first.energy;
    if (factor == 0.0) return first;
    const BodyPairSums second = options_.pairs->electrostatic(a.kind, kind, d, a.sites, sites);
    of_charges += factor * second.energy;
    return plus(first, factor, second);
  };
  for_each_surrounding(particles, [&](std::size_t m, std::uint32_t i, std::size_t kind,
                                      const Vec3& d, std::span<const Vec3> sites) {
    const BodyPairSums pair = between(molecules_[m], kind, d, sites, on);
    particles.force[i] -= pair.force;
    if (particles.rotating()) particles.torque[i] += pair.torque_b;
    push(m, pair.force, pair.torque_a);
    add_virial(own, d, pair);
  });
  for_each_pair([&](std::size_t m, std::size_t n, const Vec3& d) {
    const Molecule& b = molecules_[n];
    const BodyPairSums pair =
        between(molecules_[m], b.kind, d, b.sites, share_of_own(now().charges));
    push(m, pair.force, pair.torque_a);
    push(n, -1.0 * pair.force, pair.torque_b);
    add_virial(own, d, pair);
  });
  of_charges += add_lacking_images(own);
  of_forces_->run();
  for (std::size_t k = 0; k < slot_of_own_.size(); ++k) {
    const double* force = forces_.data() + numbers_of_force * slot_of_own_[k];
    particles.force[place_of_own_[k]] += Vec3{force[0], force[1], force[2]};
    if (!particles.rotating()) continue;
    particles.torque[place_of_own_[k]] += Vec3{force[3], force[4], force[5]};
  }
  if (sums != nullptr) {
    if (context_.rank() == 0) {
      const BodiesBeyond tail = beyond();
      const double in_field = share_of_own(now().charges) * tail.in_own_field;
      of_wells += (1.0 - wells) * tail.energy;
      of_charges += in_field;
      for (int axis = 0; axis < 3; ++axis) {
        own.virial[axis] += (1.0 - wells) * tail.virial / 3.0 + in_field;
      }
    }
    own.energy = of_wells + of_charges;
    *sums += own;
    parts_[0].energy = of_wells;
    parts_[1].energy = of_charges;
  }
  write_if_due();
}

AlchemicalEnergies RigidAlchemyForces::energies(const ParticleStore& particles,
                                                std::span<const AlchemicalState> states) const {
  const DistinctLambdas wells = distinct_lambdas(now().van_der_waals, states);
  const std::vector<double>& lambdas = wells.lambdas;
  std::vector<double> of_wells(lambdas.size(), 0.0);
  double by_wells = 0.0, with_others = 0.0, of_own = 0.0;
  const auto add = [&](const Molecule& a, std::size_t kind, const Vec3& d,
                       std::span<const Vec3> sites, double& of_charges) {
    for (std::size_t k = 0; k < lambdas.size(); ++k) {
      const BodyPairSums pair =
          options_.pairs->van_der_waals(a.kind, kind, d, a.sites, sites, lambdas[k]);
      of_wells[k] += pair.energy;
      if (k == 0) by_wells += pair.by_lambda;
    }
    of_charges += options_.pairs->electrostatic(a.kind, kind, d, a.sites, sites).energy;
  };
  for_each_surrounding(particles, [&](std::size_t m, std::uint32_t, std::size_t kind, const Vec3& d,
                                      std::span<const Vec3> sites) {
    add(molecules_[m], kind, d, sites, with_others);
  });
  for_each_pair([&](std::size_t m, std::size_t n, const Vec3& d) {
    add(molecules_[m], molecules_[n].kind, d, molecules_[n].sites, of_own);
  });
  if (options_.solved_charges) {
    // The potentials of all charges are those of others and those of the molecules as they are.
    const double images = options_.solved_charges->with_images(bodies()).sums.energy;
    with_others += options_.solved_charges->in_potentials(particles, place_of_own_) -
                   2.0 * (1.0 - now().charges) * images;
    of_own += images;
  }
  if (context_.rank() == 0) {
    const BodiesBeyond tail = beyond();
    for (std::size_t k = 0; k < lambdas.size(); ++k) {
      of_wells[k] += (1.0 - lambdas[k]) * tail.energy;
    }
    by_wells -= tail.energy;
    of_own += tail.in_own_field;
  }
  comm::ReductionBatch(context_, "energies of states", comm::ReductionOrder::fixed)
      .sum(of_wells.data(), of_wells.size())
      .sum(by_wells)
      .sum(with_others)
      .sum(of_own)
      .run();
  const double lambda = now().charges;
  AlchemicalEnergies energies;
  energies.by_van_der_waals = by_wells;
  energies.by_charges =
      -with_others - (options_.interpolates_energies ? 1.0 : 2.0 * (1.0 - lambda)) * of_own;
  for (std::size_t k = 0; k < states.size(); ++k) {
    const double other = states[k].charges;
    energies.differences.push_back(of_wells[wells.place_of_state[k]] - of_wells[0] +
                                   (lambda - other) * with_others +
                                   (share_of_own(other) - share_of_own(lambda)) * of_own);
  }
  return energies;
}

ForceTerm::Settings RigidAlchemyForces::settings() const {
  Settings settings{{"molecules", static_cast<std::int64_t>(molecules_.size())}};
  const Settings of_states = settings_of_states();
  settings.insert(settings.end(), of_states.begin(), of_states.end());
  return settings;
}

}  // namespace sterna::md
