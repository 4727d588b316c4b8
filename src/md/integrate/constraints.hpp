#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/energy_and_virial.hpp"
#include "md/integrate/constraint_groups.hpp"
#include "md/integrate/constraint_matrix.hpp"
#include "md/integrate/constraint_rotors.hpp"
#include "md/integrate/constraint_set.hpp"
#include "md/integrate/kernels/constraint_kernels.hpp"
#include "md/system/molecule_places.hpp"
#include "md/system/particle_store.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Distances between atoms of molecules that stay as they are. See constraints.cpp. Every function
/// that takes a store is collective, but for `begin_step`.
class Constraints {
 public:
  using GhostVectors = ConstraintMatrix::GhostVectors;
  /// Says which ghosts, by their places in the store, GhostVectors writes from now on. Collective.
  using SelectGhosts = std::function<void(std::span<const std::uint32_t> places)>;

  /// `inverse_masses`: by type; `groups` were made with them. `tolerance`: relative deviation of
  /// each distance at most.
  Constraints(const comm::Context& context, std::shared_ptr<const MoleculePlaces> places,
              ConstraintGroups groups, std::vector<double> inverse_masses, double timestep,
              double tolerance, SelectGhosts select_ghosts, GhostVectors ghost_vectors);

  /// Of the atoms that constraints join to that of an id, directly or through others, the first.
  std::int64_t first_joined_to(std::int64_t id) const;
  /// Whether all ranks solve some of them together.
  bool span_ranks() const { return kinds_.span_ranks(); }
  /// Names of the kinds of molecules whose atoms, all or some, move as rotors.
  const std::vector<std::string>& with_rotors() const { return kinds_.with_rotors(); }
  /// After `places` was rebuilt. Throws FileError on all ranks where a rank lacks an atom that one
  /// of its own is constrained to.
  void rebuild(const ParticleStore& particles);
  /// Throws UnstableRun on all ranks where the constraints of any rank did not converge since the
  /// last call, naming step and atoms.
  void throw_where_not_converged();

  /// How far the positions of a start are from the constraints.
  struct Violation {
    double distance = 0.0;         ///< largest deviation, relative to the distance asked for
    double shift = 0.0;            ///< farthest that an atom was moved
    double longest = 0.0;          ///< the longest distance asked for
    bool moved_positions = false;  ///< some distance deviated by more than the tolerance
  };
  /// Moves atoms, by as little as possible weighted with their masses, until all distances are as
  /// asked for. Ghosts are not moved.
  Violation project_positions(ParticleStore& particles, std::int64_t step);

  /// Before local particles move: ghosts and local particles are at the places of one time.
  void begin_step(const ParticleStore& particles);

  /// What constraint forces have done to the local particles in a step.
  struct Motion {
    double path;  ///< longest path in the step
    double gain;  ///< most that a path was changed by
  };
  /// After local particles have moved by their velocities for a time step since `begin_step`:
  /// corrects both.
  Motion constrain_positions(ParticleStore& particles, double timestep, std::int64_t step);

  /// Takes off velocities what would change a distance; ghosts are where their particles are. What
  /// is left changes a distance in a step by no more than the tolerance.
  void constrain_velocities(ParticleStore& particles, std::int64_t step) {
    constrain_velocities(particles, step, tolerance_ / timestep_);
  }
  /// The same of a start: what is left is small beside the velocities, however slow they are.
  /// Returns the largest of all ranks' velocities that changed a distance, of two atoms to each
  /// other.
  double constrain_start_velocities(ParticleStore& particles, std::int64_t step);

  /// This rank's share of the virial of the constraint forces, which follow from the present
  /// positions, velocities and forces.
  EnergyAndVirial virial(const ParticleStore& particles, std::int64_t step);

  /// Takes off the forces on particles at rest what would change a distance; the inverse masses
  /// weight what each atom gives. Returns this rank's share of the virial of the constraint forces.
  EnergyAndVirial constrain_forces(ParticleStore& particles, std::int64_t step);

 private:
  using Constraint = ConstraintSet::Constraint;
  /// A group that this rank solves alone.
  struct LocalGroup {
    const ConstraintGroup* group;
    GroupsPart part;
    std::uint32_t first_constraint;
    double share;  ///< of its atoms that this rank owns
  };

  void add(const ParticleStore& particles, std::uint32_t particle, const Topology::Place& place,
           const ConstraintGroup& group, std::string& missing);
  /// Those constraints of an atom whose group spans ranks.
  void add_spanning(const ParticleStore& particles, std::uint32_t particle,
                    const Topology::Place& place, std::string& missing);
  void update_connections(const ParticleStore& particles);
  /// Whether some are solved otherwise than as rotors, on any rank where all solve them together.
  bool solves_others() const { return !groups_.empty() || kinds_.span_ranks(); }
  /// Those of local particles where they are, and those of ghosts of other ranks, if any, as these
  /// have them, in `ghosts`. Collective.
  template <class Vector>
  BasicGhostedVectors<Vector> with_ghosts(const ParticleStore& particles, std::span<Vector> local,
                                          std::vector<Vec3>& ghosts) const {
    ghosts.resize(context_.size() > 1 ? particles.ghost_count() : 0);
    ghost_vectors_(local, ghosts);
    return {local, ghosts};
  }
  /// Calls solve(part, velocity) for the groups inside while the velocities of ghosts are on their
  /// way, then for those at the border. Collective.
  template <class Solve>
  void solve_inside_then_border(ParticleStore& particles, Solve&& solve) {
    const std::span<Vec3> local = velocities(particles);
    ghost_velocity_.resize(context_.size() > 1 ? particles.ghost_count() : 0);
    const GhostedVectors velocity(local, ghost_velocity_);
    ghost_vectors_.start(local, ghost_velocity_);
    solve(GroupsPart::inside, velocity);
    ghost_vectors_.finish(local, ghost_velocity_);
    solve(GroupsPart::border, velocity);
  }
  static std::span<Vec3> velocities(ParticleStore& particles) {
    return {particles.velocity.data(), particles.local_count()};
  }
  static std::span<const Vec3> velocities(const ParticleStore& particles) {
    return {particles.velocity.data(), particles.local_count()};
  }
  double weight_of(const Position& position) const {
    return weights_[static_cast<std::size_t>(position.type)];
  }
  std::span<const Constraint> of(const LocalGroup& group) const {
    return std::span(set_.constraints)
        .subspan(group.first_constraint, group.group->constraints.size());
  }
  std::span<const Constraint> spanning() const {
    return std::span(set_.constraints).subspan(first_spanning_);
  }

