#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "md/core/vector.hpp"
#include "md/system/ghosted_vectors.hpp"

namespace sterna::md {

/// The larger number, or NaN if either is NaN.
inline double largest_of(double a, double b) {
  return a < b || std::isnan(b) ? b : a;
}

/// Groups of constraints: those with local particles only, those that also have ghosts of other
/// ranks, or all.
enum class GroupsPart { inside, border, all };

/// The constraints that a rank takes part in, and functions of them that solvers need.
struct ConstraintSet {
  struct Atom {
    std::uint32_t place;   ///< in the store, of the image near the other atom
    std::uint32_t vector;  ///< index of its velocity: that of the local particle if owned
    double weight;         ///< inverse mass
  };
  struct Constraint {
    std::uint32_t first, second;  ///< in `atoms`
    double squared_distance;
    Vec3 connection;  ///< from the second atom to the first at the begin of the step
  };
  std::vector<Constraint> constraints;
  std::vector<Atom> atoms;

  double weight(const Constraint& constraint) const {
    return atoms[constraint.first].weight + atoms[constraint.second].weight;
  }
  /// The vector of the first atom minus that of the second.
  Vec3 difference(const Constraint& constraint, const ConstGhostedVectors& vectors) const {
    return vectors[atoms[constraint.first].vector] - vectors[atoms[constraint.second].vector];
  }
  /// The multiplier that reduces the product of this difference and the connection by `along`.
  double multiplier(const Constraint& constraint, double along) const {
    const Vec3& r = constraint.connection;
    return along / (weight(constraint) * dot(r, r));
  }
  /// Changes the vectors of both atoms by the multiplier along the connection.
  void push(const Constraint& constraint, double multiplier, Vec3& first, Vec3& second) const {
    first -= (atoms[constraint.first].weight * multiplier) * constraint.connection;
    second += (atoms[constraint.second].weight * multiplier) * constraint.connection;
  }
  void push(const Constraint& constraint, double multiplier, const GhostedVectors& vectors) const {
    push(constraint, multiplier, vectors[atoms[constraint.first].vector],
         vectors[atoms[constraint.second].vector]);
  }
  /// The reduction, per unit of multiplier of one constraint, of the product of the other's
  /// difference and connection. Both constraints are in the same group.
  double coupling(const Constraint& one, const Constraint& other) const {
    double sum = 0.0;
    if (one.first == other.first) sum += atoms[one.first].weight;
    if (one.second == other.second) sum += atoms[one.second].weight;
    if (one.first == other.second) sum -= atoms[one.first].weight;
    if (one.second == other.first) sum -= atoms[one.second].weight;
    return sum * dot(one.connection, other.connection);
  }
};

}  // namespace sterna::md
