#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "md/core/energy_and_virial.hpp"
#include "md/integrate/constraint_groups.hpp"
#include "md/integrate/constraint_set.hpp"
#include "md/integrate/kernels/rotor_kernels.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// The groups of a rank's constraints that move as rigid bodies, so that forces along the
/// constraints need not be found. A vector of each atom lies where the set says.
class ConstraintRotors {
 public:
  void clear() { bodies_.clear(); }
  bool empty() const { return bodies_.empty(); }
  /// `first_constraint`: of the group, in the set. `share`: of its atoms that this rank owns.
  void add(const ConstraintGroup& group, std::uint32_t first_constraint, double share) {
    bodies_.push_back({&group, first_constraint, share});
  }
  /// After the last was added.
  void sort();

  /// From velocities without constraints to those that bring the atoms, in `timestep` from where the
  /// connections of the set are, to where the body is then. `end`: what they have there.
  void turn(const ConstraintSet& set, double timestep, std::span<Vec3> velocity,
            std::span<Vec3> end);
  /// Lets the local particles have the velocities at the end of a turn.
  void give_velocities(const ConstraintSet& set, std::span<const Vec3> end,
                       ParticleStore& particles) const;
  /// What brings atoms to the nearest places of a rigid body.
  void fit(const ConstraintSet& set, std::span<Vec3> shift) const;
  /// Leaves of velocities those of the rigid motion with the same momenta.
  void project(const ConstraintSet& set, std::span<Vec3> velocity);
  /// Turns accelerations by forces into those of the rigid bodies, which move with `velocity`,
  /// empty: rest. Returns this rank's share of the virial of the forces that do so.
  EnergyAndVirial constrain_accelerations(const ConstraintSet& set, std::span<const Vec3> velocity,
                                          std::span<Vec3> acceleration);

 private:
  struct Body {
    const ConstraintGroup* group;
    std::uint32_t first_constraint;
    double share;
  };
  /// Atoms of a body in the set follow each other.
  static std::span<const ConstraintSet::Atom> atoms_of(const Body& body, const ConstraintSet& set);
  /// Calls use(bodies) for bodies of one shape, with their places in `work_`.
  template <class Use>
  void for_each_batch(const ConstraintSet& set, Use&& use);
  /// Into `work_.velocity`; `vector_of(body, atom)` is taken for each.
  template <class VectorOf>
  void put(std::span<const Body> bodies, const VectorOf& vector_of);
  void project(std::span<const Body> bodies, const ConstraintSet& set,
               std::span<const Vec3> vectors);

  std::vector<Body> bodies_;
  RotorWork work_;
};

}  // namespace sterna::md
