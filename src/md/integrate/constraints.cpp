// Idea:    a rank solves every group of constraints that one of its atoms is in, and keeps what
//          happens to its own atoms: as with bonded terms, a group across a border is solved on two
//          ranks or more, and no atom changes its rank for its group's sake. The velocities of
//          ghosts come by halo exchanges of their own. A minimization takes the forces along the
//          constraints and corrects its moves as those of a time step, with the same mass for all.
// Source:  positions: Ryckaert, Ciccotti and Berendsen, J. Comput. Phys. 23, 327 (1977); velocities:
//          Andersen, J. Comput. Phys. 52, 24 (1983).
// Cost:    two exchanges of the ghosts' velocities in each step. Sweeps over the constraints of a
//          group, ten or so; their number grows with the length of a chain.
// Hazards: a group must lie within the halo, which is widened for it: chains of constraints as long
//          as a protein make it as wide as that.
// Others:  rigid molecules (`[[component]]`), whose rotation is exact, where a whole molecule is
//          rigid; a matrix of all constraints of a chain (LINCS), which communicates.

#include "md/integrate/constraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "md/core/agreement.hpp"
#include "md/core/unstable_run.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

/// A group whose constraints do not contradict each other takes fewer, however long its chains are.
constexpr int most_sweeps = 2000;

/// In place of a local particle that this rank does not have.
constexpr std::uint32_t elsewhere = ~std::uint32_t{0};

double length(const Vec3& v) {
  return std::sqrt(dot(v, v));
}

}  // namespace

Constraints::Constraints(const comm::Context& context, std::shared_ptr<const MoleculePlaces> places,
                         std::vector<double> inverse_masses, double timestep, double tolerance,
                         GhostVectors ghost_vectors)
    : context_(context),
      places_(std::move(places)),
      weights_(std::move(inverse_masses)),
      timestep_(timestep),
      tolerance_(tolerance),
      ghost_vectors_(std::move(ghost_vectors)) {
  for (const Topology::Molecule& molecule : places_->topology().molecules()) {
    kinds_.push_back(kind_of(molecule));
  }
}

Constraints::Kind Constraints::kind_of(const Topology::Molecule& molecule) {
  std::vector<std::vector<std::int32_t>> joined(molecule.atoms.size());
  for (const Topology::Constraint& constraint : molecule.constraints) {
    const auto [a, b] = constraint.atoms;
    joined[static_cast<std::size_t>(a)].push_back(b);
    joined[static_cast<std::size_t>(b)].push_back(a);
  }
  Kind kind;
  kind.group_of.assign(molecule.atoms.size(), -1);
  std::vector<std::uint32_t> place_in_group(molecule.atoms.size());
  for (std::size_t start = 0; start < joined.size(); ++start) {
    if (joined[start].empty() || kind.group_of[start] >= 0) continue;
    const auto number = static_cast<std::int32_t>(kind.groups.size());
    KindGroup& group = kind.groups.emplace_back();
    const auto take = [&](std::int32_t atom, std::int32_t parent) {
      const auto a = static_cast<std::size_t>(atom);
      kind.group_of[a] = number;
      place_in_group[a] = static_cast<std::uint32_t>(group.atoms.size());
      group.atoms.push_back(atom);
      group.parent.push_back(parent);
    };
    take(static_cast<std::int32_t>(start), -1);
    for (std::size_t next = 0; next < group.atoms.size(); ++next) {
      for (const std::int32_t other : joined[static_cast<std::size_t>(group.atoms[next])]) {
        if (kind.group_of[static_cast<std::size_t>(other)] >= 0) continue;
        take(other, static_cast<std::int32_t>(next));
      }
    }
  }
  for (const Topology::Constraint& constraint : molecule.constraints) {
    const auto a = static_cast<std::size_t>(constraint.atoms[0]);
    const auto b = static_cast<std::size_t>(constraint.atoms[1]);
    kind.groups[static_cast<std::size_t>(kind.group_of[a])].constraints.push_back(
        {place_in_group[a], place_in_group[b], constraint.distance});
  }
  return kind;
}

