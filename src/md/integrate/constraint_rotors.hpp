#pragma once

#include <cstdint>
#include <optional>
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
  /// Where the atoms of the group, and its constraints to parents, begin in the set, which has no
  /// others of it. `share`: of its atoms that this rank owns.
  void add(const ConstraintGroup& group, std::uint32_t first_atom, std::uint32_t first_constraint,
           double share) {
    bodies_.push_back({&group, first_atom, first_constraint, share});
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
  /// The largest relative deviation of a distance from that of a constraint.
  double largest_deviation(const ConstraintSet& set) const;
  /// The largest velocity of two atoms to each other along a constraint.
  double largest_velocity_along(const ConstraintSet& set, std::span<const Vec3> velocity) const;
  /// What brings atoms to the nearest places of a rigid body. Returns the first constraint of a body
  /// whose places have no direction.
  std::optional<std::uint32_t> fit(const ConstraintSet& set, std::span<Vec3> shift);
  /// Leaves of velocities those of the rigid motion with the same momenta.
  void project(const ConstraintSet& set, std::span<Vec3> velocity);
  /// Turns accelerations by forces into those of the rigid bodies, which move with `velocity`,
  /// empty: rest. Returns this rank's share of the virial of the forces that do so.
  EnergyAndVirial constrain_accelerations(const ConstraintSet& set, std::span<const Vec3> velocity,
                                          std::span<Vec3> acceleration);

 private:
  struct Body {
    const ConstraintGroup* group;
    std::uint32_t first_atom, first_constraint;
    double share;
  };
  static std::span<const ConstraintSet::Atom> atoms_of(const Body& body, const ConstraintSet& set) {
    return std::span(set.atoms).subspan(body.first_atom, body.group->atoms.size());
  }
  /// From the first atom.
  static std::vector<Vec3> places_of(const Body& body, const ConstraintSet& set);
  /// Calls use(bodies) for bodies of one shape, with their places in `work_`.
  template <class Use>
  void for_each_batch(const ConstraintSet& set, Use&& use);
  /// Into `work_.velocity`; `vector_of(body, atom, its place in the set)` is taken for each.
  template <class VectorOf>
  void put(std::span<const Body> bodies, const ConstraintSet& set, const VectorOf& vector_of);
  void project(std::span<const Body> bodies, const ConstraintSet& set,
               std::span<const Vec3> vectors);

  std::vector<Body> bodies_;
  RotorWork work_;
};

}  // namespace sterna::md
