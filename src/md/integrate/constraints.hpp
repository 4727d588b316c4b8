#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
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

/// Keeps distances between atoms of molecules constant. See constraints.cpp. Every function that
/// takes a store is collective, except `begin_step`.
class Constraints {
 public:
  using GhostVectors = ConstraintMatrix::GhostVectors;
  /// Selects the ghosts, by places in the store, that GhostVectors writes from now on. Collective.
  using SelectGhosts = std::function<void(std::span<const std::uint32_t> places)>;

  /// `inverse_masses`: by type; `groups` were made with the same. `tolerance`: the largest relative
  /// deviation of a distance.
  Constraints(const comm::Context& context, std::shared_ptr<const MoleculePlaces> places,
              ConstraintGroups groups, std::vector<double> inverse_masses, double timestep,
              double tolerance, SelectGhosts select_ghosts, GhostVectors ghost_vectors);

  /// The id of the first of all atoms that constraints join to this atom, directly or through
  /// others.
  std::int64_t first_joined_to(std::int64_t id) const;
  /// Whether any group is solved by all ranks together.
  bool span_ranks() const { return kinds_.span_ranks(); }
  /// Names of the kinds of molecules some of whose atoms move as rotors.
  const std::vector<std::string>& with_rotors() const { return kinds_.with_rotors(); }
  /// To be called after `places` was rebuilt. Throws FileError on all ranks if a rank lacks an atom
  /// to which one of its own atoms is constrained.
  void rebuild(const ParticleStore& particles);
  /// Two constrained atoms that are almost at the same place.
  struct Coincidence {
    std::int64_t first, second;   ///< ids
    double distance, constraint;  ///< the actual and the required distance
  };
  /// Local, right after `rebuild`. Of this rank's constrained pairs closer than a hundredth of
  /// their distance, returns the one with the lowest id. Their constraint has lost its direction.
  std::optional<Coincidence> find_coincidence(const ParticleStore& particles) const;
  /// Throws UnstableRun on all ranks, naming step and atoms, if constraints of any rank did not
  /// converge since the last call.
  void throw_where_not_converged();

  /// How much the positions at a start violate the constraints.
  struct Violation {
    double distance = 0.0;         ///< largest deviation, relative to the required distance
    double shift = 0.0;            ///< longest displacement of an atom by the correction
    double longest = 0.0;          ///< longest required distance
    bool moved_positions = false;  ///< whether any deviation exceeded the tolerance
  };
  /// Moves atoms until all distances are as required, with the least sum of mass times squared
  /// displacement. Ghosts are not moved.
  Violation project_positions(ParticleStore& particles, std::int64_t step);

  /// To be called before local particles move, with ghosts and local particles of the same time.
  void begin_step(const ParticleStore& particles);

  /// The effect of constraint forces on the local particles in a step.
  struct Motion {
    double path;  ///< longest path in the step
    double gain;  ///< largest change of a path
  };
  /// To be called after local particles have moved by their velocities for a time step since
  /// `begin_step`. Corrects positions and velocities.
  Motion constrain_positions(ParticleStore& particles, double timestep, std::int64_t step);

  /// Removes the components of velocities that change a distance; ghosts are at their particles'
  /// positions. The remainder changes a distance in a step by at most the tolerance.
  void constrain_velocities(ParticleStore& particles, std::int64_t step) {
    constrain_velocities(particles, step, tolerance_ / timestep_);
  }
  /// The same for velocities at a start: the remainder is small relative to the velocities, even if
  /// these are small. Returns the largest relative velocity along a constraint before, over all
  /// ranks.
  double constrain_start_velocities(ParticleStore& particles, std::int64_t step);

  /// This rank's share of the virial of the constraint forces, which follow from the present
  /// positions, velocities and forces.
  EnergyAndVirial virial(const ParticleStore& particles, std::int64_t step);

  /// Whether the length of any constraint changes with an alchemical lambda. The same on all ranks.
  bool lengths_change() const { return kinds_.lengths_change(); }
  /// This rank's share of the derivative of the energy by an alchemical lambda that changes lengths of
  /// constraints, from the constraint forces of the last `virial`.
  double derivative_by_lengths() const { return derivative_by_lengths_; }

  /// For particles at rest, removes the components of forces that would change a distance; each
  /// atom's share goes by its inverse mass. Returns this rank's share of the virial of the
  /// constraint forces.
  EnergyAndVirial constrain_forces(ParticleStore& particles, std::int64_t step);

 private:
  using Constraint = ConstraintSet::Constraint;
  /// A group that this rank solves alone.
  struct LocalGroup {
    const ConstraintGroup* group;
    GroupsPart part;
    std::uint32_t first_constraint;
    double share;  ///< share of its atoms that this rank owns
  };

  /// A constraint whose length changes with an alchemical lambda.
  struct Changing {
    std::size_t constraint;  ///< index in `set_.constraints`
    /// This rank's share of the derivative, per unit of the multiplier: length times change. The
    /// multiplier times the connection is the force on the first atom.
    double by_multiplier;
  };

