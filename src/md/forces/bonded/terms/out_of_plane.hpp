// The angle between a vector and a plane, of which the inversions are functions. Of three vectors
// from a center, the first two span the plane. If these two are in line there is no plane: sine and
// cosine are 0, and so are the forces.

#pragma once

#include "md/forces/bonded/bonded_term.hpp"

namespace sterna::md {
namespace {

template <class V>
struct OutOfPlane {
  Triple<V> normal, sideways;  ///< of the plane; cross product of third vector and normal
  V inverse_product;           ///< one over the lengths of normal and third vector
  V normal_squared, third_squared;
  V sine, cosine;  ///< of the angle from -90 to 90 degrees

  [[gnu::always_inline]] OutOfPlane(const Triple<V>& u, const Triple<V>& v, const Triple<V>& w)
      : normal(cross(u, v)),
        sideways(cross(normal, w)),
        inverse_product(),
        normal_squared(dot(normal, normal)),
        third_squared(dot(w, w)),
        sine(),
        cosine() {
    using Real = ElementOf<V>;
    constexpr Real in_line = sizeof(Real) == sizeof(float) ? Real(1e-12) : Real(1e-24);
    const V inverse = Real(1) / not_zero(square_root(normal_squared) * square_root(third_squared));
    inverse_product = normal_squared > in_line * dot(u, u) * dot(v, v) ? inverse : V{};
    sine = dot(normal, w) * inverse_product;
    cosine = square_root(dot(sideways, sideways)) * inverse_product;
  }

  [[gnu::always_inline]] V angle() const { return arc_tangent_of(sine, cosine); }

  /// Adds the forces at the ends of the three vectors, from the derivatives of the energy with
  /// respect to sine and cosine. If the third vector is along the normal, the gradient of the
  /// cosine is undefined, and its force is 0.
  [[gnu::always_inline]] void add_forces(const Triple<V>& u, const Triple<V>& v, const Triple<V>& w,
                                         V over_sine, V over_cosine, Triple<V>& at_u,
                                         Triple<V>& at_v, Triple<V>& at_w) const {
    const V length = square_root(dot(sideways, sideways));
    const Triple<V> along =
        sideways * (ElementOf<V>(1) / not_zero(length)) * (over_cosine * inverse_product);
    const V shrinking = over_sine * sine + over_cosine * cosine;
    const V s = over_sine * inverse_product;
    const Triple<V> over_normal =
        w * s + cross(w, along) - normal * (shrinking / not_zero(normal_squared));
    at_u = at_u - cross(v, over_normal);
    at_v = at_v - cross(over_normal, u);
    at_w = at_w - normal * s - cross(along, normal) + w * (shrinking / not_zero(third_squared));
  }
};

/// Sets the forces beyond each connection of four atoms from the forces on all atoms but the first.
template <class V>
[[gnu::always_inline]] inline void beyond(const Triple<V>& second, const Triple<V>& third,
                                          const Triple<V>& fourth, Triple<V>* f) {
  f[2] = fourth;
  f[1] = third + fourth;
  f[0] = second + f[1];
}

}  // namespace
}  // namespace sterna::md
