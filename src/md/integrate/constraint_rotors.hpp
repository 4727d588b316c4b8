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

/// The groups of a rank's constraints that move as rigid bodies, so that forces along the
/// constraints need not be found. They are most of the atoms of a solution, so a body has two
/// places of each atom and the connections, and vectors are those of the store.
class ConstraintRotors {
 public:
  void clear() { kinds_.clear(); }
  bool empty() const { return kinds_.empty(); }
  /// One more body; its atoms in the order of the group. `part`: inside or border.
  void add(const ConstraintGroup& group, GroupsPart part,
           std::span<const ConstraintSet::Atom> atoms);
  /// After the last was added.
  void complete();
  /// Places from now on.
  void update_connections(const ParticleStore& particles);

  struct Motion {
    double fastest_squared = 0.0, largest_change_squared = 0.0;  ///< of velocities
  };
  /// Local particles have moved for a `timestep` by these velocities from where the connections
  /// are: moves them to where the bodies are then, and changes velocities to those at the end.
  /// `motion` is raised to the largest velocity that led there, and difference of both.
  void turn(GroupsPart part, double timestep, ParticleStore& particles,
            const ConstGhostedVectors& velocity, Motion& motion);
  /// The longest distance between an atom and its parent.
  double longest_distance() const;
  /// The largest relative deviation of a distance from that of a constraint.
  double largest_deviation() const;
  /// The largest velocity of two atoms to each other along a constraint.
  double largest_velocity_along(const ConstGhostedVectors& velocity) const;
  /// Moves local particles to the nearest places of rigid bodies, and raises `farthest` to the
  /// longest path. Returns places of two atoms of a body whose places have no direction.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> fit(ParticleStore& particles,
                                                             double& farthest);
  /// Leaves of velocities those of the rigid motion with the same momenta.
  void project(GroupsPart part, const GhostedVectors& velocity);
  /// Turns accelerations by these forces into those of the rigid bodies, which move with
  /// `velocity`, null: rest. `weights`: inverse masses by type. Local particles get the forces that
  /// would give them these, where `changed` has room. Returns this rank's share of the virial of the
  /// forces that do so.
  EnergyAndVirial constrain_accelerations(const ParticleStore& particles,
                                          std::span<const double> weights,
                                          const ConstGhostedVectors* velocity,
                                          const ConstGhostedVectors& force,
                                          std::span<Vec3> changed);

 private:
  /// Bodies of one group of one kind of molecule in one part, one behind the other.
  struct Kind {
    struct Atom {
      std::uint32_t place, vector;  ///< as of ConstraintSet::Atom
    };
    const ConstraintGroup* group;
    std::vector<Atom> atoms;
    std::vector<Vec3> connections;  ///< of each atom but the first, from its parent

    std::size_t size() const { return group->atoms.size(); }
    std::size_t bodies() const { return atoms.size() / size(); }
    std::span<const Atom> atoms_of(std::size_t body) const {
      return std::span(atoms).subspan(body * size(), size());
    }
    std::span<const Vec3> connections_of(std::size_t body) const {
      return std::span(connections).subspan(body * (size() - 1), size() - 1);
    }
    /// From the first atom.
    std::vector<Vec3> places_of(std::size_t body) const;
  };
  /// Bodies [first, first + count) of a kind, which kernels take together.
  struct Batch {
    const Kind& kind;
    std::size_t first, count;
    std::span<const Kind::Atom> atoms(std::size_t lane) const {
      return kind.atoms_of(first + lane);
    }
  };
  /// Calls use(batch) for all bodies of a part, with their places in `work_`.
  template <class Use>
  void for_each_batch(GroupsPart part, Use&& use);
  /// Into `work_.velocity`; `vector_of(lane, atom, place of its vector)` is taken for each.
  template <class VectorOf>
  void put(const Batch& batch, const VectorOf& vector_of);
  void project(const Batch& batch, const ConstGhostedVectors& vectors);

  std::map<std::pair<GroupsPart, std::uint32_t>, Kind> kinds_;  ///< by the number of the group
  RotorWork work_;
};

}  // namespace sterna::md
