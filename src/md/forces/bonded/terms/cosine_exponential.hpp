// A potential well in the cosine of an angle, with a free width: the part that the terms of bond
// angles and of dihedral angles share. In the limit of steepness 0 it is depth (cos x + 1)/2,
// upside down.
//
// Source:  angle_style and dihedral_style cosine/shift/exp of LAMMPS.

#pragma once

#include <cmath>

#include "md/forces/bonded/bonded_term.hpp"

namespace sterna::md {
namespace {

struct CosineExponential {
  static constexpr std::string_view formula_text =
      "depth (1 - exp(steepness (1 + cos x)/2)) / (exp(steepness) - 1)";
  static constexpr Range of_steepness{.minimum = -80.0, .maximum = 80.0};
  static constexpr std::string_view problem_of(double steepness) {
    return steepness <= -1e-3 || steepness >= 1e-3 ? ""
                                                   : "\"steepness\" must be 0.001 off 0 or more; "
                                                     "nearer to it the potential is a cosine";
  }
  /// The coefficients that `evaluate` reads: factor, constant, steepness, cosine and sine of the
  /// rest angle, and a bound that keeps the exponential from overflowing.
  static constexpr int coefficient_count = 6;
  static void coefficients(double depth, double angle, double steepness, std::span<double> c) {
    const double kept = steepness > 0.0 ? steepness : 0.0;
    c[0] = depth / (std::exp(steepness - kept) - std::exp(-kept));
    c[1] = std::exp(-kept);
    c[2] = 0.5 * steepness;
    c[3] = std::cos(angle);
    c[4] = std::sin(angle);
    c[5] = kept;
  }
  /// The energy of an angle, and its derivatives with respect to cosine and sine.
  template <class V>
  struct Value {
    V energy, over_cosine, over_sine;
  };
  template <class V>
  [[gnu::always_inline]] static Value<V> evaluate(V cosine, V sine, const V* c) {
    const V x = cosine * c[3] + sine * c[4];
    const V grown = bounded_exponential(c[2] * (ElementOf<V>(1) + x) - c[5]);
    const V slope = -c[0] * c[2] * grown;
    return {c[0] * (c[1] - grown), slope * c[3], slope * c[4]};
  }
};

}  // namespace
}  // namespace sterna::md
