// The cosine of the angle of three atoms, of which the angle potentials without an arc tangent are
// functions.

#pragma once

#include "md/forces/bonded/bonded_term.hpp"

namespace sterna::md {
namespace {

template <class V>
struct AngleCosine {
  V first_squared, second_squared;  ///< squared lengths of the two bonds
  V inverse_product;                ///< one over the product of both lengths
  V cosine;

  [[gnu::always_inline]] explicit AngleCosine(const Triple<V>* b)
      : first_squared(dot(b[0], b[0])),
        second_squared(dot(b[1], b[1])),
        inverse_product(ElementOf<V>(1) / not_zero(square_root(first_squared * second_squared))),
        cosine(-dot(b[0], b[1]) * inverse_product) {}

  /// The squared sine from the cross product of the bonds, because 1 - cosine^2 loses digits if the
  /// atoms are in line.
  [[gnu::always_inline]] V sine_squared(const Triple<V>* b) const {
    const Triple<V> normal = cross(b[0], b[1]);
    return dot(normal, normal) * inverse_product * inverse_product;
  }
  /// Forces from the derivative of the energy with respect to the cosine.
  [[gnu::always_inline]] void forces(const Triple<V>* b, V slope, Triple<V>* f) const {
    f[0] = (b[1] * inverse_product + b[0] * (cosine / not_zero(first_squared))) * slope;
    f[1] = (b[0] * inverse_product + b[1] * (cosine / not_zero(second_squared))) * slope;
  }
};

}  // namespace
}  // namespace sterna::md
