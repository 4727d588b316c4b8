// The dihedral angle of four atoms, of which torsions and impropers are functions.
//
// Convention of IUPAC: 0 if the outer atoms are eclipsed (cis), 180 degrees if they are opposite
// (trans); positive if the last bond is turned clockwise, seen along the middle bond.
// Source of the derivatives: Blondel and Karplus, J. Comput. Chem. 17, 1132 (1996).

#pragma once

#include "md/forces/bonded/bonded_term.hpp"

namespace sterna::md {
namespace {

template <class V>
struct Dihedral {
  Triple<V> first, second;  ///< normals of the planes of atoms 1 to 3 and atoms 2 to 4
  V first_squared, second_squared, middle;
  V cosine_product, sine_product;  ///< of the angle, times the lengths of both normals

  [[gnu::always_inline]] explicit Dihedral(const Triple<V>* b)
      : first(cross(b[0], b[1])),
        second(cross(b[1], b[2])),
        first_squared(dot(first, first)),
        second_squared(dot(second, second)),
        middle(square_root(dot(b[1], b[1]))),
        cosine_product(dot(first, second)),
        sine_product(middle * dot(b[0], second)) {}

  [[gnu::always_inline]] V inverse_product() const {
    return ElementOf<V>(1) / not_zero(square_root(first_squared * second_squared));
  }
  /// Forces from the derivative of the energy with respect to the angle.
  [[gnu::always_inline]] void forces(const Triple<V>* b, V slope, Triple<V>* f) const {
    const Triple<V> at_first = first * (slope / not_zero(first_squared));
    const Triple<V> at_second = second * (slope / not_zero(second_squared));
    const V inverse = ElementOf<V>(1) / not_zero(middle);
    f[0] = at_first * (-middle);
    f[1] = at_first * (dot(b[0], b[1]) * inverse) + at_second * (dot(b[2], b[1]) * inverse);
    f[2] = at_second * (-middle);
  }
};

}  // namespace
}  // namespace sterna::md