double Constraints::reach(const Topology& topology) {
  double reach = 0.0;
  for (const Topology::Molecule& molecule : topology.molecules()) {
    for (const KindGroup& group : kind_of(molecule).groups) {
      // From the first atom to the farthest one along the tree, and back to any other.
      std::vector<double> from_first(group.atoms.size(), 0.0);
      for (std::size_t k = 1; k < group.atoms.size(); ++k) {
        const auto parent = static_cast<std::size_t>(group.parent[k]);
        const auto joins = [&](const KindGroup::Pair& pair) {
          return (pair.first == k && pair.second == parent) ||
                 (pair.first == parent && pair.second == k);
        };
        from_first[k] =
            from_first[parent] + std::ranges::find_if(group.constraints, joins)->distance;
      }
      std::ranges::sort(from_first, std::greater<>());
      if (from_first.size() > 1) reach = std::max(reach, from_first[0] + from_first[1]);
    }
  }
  return 1.1 * reach;
}

void Constraints::rebuild(const ParticleStore& particles) {
  groups_.clear();
  constraints_.clear();
  atoms_.clear();
  const Topology& topology = places_->topology();
  std::string missing;
  for (std::uint32_t i = 0; i < particles.local_count() && missing.empty(); ++i) {
    const Topology::Place place = topology.place_of(particles.id[i]);
    const Kind& kind = kinds_[place.molecule];
    const std::int32_t group = kind.group_of[static_cast<std::size_t>(place.atom)];
    if (group < 0) continue;
    add(particles, i, place, kind.groups[static_cast<std::size_t>(group)], missing);
  }
  agree(context_, missing);
}

void Constraints::add(const ParticleStore& particles, std::uint32_t particle,
                      const Topology::Place& place, const KindGroup& group, std::string& missing) {
  const auto first_atom = static_cast<std::uint32_t>(atoms_.size());
  const auto id = [&](std::size_t k) { return place.first_id + group.atoms[k]; };
  std::size_t own = group.atoms.size(), locals = 0;
  for (std::size_t k = 0; k < group.atoms.size(); ++k) {
    const auto local = places_->local(id(k));
    // The first of its local atoms brings it.
    if (locals == 0 && local && *local != particle) {
      atoms_.resize(first_atom);
      return;
    }
    if (own == group.atoms.size() && local) own = k;
    locals += local ? 1 : 0;
    atoms_.push_back({0, local.value_or(elsewhere), 0.0});
  }
  // From the first local atom back to the root, then from each atom to those that it leads to.
  std::vector<bool> known(group.atoms.size(), false);
  const auto follow = [&](std::size_t from, std::size_t to) {
    if (known[to]) return;
    known[to] = true;
    const Vec3 point = particles.position[atoms_[first_atom + from].place].vector();
    const auto found = places_->nearest(id(to), point);
    if (!found && missing.empty()) {
      missing = places_->missing(id(from), id(to), context_.rank());
    }
    atoms_[first_atom + to].place = found.value_or(atoms_[first_atom + from].place);
  };
  atoms_[first_atom + own].place = particle;
  known[own] = true;
  for (std::size_t k = own; group.parent[k] >= 0;) {
    const auto parent = static_cast<std::size_t>(group.parent[k]);
    follow(k, parent);
    k = parent;
  }
  for (std::size_t k = 1; k < group.atoms.size(); ++k) {
    follow(static_cast<std::size_t>(group.parent[k]), k);
  }
  for (std::size_t k = 0; k < group.atoms.size(); ++k) {
    Atom& atom = atoms_[first_atom + k];
    if (atom.vector == elsewhere) atom.vector = atom.place;
    atom.weight = weights_[static_cast<std::size_t>(particles.position[atom.place].type)];
  }
  groups_.push_back({static_cast<std::uint32_t>(constraints_.size()),
                     static_cast<std::uint32_t>(group.constraints.size()),
                     static_cast<double>(locals) / static_cast<double>(group.atoms.size())});
  for (const KindGroup::Pair& pair : group.constraints) {
    constraints_.push_back(
        {first_atom + pair.first, first_atom + pair.second, pair.distance * pair.distance, Vec3{}});
  }
}

void Constraints::throw_where_not_converged() {
  std::int64_t failed = failure_.empty() ? 0 : 1;
  comm::ReductionBatch(context_, "constraints").sum(failed).run();
  if (failed == 0) return;
  throw UnstableRun(shared_failure(context_, std::exchange(failure_, {})));
}

void Constraints::note_failure(const Constraint& constraint, const ParticleStore& particles,
                               std::int64_t step) {
  if (!failure_.empty()) return;
  const Topology& topology = places_->topology();
  const std::int64_t first = particles.id[atoms_[constraint.first].place];
  const std::int64_t second = particles.id[atoms_[constraint.second].place];
  failure_ = fmt::format(
      "step {}: the constraint of {} and {} did not converge within {} sweeps. Either the time "
      "step "
      "is too long, or the start is far from the constraints (minimize first), or constraints "
      "contradict each other",
      step, topology.description(first), topology.description(second), most_sweeps);
}

