// The angle between two vectors, which terms that couple angles to something are functions of.

#pragma once

#include "md/forces/bonded/bonded_term.hpp"

namespace sterna::md {
namespace {

template <class V>
struct Bend {
  Triple<V> normal;
  V sine, cosine;  ///< times the lengths of both
  V angle;         ///< from 0 to 180 degrees

  [[gnu::always_inline]] Bend(const Triple<V>& u, const Triple<V>& v)
      : normal(cross(u, v)),
        sine(square_root(dot(normal, normal))),
        cosine(dot(u, v)),
        angle(arc_tangent_of(sine, cosine)) {}

  /// Adds the forces at the ends of both vectors, from the derivative of the energy over the angle.
  /// In line there is no direction to bend in, and no force.
  [[gnu::always_inline]] void add_forces(const Triple<V>& u, const Triple<V>& v, V slope,
                                         Triple<V>& at_u, Triple<V>& at_v) const {
    at_u = at_u - cross(u, normal) * (slope / not_zero(sine * dot(u, u)));
    at_v = at_v + cross(v, normal) * (slope / not_zero(sine * dot(v, v)));
  }
};

}  // namespace
}  // namespace sterna::md
