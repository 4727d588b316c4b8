// The angle between two vectors, of which the terms are functions that couple an angle to another
// coordinate.

#pragma once

#include "md/forces/bonded/bonded_term.hpp"

namespace sterna::md {
namespace {

template <class V>
struct Bend {
  Triple<V> normal;
  V sine, cosine;  ///< times the lengths of both vectors
  V angle;         ///< from 0 to 180 degrees

  [[gnu::always_inline]] Bend(const Triple<V>& u, const Triple<V>& v)
      : normal(cross(u, v)),
        sine(square_root(dot(normal, normal))),
        cosine(dot(u, v)),
        angle(arc_tangent_of(sine, cosine)) {}

  /// The angle of three atoms whose bonds point from the first to the middle and on to the last
  /// atom. If two of them coincide, it is NaN, so that the check of the start stops the run and
  /// names the atoms.
  [[gnu::always_inline]] explicit Bend(const Triple<V>* b) : Bend(negated(b[0]), b[1]) {
    const V arms = dot(b[0], b[0]) * dot(b[1], b[1]);
    angle = angle + (arms - arms) / arms;
  }

  /// Adds the forces at the ends of both vectors, from the derivative of the energy with respect to
  /// the angle. If the vectors are in line, the direction of bending is undefined, and the force is
  /// 0.
  [[gnu::always_inline]] void add_forces(const Triple<V>& u, const Triple<V>& v, V slope,
                                         Triple<V>& at_u, Triple<V>& at_v) const {
    at_u = at_u - cross(u, normal) * (slope / not_zero(sine * dot(u, u)));
    at_v = at_v + cross(v, normal) * (slope / not_zero(sine * dot(v, v)));
  }
  /// Sets the forces beyond both bonds of three atoms.
  [[gnu::always_inline]] void set_forces(const Triple<V>* b, V slope, Triple<V>* f) const {
    Triple<V> at_first{}, at_last{};
    add_forces(negated(b[0]), b[1], slope, at_first, at_last);
    f[0] = negated(at_first);
    f[1] = at_last;
  }

 private:
  [[gnu::always_inline]] static Triple<V> negated(const Triple<V>& v) {
    const V zero{};
    return {zero - v.x, zero - v.y, zero - v.z};
  }
};

}  // namespace
}  // namespace sterna::md