void Constraints::update_connections(const ParticleStore& particles) {
  for (Constraint& constraint : constraints_) {
    constraint.connection = particles.position[atoms_[constraint.first].place].vector() -
                            particles.position[atoms_[constraint.second].place].vector();
  }
}

std::span<Vec3> Constraints::with_ghosts(const ParticleStore& particles,
                                         std::span<const Vec3> local,
                                         std::vector<Vec3>& vectors) const {
  vectors.resize(particles.total_count());
  std::copy(local.begin(), local.end(), vectors.begin());
  ghost_vectors_(vectors);
  return vectors;
}

void Constraints::push(const Constraint& constraint, double multiplier,
                       std::span<Vec3> vectors) const {
  const Atom &a = atoms_[constraint.first], &b = atoms_[constraint.second];
  vectors[a.vector] -= (a.weight * multiplier) * constraint.connection;
  vectors[b.vector] += (b.weight * multiplier) * constraint.connection;
}

double Constraints::multiplier(const Constraint& constraint, double along) const {
  const Vec3& r = constraint.connection;
  return along / (weight(constraint) * dot(r, r));
}

Vec3 Constraints::difference(const Constraint& constraint, std::span<const Vec3> vectors) const {
  return vectors[atoms_[constraint.first].vector] - vectors[atoms_[constraint.second].vector];
}

/// Sweeps over each group until `correct` finds all its constraints kept. Two frozen atoms stay as
/// they are.
template <class Correct>
void Constraints::solve(Correct&& correct, const ParticleStore& particles, std::int64_t step) {
  for (const Group& group : groups_) {
    const Constraint* open = nullptr;
    for (int sweep = 0; sweep < most_sweeps && (sweep == 0 || open != nullptr); ++sweep) {
      open = nullptr;
      for (const Constraint& constraint : of(group)) {
        if (weight(constraint) > 0.0 && !correct(constraint)) open = &constraint;
      }
    }
    if (open != nullptr) note_failure(*open, particles, step);
  }
}

void Constraints::shake(std::span<Vec3> velocity, double timestep, const ParticleStore& particles,
                        std::int64_t step) {
  const auto correct = [&](const Constraint& constraint) {
    const Vec3 next = constraint.connection + timestep * difference(constraint, velocity);
    const double excess = dot(next, next) - constraint.squared_distance;
    if (std::abs(excess) <= 2.0 * tolerance_ * constraint.squared_distance) return true;
    // Where a step turns a connection by 90 degrees or more, nothing along it helps.
    const double along =
        std::max(dot(next, constraint.connection), 1e-3 * constraint.squared_distance);
    push(constraint, excess / (2.0 * timestep * weight(constraint) * along), velocity);
    return false;
  };
  solve(correct, particles, step);
}

Constraints::Violation Constraints::project_positions(ParticleStore& particles, std::int64_t step) {
  Violation violation;
  update_connections(particles);
  for (const Constraint& constraint : constraints_) {
    const double distance = std::sqrt(constraint.squared_distance);
    violation.longest = std::max(violation.longest, distance);
    violation.distance =
        std::max(violation.distance, std::abs(length(constraint.connection) - distance) / distance);
  }
  comm::ReductionBatch(context_, "constraints")
      .max(violation.distance)
      .max(violation.longest)
      .run();
  if (violation.distance <= tolerance_) return violation;
  violation.moved_positions = true;
  const std::vector<Vec3> nowhere(particles.local_count());
  const std::span<Vec3> shift = with_ghosts(particles, nowhere, velocity_);
  shake(shift, 1.0, particles, step);
  throw_where_not_converged();
  for (const Atom& atom : atoms_) {
    if (atom.vector >= particles.local_count()) continue;
    Position& position = particles.position[atom.vector];
    const Vec3& by = shift[atom.vector];
    position.x += by.x;
    position.y += by.y;
    position.z += by.z;
    violation.shift = std::max(violation.shift, length(by));
  }
  comm::ReductionBatch(context_, "constraints").max(violation.shift).run();
  return violation;
}

void Constraints::begin_step(const ParticleStore& particles) {
  update_connections(particles);
}

