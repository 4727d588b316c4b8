#pragma once

// The building blocks of the potentials in this folder. A potential is one struct in one file:
//
//   name, sentence, formula, source   for documentation; the formula as plain text
//   parameters                        the keys of [[pair]], in this order
//   coefficient_count, coefficients   input of `evaluate`, computed once from the parameters
//   evaluate                          u and -u'/r of a pair: one source for vectors and `double`
//
// and optionally
//
//   own_end         the distance at which the potential ends by itself, without a cutoff
//   finite_at_zero  true: two particles may be at the same point
//   scale           its size and energy, if they are not computed from the curve
//   reads_table     true: its numbers come from a file
//   powers_12_and_6 true: u = c[0] r^-12 - c[1] r^-6, so that CHARMM's force switch can end it
//   mixing, mix     the parameters of two unlike types from those of each with itself: the rule as
//                   published, with its source, and the rule itself. Without them each unlike pair
//                   needs a [[pair]] of its own
//   no_mixing       why the rule of the run is not one for these parameters of two types; empty if
//                   it is. Without it each rule is one for all parameters
//
// It is compiled once for each instruction set. It must not be in an object that these share, and
// so is in the unnamed namespace.

#include <span>
#include <string_view>

#include "md/forces/pair/pair_parameter.hpp"
#include "md/model/mixed_parameters.hpp"
#include "md/simd/elementary.hpp"

namespace sterna::md {

/// The distance of a pair in the forms that a potential may read. V: a vector, or `double`.
template <class V>
struct PairDistance {
  V squared;                  ///< r^2
  V distance;                 ///< r
  V inverse;                  ///< 1/r
  V inverse_squared;          ///< 1/r^2
  const ElementOf<V>* table;  ///< the table, for potentials that read one
};

template <class V>
struct PairValue {
  V energy;        ///< u
  V force_over_r;  ///< -u'/r
};

/// The size of a pair of particles, and the strength of their interaction.
struct PairScale {
  double size = 0.0;
  double energy = 0.0;
};

inline constexpr Range any_number{};
inline constexpr Range positive_number{.minimum = 0.0, .exclusive_minimum = true};
inline constexpr Range number_from_zero{.minimum = 0.0};

}  // namespace sterna::md
