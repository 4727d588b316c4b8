// Idea:    a rank solves every group of constraints that contains one of its atoms, and keeps the
//          results for its own atoms. So, as with bonded terms, a group across a border is solved
//          on two or more ranks, and no atom migrates for its group's sake. Velocities of ghosts in
//          such groups, and of no other ghosts, come by exchanges of their own. Groups longer than
//          a halo are solved by all ranks together. Rigid groups move as rotors, without forces
//          along the constraints. A minimization projects forces onto the constraints and corrects
//          its moves like those of a time step, with equal masses.
// Source:  rotors: kernels/rotor_kernels.inl; SETTLE: kernels/settle_kernels.inl; other groups:
//          SHAKE, Ryckaert, Ciccotti and Berendsen, J. Comput. Phys. 23, 327 (1977), and RATTLE,
//          Andersen, J. Comput. Phys. 52, 24 (1983); long groups: Newton's method with the matrix
//          of constraint_matrix.cpp.
// Cost:    two exchanges of these velocities in each step, none on one rank. SHAKE needs ten sweeps
//          or so over the constraints of a group, and more for longer chains. Long groups take
//          about 20 more halo exchanges in each step.
// Hazards: a group that a rank solves must lie within the halo, which may be widened for it.
// Others:  rigid molecules (`[[component]]`), which migrate as one particle, if a whole molecule is
//          rigid.

#include "md/integrate/constraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include "md/core/agreement.hpp"
#include "md/core/unstable_run.hpp"
#include "md/simd/instruction_set.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

/// A group without contradicting constraints needs fewer sweeps, even with long chains.
constexpr int most_sweeps = 2000;

}  // namespace

Constraints::Constraints(const comm::Context& context, std::shared_ptr<const MoleculePlaces> places,
                         ConstraintGroups groups, std::vector<double> inverse_masses,
                         double timestep, double tolerance, SelectGhosts select_ghosts,
                         GhostVectors ghost_vectors)
    : context_(context),
      places_(std::move(places)),
      kinds_(std::move(groups)),
      weights_(std::move(inverse_masses)),
      timestep_(timestep),
      tolerance_(tolerance),
      select_ghosts_(std::move(select_ghosts)),
      ghost_vectors_(std::move(ghost_vectors)),
      matrix_(context, ghost_vectors_),
      kernels_(select_kernels(
          available_kernels<ConstraintKernels>(STERNA_KERNEL_FAMILY(constraint_kernels)), "auto")) {
}

std::int64_t Constraints::first_joined_to(std::int64_t id) const {
  const Topology::Place place = places_->topology().place_of(id);
  const ConstraintGroup* const group = kinds_.of(place);
  return group == nullptr ? id : place.first_id + group->atoms.front();
}

void Constraints::rebuild(const ParticleStore& particles) {
  groups_.clear();
  rotors_.clear();
  set_.constraints.clear();
  set_.atoms.clear();
  particles_.clear();
  ghosts_.clear();
  changing_.clear();
  const Topology& topology = places_->topology();
  std::string missing;
  for (const bool spanning : {false, true}) {
    if (spanning) {
      first_spanning_ = set_.constraints.size();
      first_spanning_atom_ = set_.atoms.size();
    }
    for (std::uint32_t i = 0; i < particles.local_count() && missing.empty(); ++i) {
      const Topology::Place place = topology.place_of(particles.id[i]);
      const ConstraintGroup* const group = kinds_.of(place);
      if (group == nullptr || group->spans_ranks != spanning) continue;
      if (!group->rotor) particles_.push_back(i);
      spanning ? add_spanning(particles, i, place, missing)
               : add(particles, i, place, *group, missing);
    }
  }
  // Vectors that have grown may hold up to twice the memory that they need.
  const auto give_back = [](auto& vector) {
    if (vector.capacity() > vector.size() + vector.size() / 4) vector.shrink_to_fit();
  };
  give_back(set_.constraints);
  give_back(set_.atoms);
  give_back(particles_);
  rotors_.complete();
  std::ranges::stable_sort(groups_, {}, [](const LocalGroup& group) {
    const std::optional<std::uint32_t> shape = group.group->shape;
    return std::tuple(group.part, group.group->settle ? 0 : shape ? 1 : 2, shape.value_or(0));
  });
  agree(context_, missing);
  select_ghosts_(ghosts_);
}