  /// Changes `velocity` until all connections, plus `timestep` times the difference of velocities,
  /// have the right length.
  void correct(GroupsPart part, const GhostedVectors& velocity, double timestep,
               const ParticleStore& particles, std::int64_t step);
  /// Those of this part, in the order of `groups_`.
  std::span<const LocalGroup> groups_of(GroupsPart part) const;
  /// Those that span ranks are solved after all others.
  bool solves_spanning(GroupsPart part) const {
    return part != GroupsPart::inside && kinds_.span_ranks();
  }
  /// Calls visit(groups) for the groups of the part that SETTLE solves together, then for those that
  /// kernels sweep over together, then for each of the others.
  template <class Settle, class Together, class Alone>
  void for_each_batch(GroupsPart part, Settle&& settle, Together&& together, Alone&& alone) const;
  /// Lets kernels sweep over groups of one shape. Where some constraint stays open, calls
  /// alone(group) for that group, whose vectors are as they were.
  template <class Solve, class Alone>
  void solve_together(std::span<const LocalGroup> groups, const GhostedVectors& vectors,
                      Solve&& solve, Alone&& alone);
  /// `correct` for some groups that SETTLE solves; returns those that it cannot solve.
  std::vector<const LocalGroup*> settle(std::span<const LocalGroup> groups,
                                        const GhostedVectors& velocity, double timestep) const;
  /// `goal`: of the rate of each squared distance that is left, relative to it.
  void constrain_velocities(ParticleStore& particles, std::int64_t step, double goal);
  void correct_spanning(const GhostedVectors& velocity, double timestep,
                        const ParticleStore& particles, std::int64_t step);
  /// Pushes until what `along` says of each constraint is 0, but for its squared distance times
  /// goal_of(constraints), which is called for those of each group before it is solved. Of those that
  /// span ranks the goal is given, the same on all ranks.
  /// `triangles(groups)` does so for groups of SETTLE's, `together(groups, alone)` for
  /// groups of one shape, of which alone(group) takes one.
  template <class Along, class Push, class Goal, class Triangles, class Together>
  void solve_linear(GroupsPart part, Along&& along, Push&& push, Goal&& goal_of,
                    double spanning_goal, Triangles&& triangles, Together&& together,
                    const ParticleStore& particles, std::int64_t step);
  template <class Along, class Push>
  void solve_triangle(const LocalGroup& group, Along&& along, Push&& push) const;
  /// Finds the constraint forces that, with the forces, change no distance of particles with these
  /// velocities, null: at rest. Returns this rank's share of their virial; local particles get both
  /// forces where `changed` has room.
  EnergyAndVirial constrain_accelerations(const ParticleStore& particles,
                                          const ConstGhostedVectors* velocity,
                                          std::span<Vec3> changed, std::int64_t step);
  /// Of those that are no rotors, from their multipliers.
  void add_virial_of_others(std::span<const double> multipliers, std::size_t local_count,
                            EnergyAndVirial& sums) const;
  template <class Correct>
  void sweep(const LocalGroup& group, Correct&& correct, const ParticleStore& particles,
             std::int64_t step);
  void note_failure(const Constraint& constraint, std::string_view unfinished,
                    const ParticleStore& particles, std::int64_t step);
  /// Of two atoms at these places.
  void note_failure(std::uint32_t first, std::uint32_t second, std::string_view unfinished,
                    const ParticleStore& particles, std::int64_t step);
  /// The worst of those that span ranks, by `along_`. Collective.
  void note_spanning_failure(std::string_view unfinished, const ParticleStore& particles,
                             std::int64_t step);

  comm::Context context_;
  std::shared_ptr<const MoleculePlaces> places_;
  ConstraintGroups kinds_;
  std::vector<double> weights_;
  double timestep_, tolerance_;
  SelectGhosts select_ghosts_;
  GhostVectors ghost_vectors_;
  std::vector<std::uint32_t> ghosts_;  ///< of other ranks' atoms, which groups here have
  ConstraintMatrix matrix_;
  const ConstraintKernels& kernels_;
  ConstraintWork work_;
  /// Those inside come first; of each part those that SETTLE solves, then those of each shape.
  std::vector<LocalGroup> groups_;
  ConstraintRotors rotors_;
  ConstraintSet set_;                     ///< of the groups, then those that span ranks
  std::size_t first_spanning_ = 0;        ///< in `set_.constraints`
  std::size_t first_spanning_atom_ = 0;   ///< in `set_.atoms`
  std::vector<std::uint32_t> particles_;  ///< local ones that these constrain
  std::vector<Vec3> before_;              ///< their velocities
  std::vector<double> along_, solution_;  ///< of those that span ranks
  std::vector<Vec3> ghost_velocity_;
  std::string failure_;  ///< the first since the last call of throw_where_not_converged
};

}  // namespace sterna::md
