#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "md/core/energy_and_virial.hpp"
#include "md/integrate/constraint_groups.hpp"
#include "md/integrate/constraint_set.hpp"
#include "md/integrate/kernels/rotor_kernels.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// The constraint groups of a rank that move as rigid bodies, without solving for forces along
/// constraints. Because they hold most atoms of a solution, memory matters: a body stores two
/// places and a connection per atom, and uses the store's vectors.
class ConstraintRotors {
 public:
  void clear() { kinds_.clear(); }
  bool empty() const { return kinds_.empty(); }
  /// Adds a body, with atoms in the order of the group. `part` is inside or border.
  void add(const ConstraintGroup& group, GroupsPart part,
           std::span<const ConstraintSet::Atom> atoms);
  /// To be called after the last body was added.
  void complete();
  /// Takes the present positions as places of the bodies.
  void update_connections(const ParticleStore& particles);

  struct Motion {
    double fastest_squared = 0.0, largest_change_squared = 0.0;  ///< of velocities
  };
  /// Local particles have moved by `velocity` for a time of `timestep` from the places of the
  /// connections. Moves them to the places that the bodies then have, and sets velocities to those
  /// at the end. Raises `motion` to the largest mean velocity in the step, and to the largest
  /// change that bodies made to it.
  void turn(GroupsPart part, double timestep, ParticleStore& particles,
            const ConstGhostedVectors& velocity, Motion& motion);
  /// The longest distance between an atom and its parent.
  double longest_distance() const;
  /// The largest relative deviation of a distance from that of a constraint.
  double largest_deviation() const;
  /// The largest relative velocity of two atoms along their constraint.
  double largest_velocity_along(const ConstGhostedVectors& velocity) const;
  /// Moves local particles to the nearest places of rigid bodies, and raises `farthest` to the
  /// longest path. Returns places of two atoms of a body without a determined orientation, if any.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> fit(ParticleStore& particles,
                                                             double& farthest);
  /// Replaces velocities by those of the rigid motion with the same momenta.
  void project(GroupsPart part, const GhostedVectors& velocity);
  /// Turns accelerations by these forces into those of rigid bodies that move with `velocity`
  /// (null: at rest). `weights`: inverse masses by type. Where `changed` has space, local particles
  /// get the forces that would cause these accelerations. Returns this rank's share of the virial
  /// of the constraint forces.
  EnergyAndVirial constrain_accelerations(const ParticleStore& particles,
                                          std::span<const double> weights,
                                          const ConstGhostedVectors* velocity,
                                          const ConstGhostedVectors& force,
                                          std::span<Vec3> changed);

 private:
  /// The bodies of one group of one kind of molecule in one part, one after another.
  struct Kind {
    struct Atom {
      std::uint32_t place, vector;  ///< see ConstraintSet::Atom
    };
    const ConstraintGroup* group;
    std::vector<Atom> atoms;
    std::vector<Vec3> connections;  ///< for each atom but the first, from its parent

    std::size_t size() const { return group->atoms.size(); }
    std::size_t bodies() const { return atoms.size() / size(); }
    std::span<const Atom> atoms_of(std::size_t body) const {
      return std::span(atoms).subspan(body * size(), size());
    }
    std::span<const Vec3> connections_of(std::size_t body) const {
      return std::span(connections).subspan(body * (size() - 1), size() - 1);
    }
    /// The atoms' places relative to the first atom.
    std::vector<Vec3> places_of(std::size_t body) const;
  };
  /// Bodies [first, first + count) of a kind, which kernels process together.
  struct Batch {
    const Kind& kind;
    std::size_t first, count;
    std::span<const Kind::Atom> atoms(std::size_t lane) const {
      return kind.atoms_of(first + lane);
    }
  };
  /// Calls use(batch) for all bodies of a part, with the atoms' places in `work_`.
  template <class Use>
  void for_each_batch(GroupsPart part, Use&& use);
  /// Fills `work_.velocity` with `vector_of(body, atom, place of its vector)` for each atom.
  template <class VectorOf>
  void put(const Batch& batch, const VectorOf& vector_of);
  void project(const Batch& batch, const ConstGhostedVectors& vectors);

  std::map<std::pair<GroupsPart, std::uint32_t>, Kind> kinds_;  ///< by part and group number
  RotorWork work_;
};

}  // namespace sterna::md