void Constraints::add(const ParticleStore& particles, std::uint32_t particle,
                      const Topology::Place& place, const ConstraintGroup& group,
                      std::string& missing) {
  std::vector<ConstraintSet::Atom>& atoms = set_.atoms;
  const auto first_atom = static_cast<std::uint32_t>(atoms.size());
  const auto id = [&](std::size_t k) { return place.first_id + group.atoms[k]; };
  std::size_t own = group.atoms.size(), locals = 0;
  for (std::size_t k = 0; k < group.atoms.size(); ++k) {
    const auto local = places_->local(id(k));
    // Only the group's first local atom adds the group.
    if (locals == 0 && local && *local != particle) {
      atoms.resize(first_atom);
      return;
    }
    if (own == group.atoms.size() && local) own = k;
    locals += local ? 1 : 0;
    atoms.push_back({0, local.value_or(MoleculePlaces::none), 0.0});
  }
  // First follow the parents from the first local atom to the root, then go from parents to
  // children.
  std::vector<bool> known(group.atoms.size(), false);
  const auto follow = [&](std::size_t from, std::size_t to) {
    if (known[to]) return;
    known[to] = true;
    const Vec3 point = particles.position[atoms[first_atom + from].place].vector();
    const auto found = places_->nearest(id(to), point);
    if (!found && missing.empty()) {
      missing = places_->missing(id(from), id(to), context_.rank());
    }
    atoms[first_atom + to].place = found.value_or(atoms[first_atom + from].place);
  };
  atoms[first_atom + own].place = particle;
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
    ConstraintSet::Atom& atom = atoms[first_atom + k];
    if (atom.vector == MoleculePlaces::none) {
      atom.vector = atom.place;
      ghosts_.push_back(atom.place);
    }
    atom.weight = weight_of(particles.position[atom.place]);
  }
  const GroupsPart part = locals == group.atoms.size() ? GroupsPart::inside : GroupsPart::border;
  if (group.rotor) {
    rotors_.add(group, part, std::span(atoms).subspan(first_atom));
    atoms.resize(first_atom);
    return;
  }
  const auto first = static_cast<std::uint32_t>(set_.constraints.size());
  const double share = static_cast<double>(locals) / static_cast<double>(group.atoms.size());
  groups_.push_back({&group, part, first, share});
  for (const PointDistance& pair : group.constraints) {
    const std::size_t k = set_.constraints.size() - first;
    if (!group.changes.empty()) {
      changing_.push_back({set_.constraints.size(), share * pair.distance * group.changes[k]});
    }
    set_.constraints.push_back(
        {first_atom + pair.first, first_atom + pair.second, pair.distance * pair.distance, Vec3{}});
  }
}

std::optional<Constraints::Coincidence> Constraints::find_coincidence(
    const ParticleStore& particles) const {
  constexpr double share = 0.01;
  const Topology& topology = places_->topology();
  std::optional<Coincidence> found;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const std::int64_t id = particles.id[i];
    if (found && found->first <= id) continue;
    const Topology::Place place = topology.place_of(id);
    for (const std::uint32_t number : topology.constraints_of(place)) {
      const Topology::Constraint& constraint =
          topology.molecules()[place.molecule].constraints[number];
      if (constraint.atoms[0] != place.atom) continue;
      const Vec3 here = particles.position[i].vector();
      const std::int64_t other = place.first_id + constraint.atoms[1];
      const auto there = places_->nearest(other, here);
      if (!there) continue;
      const Vec3 apart = particles.position[*there].vector() - here;
      const double distance = std::sqrt(dot(apart, apart));
      if (distance < share * constraint.distance) {
        found = {id, other, distance, constraint.distance};
      }
    }
  }
  return found;
}

void Constraints::throw_where_not_converged() {
  std::int64_t failed = failure_.empty() ? 0 : 1;
  comm::ReductionBatch(context_, "constraints").sum(failed).run();
  if (failed == 0) return;
  throw UnstableRun(shared_failure(context_, std::exchange(failure_, {})));
}

