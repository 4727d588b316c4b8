#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "md/core/quaternion.hpp"
#include "md/core/vector.hpp"

namespace sterna::md {

/// What one body, a, gets from another, b. A body is a rigid molecule or an atom.
struct BodyPairSums {
  double energy = 0.0;
  double by_lambda = 0.0;       ///< derivative of the energy
  Vec3 force{};                 ///< on a; b has the opposite
  Vec3 torque_a{}, torque_b{};  ///< about the centers
  double reaction_field = 0.0;  ///< a part of the energy, which adds to each diagonal element of
                                ///< the virial, as if the cutoff scaled with the box
};

/// What lies beyond the cutoff of bodies, for their counts in a volume: of the wells, and the energy of
/// whole dipoles in their own reaction fields, three times which is their virial.
struct BodiesBeyond {
  double energy = 0.0, virial = 0.0;
  double in_own_field = 0.0;
};

/// Pairs of rigid molecules, or of one and an atom, one after the other: for terms that have few of
/// them. Kinds are types and components, as `Position::type` counts them.
class BodyPairs {
 public:
  virtual ~BodyPairs() = default;

  /// Whether these kinds act on each other.
  virtual bool act(std::size_t a, std::size_t b) const = 0;
  /// Whether these kinds have van der Waals interactions with each other.
  virtual bool have_wells(std::size_t a, std::size_t b) const = 0;
  /// The distance of centers up to which any two act on each other.
  virtual double range() const = 0;
  /// Puts sites and directions of a body of this kind, as its orientation turns them, into a buffer.
  virtual void turn(std::size_t kind, const Quaternion& orientation,
                    std::vector<Vec3>& into) const = 0;
  std::vector<Vec3> turned(std::size_t kind, const Quaternion& orientation) const {
    std::vector<Vec3> vectors;
    turn(kind, orientation, vectors);
    return vectors;
  }
  /// Van der Waals interactions, switched off by lambda with soft cores. `d` joins the centers, from b
  /// to a; `of_a` and `of_b` are what `turn` makes.
  virtual BodyPairSums van_der_waals(std::size_t a, std::size_t b, const Vec3& d,
                                     std::span<const Vec3> of_a, std::span<const Vec3> of_b,
                                     double lambda) const = 0;
  /// Whole charges and multipoles, as far as their interaction ends at the cutoff.
  virtual BodyPairSums electrostatic(std::size_t a, std::size_t b, const Vec3& d,
                                     std::span<const Vec3> of_a,
                                     std::span<const Vec3> of_b) const = 0;
};

}  // namespace sterna::md