Constraints::Motion Constraints::constrain_positions(ParticleStore& particles, double timestep,
                                                     std::int64_t step) {
  const std::span<Vec3> velocity =
      with_ghosts(particles, {particles.velocity.data(), particles.local_count()}, velocity_);
  shake(velocity, timestep, particles, step);
  Motion motion;
  for (const Atom& atom : atoms_) {
    if (atom.vector >= particles.local_count()) continue;
    const Vec3& corrected = velocity[atom.vector];
    const Vec3 change = corrected - particles.velocity[atom.vector];
    Position& position = particles.position[atom.vector];
    position.x += timestep * change.x;
    position.y += timestep * change.y;
    position.z += timestep * change.z;
    particles.velocity[atom.vector] = corrected;
    motion.path = std::max(motion.path, timestep * length(corrected));
    motion.gain = std::max(motion.gain, 2.0 * timestep * length(change));
  }
  return motion;
}

double Constraints::constrain_velocities(ParticleStore& particles, std::int64_t step) {
  update_connections(particles);
  const std::span<Vec3> velocity =
      with_ghosts(particles, {particles.velocity.data(), particles.local_count()}, velocity_);
  double largest = 0.0;
  for (const Constraint& constraint : constraints_) {
    const double along = dot(difference(constraint, velocity), constraint.connection);
    largest = std::max(largest, std::abs(along) / std::sqrt(constraint.squared_distance));
  }
  const auto correct = [&](const Constraint& constraint) {
    const double along = dot(difference(constraint, velocity), constraint.connection);
    // What it would change the distance by in a step.
    if (std::abs(along) * timestep_ <= tolerance_ * constraint.squared_distance) return true;
    push(constraint, multiplier(constraint, along), velocity);
    return false;
  };
  solve(correct, particles, step);
  for (const Atom& atom : atoms_) {
    if (atom.vector < particles.local_count()) {
      particles.velocity[atom.vector] = velocity[atom.vector];
    }
  }
  return largest;
}

std::span<Vec3> Constraints::constrain_accelerations(const ParticleStore& particles,
                                                     std::span<const Vec3> velocity,
                                                     std::int64_t step) {
  update_connections(particles);
  const std::span<Vec3> acceleration =
      with_ghosts(particles, {particles.force.data(), particles.local_count()}, force_);
  for (const Atom& atom : atoms_) acceleration[atom.vector] *= atom.weight;
  multipliers_.assign(constraints_.size(), 0.0);
  const auto multiplier_of = [this](const Constraint& constraint) -> double& {
    return multipliers_[static_cast<std::size_t>(&constraint - constraints_.data())];
  };
  const auto correct = [&](const Constraint& constraint) {
    // The second derivative of the squared distance is 0.
    const Vec3 turning = velocity.empty() ? Vec3{} : difference(constraint, velocity);
    const double along =
        dot(difference(constraint, acceleration), constraint.connection) + dot(turning, turning);
    if (std::abs(along) * timestep_ * timestep_ <= tolerance_ * constraint.squared_distance) {
      return true;
    }
    const double change = multiplier(constraint, along);
    push(constraint, change, acceleration);
    multiplier_of(constraint) -= change;
    return false;
  };
  solve(correct, particles, step);
  return acceleration;
}

EnergyAndVirial Constraints::virial_of_multipliers() const {
  EnergyAndVirial sums;
  for (const Group& group : groups_) {
    for (std::uint32_t k = 0; k < group.constraint_count; ++k) {
      const Constraint& constraint = constraints_[group.first_constraint + k];
      const double part = group.share * multipliers_[group.first_constraint + k];
      const Vec3& r = constraint.connection;
      sums.virial[0] += part * r.x * r.x;
      sums.virial[1] += part * r.y * r.y;
      sums.virial[2] += part * r.z * r.z;
      sums.virial[3] += part * r.x * r.y;
      sums.virial[4] += part * r.x * r.z;
      sums.virial[5] += part * r.y * r.z;
    }
  }
  return sums;
}

EnergyAndVirial Constraints::virial(const ParticleStore& particles, std::int64_t step) {
  const std::span<const Vec3> velocity =
      with_ghosts(particles, {particles.velocity.data(), particles.local_count()}, velocity_);
  constrain_accelerations(particles, velocity, step);
  throw_where_not_converged();
  return virial_of_multipliers();
}

EnergyAndVirial Constraints::constrain_forces(ParticleStore& particles, std::int64_t step) {
  const std::span<const Vec3> acceleration = constrain_accelerations(particles, {}, step);
  for (const Atom& atom : atoms_) {
    if (atom.vector < particles.local_count() && atom.weight > 0.0) {
      particles.force[atom.vector] = (1.0 / atom.weight) * acceleration[atom.vector];
    }
  }
  throw_where_not_converged();
  return virial_of_multipliers();
}

}  // namespace sterna::md