void Constraints::note_failure(const Constraint& constraint, std::string_view unfinished,
                               const ParticleStore& particles, std::int64_t step) {
  note_failure(set_.atoms[constraint.first].place, set_.atoms[constraint.second].place, unfinished,
               particles, step);
}

void Constraints::note_failure(std::uint32_t first_place, std::uint32_t second_place,
                               std::string_view unfinished, const ParticleStore& particles,
                               std::int64_t step) {
  if (!failure_.empty()) return;
  const Topology& topology = places_->topology();
  const std::int64_t first = particles.id[first_place], second = particles.id[second_place];
  failure_ = fmt::format(
      "step {}: the constraint of {} and {} did not converge within {}. Either the time step is "
      "too long, or the start is far from the constraints (minimize first), or constraints "
      "contradict each other",
      step, topology.description(first), topology.description(second), unfinished);
}

void Constraints::update_connections(const ParticleStore& particles) {
  rotors_.update_connections(particles);
  for (Constraint& constraint : set_.constraints) {
    constraint.connection = particles.position[set_.atoms[constraint.first].place].vector() -
                            particles.position[set_.atoms[constraint.second].place].vector();
  }
}

/// Sweeps over a group until `correct` returns true for all its constraints. Constraints between
/// two frozen atoms are skipped.
template <class Correct>
void Constraints::sweep(const LocalGroup& group, Correct&& correct, const ParticleStore& particles,
                        std::int64_t step) {
  const Constraint* open = nullptr;
  for (int sweep = 0; sweep < most_sweeps && (sweep == 0 || open != nullptr); ++sweep) {
    open = nullptr;
    for (const Constraint& constraint : of(group)) {
      if (set_.weight(constraint) > 0.0 && !correct(constraint)) open = &constraint;
    }
  }
  if (open == nullptr) return;
  note_failure(*open, fmt::format("{} sweeps", most_sweeps), particles, step);
}

void Constraints::correct(GroupsPart part, const GhostedVectors& velocity, double timestep,
                          const ParticleStore& particles, std::int64_t step) {
  const auto shake = [&](const Constraint& constraint) {
    const Vec3 next = constraint.connection + timestep * set_.difference(constraint, velocity);
    const double excess = dot(next, next) - constraint.squared_distance;
    if (std::abs(excess) <= 2.0 * tolerance_ * constraint.squared_distance) return true;
    // If a step turns a connection by nearly 90 degrees or more, forces along it cannot correct it;
    // the limit avoids a division by 0.
    const double along =
        std::max(dot(next, constraint.connection), 1e-3 * constraint.squared_distance);
    set_.push(constraint, excess / (2.0 * timestep * set_.weight(constraint) * along), velocity);
    return false;
  };
  const auto alone = [&](const LocalGroup& group) { sweep(group, shake, particles, step); };
  for_each_batch(
      part,
      [&](std::span<const LocalGroup> groups) {
        for (const LocalGroup* group : settle(groups, velocity, timestep)) alone(*group);
      },
      [&](std::span<const LocalGroup> groups) {
        solve_together(
            groups, velocity, [&] { kernels_.shake(work_, timestep, tolerance_, most_sweeps); },
            alone);
      },
      alone);
  if (solves_spanning(part)) correct_spanning(velocity, timestep, particles, step);
}

std::span<const Constraints::LocalGroup> Constraints::groups_of(GroupsPart part) const {
  const auto border = std::ranges::partition_point(
      groups_, [](const LocalGroup& group) { return group.part == GroupsPart::inside; });
  if (part == GroupsPart::inside) return {groups_.begin(), border};
  if (part == GroupsPart::border) return {border, groups_.end()};
  return groups_;
}

template <class Settle, class Together, class Alone>
void Constraints::for_each_batch(GroupsPart part, Settle&& settle, Together&& together,
                                 Alone&& alone) const {
  std::span<const LocalGroup> rest = groups_of(part);
  while (!rest.empty()) {
    const ConstraintGroup& first = *rest.front().group;
    const bool settles = first.settle.has_value();
    if (!settles && !first.shape) break;
    const auto belongs = [&](const ConstraintGroup& other) {
      return settles ? &other == &first : other.shape == first.shape;
    };
    const std::size_t most = settles ? triangles_together : groups_together;
    std::size_t count = 1;
    while (count < std::min(rest.size(), most) && belongs(*rest[count].group)) ++count;
    settles ? settle(rest.first(count)) : together(rest.first(count));
    rest = rest.subspan(count);
  }
  for (const LocalGroup& group : rest) alone(group);
}

