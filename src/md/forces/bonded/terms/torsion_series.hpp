// Three cosines of multiples of a dihedral angle, by which the bonds and angles of a torsion are
// coupled to it.

#pragma once

#include "md/forces/bonded/terms/dihedral.hpp"

namespace sterna::md {
namespace {

template <class V>
struct TorsionSeries {
  V cosine, sine;
  [[gnu::always_inline]] explicit TorsionSeries(const Dihedral<V>& dihedral)
      : cosine(dihedral.cosine_product * dihedral.inverse_product()),
        sine(dihedral.sine_product * dihedral.inverse_product()) {}
  /// The sum c[0] cos phi + c[1] cos 2 phi + c[2] cos 3 phi, by powers of the cosine.
  [[gnu::always_inline]] V value(const V* c) const {
    using Real = ElementOf<V>;
    const V square = cosine * cosine;
    return cosine * (c[0] + c[2] * (Real(4) * square - Real(3))) +
           c[1] * (Real(2) * square - Real(1));
  }
  [[gnu::always_inline]] V slope(const V* c) const {
    using Real = ElementOf<V>;
    const V square = cosine * cosine;
    return -sine * (c[0] + Real(4) * c[1] * cosine + c[2] * (Real(12) * square - Real(3)));
  }
};

}  // namespace
}  // namespace sterna::md