  void add(const ParticleStore& particles, std::uint32_t particle, const Topology::Place& place,
           const ConstraintGroup& group, std::string& missing);
  /// Adds the constraints of an atom whose group spans ranks.
  void add_spanning(const ParticleStore& particles, std::uint32_t particle,
                    const Topology::Place& place, std::string& missing);
  void update_connections(const ParticleStore& particles);
  /// Whether any group is not a rotor, on this rank or, if groups span ranks, on any.
  bool solves_others() const { return !groups_.empty() || kinds_.span_ranks(); }
  /// Vectors of local particles in place, and, in `ghosts`, those of other ranks' ghosts as their
  /// owners have them. Collective.
  template <class Vector>
  BasicGhostedVectors<Vector> with_ghosts(const ParticleStore& particles, std::span<Vector> local,
                                          std::vector<Vec3>& ghosts) const {
    ghosts.resize(context_.size() > 1 ? particles.ghost_count() : 0);
    ghost_vectors_(local, ghosts);
    return {local, ghosts};
  }
  /// Calls solve(part, velocity) for the groups inside while velocities of ghosts are being sent,
  /// then for those at the border. Collective.
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
  /// have the required length.
  void correct(GroupsPart part, const GhostedVectors& velocity, double timestep,
               const ParticleStore& particles, std::int64_t step);
  /// The groups of this part, in the order of `groups_`.
  std::span<const LocalGroup> groups_of(GroupsPart part) const;
  /// Whether constraints that span ranks are solved with this part; they come last.
  bool solves_spanning(GroupsPart part) const {
    return part != GroupsPart::inside && kinds_.span_ranks();
  }
  /// Calls visitors for batches of this part: groups that SETTLE solves, then groups that kernels
  /// sweep over side by side, then each other group alone.
  template <class Settle, class Together, class Alone>
  void for_each_batch(GroupsPart part, Settle&& settle, Together&& together, Alone&& alone) const;
  /// Lets kernels sweep over groups of one shape. If a group does not converge, calls alone(group)
  /// for it with its vectors unchanged.
  template <class Solve, class Alone>
  void solve_together(std::span<const LocalGroup> groups, const GhostedVectors& vectors,
                      Solve&& solve, Alone&& alone);
  /// `correct` for groups that SETTLE solves; returns the groups that it cannot solve.
  std::vector<const LocalGroup*> settle(std::span<const LocalGroup> groups,
                                        const GhostedVectors& velocity, double timestep) const;
  /// `goal`: the largest remaining rate of a squared distance, relative to the squared distance.
  void constrain_velocities(ParticleStore& particles, std::int64_t step, double goal);
  void correct_spanning(const GhostedVectors& velocity, double timestep,
                        const ParticleStore& particles, std::int64_t step);
  /// Applies multipliers until `along` of each constraint is at most its squared distance times
  /// goal_of(constraints). goal_of is called for each group before it is solved; for constraints
  /// that span ranks `spanning_goal` is given, the same on all ranks. `triangles(groups)` solves
  /// groups of SETTLE. `together(groups, alone)` solves groups of one shape; alone(group) solves
  /// one of them.
  template <class Along, class Push, class Goal, class Triangles, class Together>
  void solve_linear(GroupsPart part, Along&& along, Push&& push, Goal&& goal_of,
                    double spanning_goal, Triangles&& triangles, Together&& together,
                    const ParticleStore& particles, std::int64_t step);
  template <class Along, class Push>
  void solve_triangle(const LocalGroup& group, Along&& along, Push&& push) const;
  /// Finds constraint forces such that, with the given forces, no distance changes for particles
  /// with these velocities (null: at rest). Returns this rank's share of their virial. Where
  /// `changed` has space, local particles get the sum of both forces.
  EnergyAndVirial constrain_accelerations(const ParticleStore& particles,
                                          const ConstGhostedVectors* velocity,
                                          std::span<Vec3> changed, std::int64_t step);
  /// Adds the virial of groups that are no rotors, from their multipliers.
  void add_virial_of_others(std::span<const double> multipliers, std::size_t local_count,
                            EnergyAndVirial& sums) const;
  template <class Correct>
  void sweep(const LocalGroup& group, Correct&& correct, const ParticleStore& particles,
             std::int64_t step);
  void note_failure(const Constraint& constraint, std::string_view unfinished,
                    const ParticleStore& particles, std::int64_t step);
  /// Notes the failure of a constraint between two atoms at these places.
  void note_failure(std::uint32_t first, std::uint32_t second, std::string_view unfinished,
                    const ParticleStore& particles, std::int64_t step);
  /// Notes the worst failure of constraints that span ranks, by `along_`. Collective.
  void note_spanning_failure(std::string_view unfinished, const ParticleStore& particles,
                             std::int64_t step);

  comm::Context context_;
  std::shared_ptr<const MoleculePlaces> places_;
  ConstraintGroups kinds_;
  std::vector<double> weights_;
  double timestep_, tolerance_;
  SelectGhosts select_ghosts_;
  GhostVectors ghost_vectors_;
  std::vector<std::uint32_t> ghosts_;  ///< other ranks' atoms in groups of this rank
  ConstraintMatrix matrix_;
  const ConstraintKernels& kernels_;
  ConstraintWork work_;
  /// Groups inside come first; within each part those for SETTLE, then those of each shape.
  std::vector<LocalGroup> groups_;
  ConstraintRotors rotors_;
  ConstraintSet set_;                     ///< of the groups, then those that span ranks
  std::size_t first_spanning_ = 0;        ///< in `set_.constraints`
  std::size_t first_spanning_atom_ = 0;   ///< in `set_.atoms`
  std::vector<std::uint32_t> particles_;  ///< constrained local particles that are not in rotors
  std::vector<Vec3> before_;              ///< their velocities before the correction
  std::vector<Changing> changing_;
  double derivative_by_lengths_ = 0.0;
  std::vector<double> along_, solution_;  ///< of constraints that span ranks
  std::vector<Vec3> ghost_velocity_;
  std::string failure_;  ///< the first since the last throw_where_not_converged
};

}  // namespace sterna::md