template <class Solve, class Alone>
void Constraints::solve_together(std::span<const LocalGroup> groups, const GhostedVectors& vectors,
                                 Solve&& solve, Alone&& alone) {
  const ConstraintGroup& shape = *groups.front().group;
  const std::size_t atoms = shape.atoms.size();
  // The atoms of a group are contiguous.
  const auto first_atom = [&](const LocalGroup& group) {
    return set_.atoms.data() + of(group).front().first - shape.constraints.front().first;
  };
  work_.constraints = shape.constraints.size();
  for (std::size_t k = 0; k < work_.constraints; ++k) {
    work_.pairs[k] = {shape.constraints[k].first, shape.constraints[k].second};
  }
  for (std::size_t lane = 0; lane < groups_together; ++lane) {
    // The last group fills the remaining lanes.
    const LocalGroup& group = groups[std::min(lane, groups.size() - 1)];
    const std::span<const Constraint> constraints = of(group);
    for (std::size_t k = 0; k < constraints.size(); ++k) {
      work_.squared_distance[k][lane] = constraints[k].squared_distance;
      for (int axis = 0; axis < 3; ++axis) {
        work_.connection[k][axis][lane] = constraints[k].connection[axis];
      }
    }
    const ConstraintSet::Atom* const atom = first_atom(group);
    for (std::size_t k = 0; k < atoms; ++k) {
      work_.inverse_mass[k][lane] = atom[k].weight;
      for (int axis = 0; axis < 3; ++axis) {
        work_.velocity[k][axis][lane] = vectors[atom[k].vector][axis];
      }
    }
  }
  solve();
  for (std::size_t lane = 0; lane < groups.size(); ++lane) {
    if (work_.open[lane]) {
      alone(groups[lane]);
      continue;
    }
    const ConstraintSet::Atom* const atom = first_atom(groups[lane]);
    for (std::size_t k = 0; k < atoms; ++k) {
      for (int axis = 0; axis < 3; ++axis) {
        vectors[atom[k].vector][axis] = work_.velocity[k][axis][lane];
      }
    }
  }
}

std::vector<const Constraints::LocalGroup*> Constraints::settle(std::span<const LocalGroup> groups,
                                                                const GhostedVectors& velocity,
                                                                double timestep) const {
  SettleWork work;
  for (std::size_t lane = 0; lane < triangles_together; ++lane) {
    // The last group fills the remaining lanes.
    const auto legs = of(groups[std::min(lane, groups.size() - 1)]).first(2);
    Settle::Legs before, moved;
    for (std::size_t k = 0; k < 2; ++k) {
      before[k] = legs[k].connection;
      moved[k] = before[k] + timestep * set_.difference(legs[k], velocity);
    }
    Settle::put(before, moved, lane, work);
  }
  groups.front().group->settle->compute(work);
  std::vector<const LocalGroup*> unsolved;
  for (std::size_t lane = 0; lane < groups.size(); ++lane) {
    const auto shifts = Settle::shifts(work, lane);
    if (!shifts) {
      unsolved.push_back(&groups[lane]);
      continue;
    }
    const auto legs = of(groups[lane]).first(2);
    const std::uint32_t atoms[] = {legs[0].second, legs[0].first, legs[1].first};
    for (std::size_t k = 0; k < 3; ++k) {
      velocity[set_.atoms[atoms[k]].vector] += (1.0 / timestep) * (*shifts)[k];
    }
  }
  return unsolved;
}

