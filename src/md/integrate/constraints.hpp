#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "md/core/energy_and_virial.hpp"
#include "md/system/molecule_places.hpp"
#include "md/system/particle_store.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Distances between atoms of molecules that stay as they are: SHAKE for positions, RATTLE for
/// velocities. See constraints.cpp. Every function that takes a store is collective, but for
/// `begin_step`.
class Constraints {
 public:
  /// Writes the vectors of the ghosts, which follow those of the local particles in `vectors`, with
  /// those of the particles that they are copies of. Collective.
  using GhostVectors = std::function<void(std::span<Vec3> vectors)>;

  /// `inverse_masses`: by type. `tolerance`: relative deviation of each distance at most.
  Constraints(const comm::Context& context, std::shared_ptr<const MoleculePlaces> places,
              std::vector<double> inverse_masses, double timestep, double tolerance,
              GhostVectors ghost_vectors);

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
    double path = 0.0;  ///< longest path in the step
    double gain = 0.0;  ///< most that a path was changed by
  };
  /// After local particles have moved by their velocities for a time step since `begin_step`:
  /// corrects both (SHAKE).
  Motion constrain_positions(ParticleStore& particles, double timestep, std::int64_t step);

  /// Takes off velocities what would change a distance (RATTLE); ghosts are where their particles
  /// are. Returns the largest of what this rank found: the relative velocity of two atoms.
  double constrain_velocities(ParticleStore& particles, std::int64_t step);

  /// This rank's share of the virial of the constraint forces, which follow from the present
  /// positions, velocities and forces.
  EnergyAndVirial virial(const ParticleStore& particles, std::int64_t step);

  /// Takes off the forces on particles at rest what would change a distance; the inverse masses
  /// weight what each atom gives. Returns this rank's share of the virial of the constraint forces.
  EnergyAndVirial constrain_forces(ParticleStore& particles, std::int64_t step);

  /// How far two atoms of a group can be from each other at most, by the distances between them.
  static double reach(const Topology& topology);

 private:
  struct Constraint {
    std::uint32_t first, second;  ///< in `atoms_`
    double squared_distance;
    Vec3 connection;  ///< from the second to the first, when the step began
  };
  /// Constraints that share atoms, directly or through others: they are solved together.
  struct Group {
    std::uint32_t first_constraint, constraint_count;
    double share;  ///< of its atoms that this rank owns
  };
  struct Atom {
    std::uint32_t place;   ///< of its image beside the group's other atoms, in the store
    std::uint32_t vector;  ///< of its velocity: the local particle's, where this rank owns it
    double weight;         ///< inverse mass
  };
  /// The same of a kind of molecule, in numbers of its atoms.
  struct KindGroup {
    std::vector<std::int32_t> atoms;   ///< each but the first is constrained to an earlier one
    std::vector<std::int32_t> parent;  ///< the place of that one in `atoms`; -1: the first
    struct Pair {
      std::uint32_t first, second;  ///< in `atoms`
      double distance;
    };
    std::vector<Pair> constraints;
  };
  struct Kind {
    std::vector<KindGroup> groups;
    std::vector<std::int32_t> group_of;  ///< of each atom; -1: none
  };

  static Kind kind_of(const Topology::Molecule& molecule);
  void add(const ParticleStore& particles, std::uint32_t particle, const Topology::Place& place,
           const KindGroup& group, std::string& missing);
  void update_connections(const ParticleStore& particles);
  /// Of local particles, and of ghosts as their ranks have them.
  std::span<Vec3> with_ghosts(const ParticleStore& particles, std::span<const Vec3> local,
                              std::vector<Vec3>& vectors) const;
  /// Changes `velocity` until all connections, plus `timestep` times the difference of velocities,
  /// have the right length.
  void shake(std::span<Vec3> velocity, double timestep, const ParticleStore& particles,
             std::int64_t step);
  /// Of all particles of this rank's groups: what forces and constraint forces give them, so that
  /// no distance changes; the multipliers are kept. Empty velocities: they are at rest.
  std::span<Vec3> constrain_accelerations(const ParticleStore& particles,
                                          std::span<const Vec3> velocity, std::int64_t step);
  EnergyAndVirial virial_of_multipliers() const;
  template <class Correct>
  void solve(Correct&& correct, const ParticleStore& particles, std::int64_t step);
  std::span<const Constraint> of(const Group& group) const {
    return std::span(constraints_).subspan(group.first_constraint, group.constraint_count);
  }
  double weight(const Constraint& constraint) const {
    return atoms_[constraint.first].weight + atoms_[constraint.second].weight;
  }
  /// Of the vectors of the first and the second atom.
  Vec3 difference(const Constraint& constraint, std::span<const Vec3> vectors) const;
  /// What takes `along` off the product of that difference and the connection.
  double multiplier(const Constraint& constraint, double along) const;
  /// Changes the vectors of both atoms along the connection.
  void push(const Constraint& constraint, double multiplier, std::span<Vec3> vectors) const;
  void note_failure(const Constraint& constraint, const ParticleStore& particles,
                    std::int64_t step);

  comm::Context context_;
  std::shared_ptr<const MoleculePlaces> places_;
  std::vector<double> weights_;
  double timestep_, tolerance_;
  GhostVectors ghost_vectors_;
  std::vector<Kind> kinds_;
  std::vector<Group> groups_;
  std::vector<Constraint> constraints_;
  std::vector<Atom> atoms_;
  std::vector<double> multipliers_;  ///< of `constrain_accelerations`
  std::vector<Vec3> velocity_, force_;
  std::string failure_;  ///< the first since the last call of throw_where_not_converged
};

}  // namespace sterna::md
