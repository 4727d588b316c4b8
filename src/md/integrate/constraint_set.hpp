#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "md/core/vector.hpp"
#include "md/system/ghosted_vectors.hpp"

namespace sterna::md {

/// NaN where one of them is.
inline double largest_of(double a, double b) {
  return a < b || std::isnan(b) ? b : a;
}

/// Groups of constraints: those of local particles alone, those that have ghosts of other ranks
/// too, or all.
enum class GroupsPart { inside, border, all };

/// The constraints that a rank takes part in, with what solvers ask of each.
struct ConstraintSet {
  struct Atom {
    std::uint32_t place;   ///< in the store: of the image beside the other atom
    std::uint32_t vector;  ///< of its velocity: the local particle's, where this rank owns it
    double weight;         ///< inverse mass
  };
  struct Constraint {
    std::uint32_t first, second;  ///< in `atoms`
    double squared_distance;
    Vec3 connection;  ///< from the second to the first, when the step began
  };
  std::vector<Constraint> constraints;
  std::vector<Atom> atoms;

  double weight(const Constraint& constraint) const {
    return atoms[constraint.first].weight + atoms[constraint.second].weight;
  }
  /// Of the vectors of the first and the second atom.
  Vec3 difference(const Constraint& constraint, const ConstGhostedVectors& vectors) const {
    return vectors[atoms[constraint.first].vector] - vectors[atoms[constraint.second].vector];
  }
  /// What takes `along` off the product of that difference and the connection.
  double multiplier(const Constraint& constraint, double along) const {
    const Vec3& r = constraint.connection;
    return along / (weight(constraint) * dot(r, r));
  }
  /// Changes the vectors of both atoms along the connection.
  void push(const Constraint& constraint, double multiplier, Vec3& first, Vec3& second) const {
    first -= (atoms[constraint.first].weight * multiplier) * constraint.connection;
    second += (atoms[constraint.second].weight * multiplier) * constraint.connection;
  }
  void push(const Constraint& constraint, double multiplier, const GhostedVectors& vectors) const {
    push(constraint, multiplier, vectors[atoms[constraint.first].vector],
         vectors[atoms[constraint.second].vector]);
  }
  /// What a push of one takes off the product of the other's difference and connection, for each
  /// multiplier. Both are of one group.
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