template <class Along, class Push>
void Constraints::solve_triangle(const LocalGroup& group, Along&& along, Push&& push) const {
  const auto sides = of(group);
  const Constraint &p = sides[0], &q = sides[1], &r = sides[2];
  const double pp = set_.coupling(p, p), qq = set_.coupling(q, q), rr = set_.coupling(r, r);
  const double pq = set_.coupling(p, q), pr = set_.coupling(p, r), qr = set_.coupling(q, r);
  const double a = along(p), b = along(q), c = along(r);
  // The solution by Cramer's rule.
  const double m00 = qq * rr - qr * qr, m01 = pr * qr - pq * rr, m02 = pq * qr - pr * qq;
  const double m11 = pp * rr - pr * pr, m12 = pq * pr - pp * qr, m22 = pp * qq - pq * pq;
  const double inverse = 1.0 / (pp * m00 + pq * m01 + pr * m02);
  push(p, inverse * (m00 * a + m01 * b + m02 * c));
  push(q, inverse * (m01 * a + m11 * b + m12 * c));
  push(r, inverse * (m02 * a + m12 * b + m22 * c));
}

template <class Along, class Push, class Goal, class Triangles, class Together>
void Constraints::solve_linear(GroupsPart part, Along&& along, Push&& push, Goal&& goal_of,
                               double spanning_goal, Triangles&& triangles, Together&& together,
                               const ParticleStore& particles, std::int64_t step) {
  const auto alone = [&](const LocalGroup& group) {
    const double goal = goal_of(of(group));
    const auto rattle = [&](const Constraint& constraint) {
      const double rest = along(constraint);
      if (std::abs(rest) <= goal * constraint.squared_distance) return true;
      push(constraint, set_.multiplier(constraint, rest));
      return false;
    };
    sweep(group, rattle, particles, step);
  };
  for_each_batch(
      part, triangles, [&](std::span<const LocalGroup> groups) { together(groups, alone); }, alone);
  if (!solves_spanning(part)) return;
  const std::size_t count = spanning().size();
  along_.resize(count);
  solution_.resize(count);
  for (std::size_t k = 0; k < count; ++k) along_[k] = along(spanning()[k]);
  if (!matrix_.solve(set_, spanning(), along_, spanning_goal, particles.local_count(),
                     particles.total_count(), solution_)) {
    note_spanning_failure(fmt::format("{} iterations", ConstraintMatrix::most_iterations),
                          particles, step);
  }
  for (std::size_t k = 0; k < count; ++k) push(spanning()[k], solution_[k]);
}

