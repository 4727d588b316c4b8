#pragma once

// What the potentials of this folder are written with. A potential is one struct in one file:
//
//   name, sentence, formula, source   for people; the formula as plain text
//   parameters                        what [[pair]] gives, in this order
//   coefficient_count, coefficients   what `evaluate` reads, made from the parameters once
//   evaluate                          u and -u'/r of a pair: one text for all vectors and `double`
//
// and, where it has them,
//
//   own_end         the distance at which it ends by itself: nothing is cut off there
//   finite_at_zero  true: two particles may lie at one place
//   scale           its size and energy, where they are not found from the curve
//   reads_table     true: its numbers come from a file
//   powers_12_and_6 true: u = c[0] r^-12 - c[1] r^-6, so that CHARMM's force switch can end it
//
// It is compiled once for each instruction set, and stands in no object that these share: hence the
// unnamed namespace.

#include <span>
#include <string_view>

#include "md/forces/pair/pair_parameter.hpp"
#include "md/simd/elementary.hpp"

namespace sterna::md {

/// What a potential may read of a pair. V: a vector of the kernels, or `double`.
template <class V>
struct PairDistance {
  V squared;                  ///< r^2
  V distance;                 ///< r
  V inverse;                  ///< 1/r
  V inverse_squared;          ///< 1/r^2
  const ElementOf<V>* table;  ///< of potentials that read one
};

template <class V>
struct PairValue {
  V energy;        ///< u
  V force_over_r;  ///< -u'/r
};

/// How large the particles of a pair are to each other, and how strongly they interact.
struct PairScale {
  double size = 0.0;
  double energy = 0.0;
};

inline constexpr Range any_number{};
inline constexpr Range positive_number{.minimum = 0.0, .exclusive_minimum = true};
inline constexpr Range number_from_zero{.minimum = 0.0};

}  // namespace sterna::md
