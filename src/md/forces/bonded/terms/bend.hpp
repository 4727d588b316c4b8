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

  /// The angle of three atoms whose bonds point from the first to the middle one and on to the last.
  /// Where two of them are at one place it is not a number, so that a start with such atoms ends with
  /// their names.
  [[gnu::always_inline]] explicit Bend(const Triple<V>* b) : Bend(negated(b[0]), b[1]) {
    const V arms = dot(b[0], b[0]) * dot(b[1], b[1]);
    angle = angle + (arms - arms) / arms;
  }

  /// Adds the forces at the ends of both vectors, from the derivative of the energy over the angle.
  /// In line there is no direction to bend in, and no force.
  [[gnu::always_inline]] void add_forces(const Triple<V>& u, const Triple<V>& v, V slope,
                                         Triple<V>& at_u, Triple<V>& at_v) const {
    at_u = at_u - cross(u, normal) * (slope / not_zero(sine * dot(u, u)));
    at_v = at_v + cross(v, normal) * (slope / not_zero(sine * dot(v, v)));
  }
  /// What the three atoms of such an angle have for the forces of their bonds.
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