Constraints::Violation Constraints::project_positions(ParticleStore& particles, std::int64_t step) {
  Violation violation;
  update_connections(particles);
  for (const Constraint& constraint : set_.constraints) {
    const double distance = std::sqrt(constraint.squared_distance);
    violation.longest = std::max(violation.longest, distance);
    violation.distance =
        std::max(violation.distance, std::abs(length(constraint.connection) - distance) / distance);
  }
  violation.longest = std::max(violation.longest, rotors_.longest_distance());
  violation.distance = std::max(violation.distance, rotors_.largest_deviation());
  comm::ReductionBatch(context_, "constraints")
      .max(violation.distance)
      .max(violation.longest)
      .run();
  if (violation.distance <= tolerance_) return violation;
  violation.moved_positions = true;
  if (const auto failed = rotors_.fit(particles, violation.shift)) {
    note_failure(failed->first, failed->second, "a fit", particles, step);
  }
  std::vector<Vec3> all(solves_others() ? particles.total_count() : 0);
  const GhostedVectors shift(all, std::min(all.size(), particles.local_count()));
  correct(GroupsPart::all, shift, 1.0, particles, step);
  throw_where_not_converged();
  for (const std::uint32_t i : particles_) {
    Position& position = particles.position[i];
    const Vec3& by = shift[i];
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
  ConstraintRotors::Motion motion;
  before_.clear();
  for (const std::uint32_t i : particles_) before_.push_back(particles.velocity[i]);
  solve_inside_then_border(particles, [&](GroupsPart part, const GhostedVectors& velocity) {
    rotors_.turn(part, timestep, particles, velocity, motion);
    correct(part, velocity, timestep, particles, step);
  });
  for (std::size_t k = 0; k < particles_.size(); ++k) {
    const Vec3& corrected = particles.velocity[particles_[k]];
    const Vec3 change = corrected - before_[k];
    Position& position = particles.position[particles_[k]];
    position.x += timestep * change.x;
    position.y += timestep * change.y;
    position.z += timestep * change.z;
    motion.fastest_squared = std::max(motion.fastest_squared, dot(corrected, corrected));
    motion.largest_change_squared = std::max(motion.largest_change_squared, dot(change, change));
  }
  return {timestep * std::sqrt(motion.fastest_squared),
          2.0 * timestep * std::sqrt(motion.largest_change_squared)};
}

double Constraints::constrain_start_velocities(ParticleStore& particles, std::int64_t step) {
  update_connections(particles);
  const ConstGhostedVectors velocity =
      with_ghosts(particles, velocities(std::as_const(particles)), ghost_velocity_);
  double along = rotors_.largest_velocity_along(velocity), fastest = 0.0, rounding = 0.0;
  for (const Constraint& constraint : set_.constraints) {
    const Vec3 difference = set_.difference(constraint, velocity);
    const double distance = std::sqrt(constraint.squared_distance);
    along = std::max(along, std::abs(dot(difference, constraint.connection)) / distance);
    fastest = std::max(fastest, length(difference) / distance);
    const double speeds = length(velocity[set_.atoms[constraint.first].vector]) +
                          length(velocity[set_.atoms[constraint.second].vector]);
    rounding = std::max(rounding, 1e-14 * speeds / distance);
  }
  comm::ReductionBatch(context_, "constraints").max(along).max(fastest).max(rounding).run();
  constrain_velocities(particles, step,
                       std::max(tolerance_ * std::min(fastest, 1.0 / timestep_), rounding));
  return along;
}

void Constraints::constrain_velocities(ParticleStore& particles, std::int64_t step, double goal) {
  update_connections(particles);
  const auto solved_exactly = [](const LocalGroup&) {};
  solve_inside_then_border(particles, [&](GroupsPart part, const GhostedVectors& velocity) {
    rotors_.project(part, velocity);
    solve_linear(
        part,
        [&](const Constraint& constraint) {
          return dot(set_.difference(constraint, velocity), constraint.connection);
        },
        [&](const Constraint& constraint, double multiplier) {
          set_.push(constraint, multiplier, velocity);
        },
        [&](std::span<const Constraint>) { return goal; }, goal,
        [&](std::span<const LocalGroup> groups) {
          solve_together(
              groups, velocity, [&] { kernels_.solve_triangles(work_); }, solved_exactly);
        },
        [&](std::span<const LocalGroup> groups, const auto& alone) {
          solve_together(
              groups, velocity, [&] { kernels_.rattle(work_, goal, most_sweeps); }, alone);
        },
        particles, step);
  });
}

EnergyAndVirial Constraints::constrain_accelerations(const ParticleStore& particles,
                                                     const ConstGhostedVectors* velocity,
                                                     std::span<Vec3> changed, std::int64_t step) {
  update_connections(particles);
  std::vector<Vec3> ghosts;
  const ConstGhostedVectors force = with_ghosts(
      particles, std::span<const Vec3>(particles.force.data(), particles.local_count()), ghosts);
  EnergyAndVirial sums =
      rotors_.constrain_accelerations(particles, weights_, velocity, force, changed);
  derivative_by_lengths_ = 0.0;
  if (!solves_others()) return sums;
  const auto of_particle = [&](std::size_t i) {
    return weight_of(particles.position[i]) * force[i];
  };
  // An atom is in one group only, so each group has its own accelerations; groups may hold few of
  // all particles.
  std::vector<Vec3> of_groups, of_all;
  of_groups.reserve(first_spanning_atom_);
  for (std::size_t a = 0; a < first_spanning_atom_; ++a) {
    of_groups.push_back(of_particle(set_.atoms[a].vector));
  }
  if (kinds_.span_ranks()) {
    for (std::size_t i = 0; i < force.size(); ++i) of_all.push_back(of_particle(i));
  }
  const auto acceleration = [&](std::size_t atom) -> Vec3& {
    return atom < first_spanning_atom_ ? of_groups[atom] : of_all[set_.atoms[atom].vector];
  };
  std::vector<double> multipliers(set_.constraints.size(), 0.0);
  const auto along = [&](const Constraint& constraint) {
    // The second derivative of the squared distance must be 0.
    const Vec3 turning = velocity == nullptr ? Vec3{} : set_.difference(constraint, *velocity);
    const Vec3 difference = acceleration(constraint.first) - acceleration(constraint.second);
    return dot(difference, constraint.connection) + dot(turning, turning);
  };
  const auto push = [&](const Constraint& constraint, double multiplier) {
    set_.push(constraint, multiplier, acceleration(constraint.first),
              acceleration(constraint.second));
    multipliers[static_cast<std::size_t>(&constraint - set_.constraints.data())] -= multiplier;
  };
  // The remainder is small relative to the accelerations of the group's atoms, even if these are
  // small. Rounding in long chains, whose multipliers add up, does not allow less than `least`.
  constexpr double least = 1e-11;
  const auto goal_of = [&](std::span<const Constraint> constraints) {
    double largest = 0.0;
    for (const Constraint& constraint : constraints) {
      const Vec3 &a = acceleration(constraint.first), &b = acceleration(constraint.second);
      const Vec3 turning = velocity == nullptr ? Vec3{} : set_.difference(constraint, *velocity);
      const double size =
          (length(a) + length(b)) * std::sqrt(constraint.squared_distance) + dot(turning, turning);
      largest = largest_of(largest, size / constraint.squared_distance);
    }
    return std::max(tolerance_, least) * largest;
  };
  double spanning_goal = 0.0;
  if (kinds_.span_ranks()) {
    spanning_goal = goal_of(spanning());
    comm::ReductionBatch(context_, "constraints").max(spanning_goal).run();
  }
  solve_linear(
      GroupsPart::all, along, push, goal_of, spanning_goal,
      [&](std::span<const LocalGroup> groups) {
        for (const LocalGroup& group : groups) solve_triangle(group, along, push);
      },
      [](std::span<const LocalGroup> groups, const auto& alone) {
        std::ranges::for_each(groups, alone);
      },
      particles, step);
  for (std::size_t a = 0; a < set_.atoms.size(); ++a) {
    const ConstraintSet::Atom& atom = set_.atoms[a];
    if (atom.vector < changed.size() && atom.weight > 0.0) {
      changed[atom.vector] = (1.0 / atom.weight) * acceleration(a);
    }
  }
  add_virial_of_others(multipliers, particles.local_count(), sums);
  for (const Changing& one : changing_) {
    derivative_by_lengths_ += one.by_multiplier * multipliers[one.constraint];
  }
  return sums;
}

void Constraints::add_virial_of_others(std::span<const double> multipliers, std::size_t local_count,
                                       EnergyAndVirial& sums) const {
  const auto add = [&](std::size_t k, double share) {
    const double part = share * multipliers[k];
    const Vec3& r = set_.constraints[k].connection;
    sums.virial[0] += part * r.x * r.x;
    sums.virial[1] += part * r.y * r.y;
    sums.virial[2] += part * r.z * r.z;
    sums.virial[3] += part * r.x * r.y;
    sums.virial[4] += part * r.x * r.z;
    sums.virial[5] += part * r.y * r.z;
  };
  for (const LocalGroup& group : groups_) {
    for (std::size_t k = 0; k < group.group->constraints.size(); ++k) {
      add(group.first_constraint + k, group.share);
    }
  }
  for (std::size_t k = first_spanning_; k < set_.constraints.size(); ++k) {
    add(k, set_.atoms[set_.constraints[k].first].vector < local_count ? 1.0 : 0.0);
  }
}

EnergyAndVirial Constraints::virial(const ParticleStore& particles, std::int64_t step) {
  const ConstGhostedVectors velocity =
      with_ghosts(particles, velocities(particles), ghost_velocity_);
  const EnergyAndVirial sums = constrain_accelerations(particles, &velocity, {}, step);
  throw_where_not_converged();
  return sums;
}

EnergyAndVirial Constraints::constrain_forces(ParticleStore& particles, std::int64_t step) {
  const EnergyAndVirial sums = constrain_accelerations(
      particles, nullptr, {particles.force.data(), particles.local_count()}, step);
  throw_where_not_converged();
  return sums;
}

}  // namespace sterna::md
