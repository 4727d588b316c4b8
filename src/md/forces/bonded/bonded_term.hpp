#pragma once

// The tools with which the terms of this folder are written. A term is one struct in one file of
// `terms/`:
//
//   section         its section of the input, [[molecule.SECTION]]; `name` is its "potential" there
//   energy_name     the name of its energy in the log
//   sentence, formula, source   for the user; the formula as plain text
//   atoms           the number of its atoms
//   parameters      the parameters that the input gives, in this order
//   coefficient_count, coefficients   the numbers that `evaluate` reads, made once from parameters
//   evaluate        energy and forces: one text for the vectors of all instruction sets
//
// A term may also have:
//
//   listed_atoms, chosen   if the input lists more atoms than the term has: their number, and the
//                   indices of the term's atoms among them
//   table           instead of coefficients: makes a row of any length from the parameters and the
//                   numbers of the input; `evaluate` gets each lane's row
//   adds_up         true: terms of the same atoms become one term with the sum of coefficients
//   is_directed     true: the atoms in reverse order are another term
//   may_repeat      true: several terms may have the same atoms and differ in a parameter
//
// `evaluate` gets the connections of each atom with the next one. It returns, for each connection,
// minus the derivative of the energy, which is the force on all atoms beyond it.
//
// It is compiled once for each instruction set and must not be in an object that these share, so it
// is in an unnamed namespace.

#include <numbers>
#include <span>
#include <string_view>

#include "md/forces/bonded/bonded_parameter.hpp"
#include "md/simd/arc_tangent.hpp"
#include "md/simd/elementary.hpp"

namespace sterna::md {

inline constexpr Range any_value{};
inline constexpr Range above_zero{.minimum = 0.0, .exclusive_minimum = true};
inline constexpr Range from_zero{.minimum = 0.0};
inline constexpr Range of_angles{.minimum = 0.0, .maximum = 180.0};
inline constexpr Range of_turns{.minimum = -360.0, .maximum = 360.0};

inline constexpr double radians_per_degree = std::numbers::pi / 180.0;

namespace {

/// Three components for each lane.
template <class V>
struct Triple {
  V x, y, z;
  friend Triple operator+(const Triple& a, const Triple& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend Triple operator-(const Triple& a, const Triple& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend Triple operator*(const Triple& a, V s) { return {a.x * s, a.y * s, a.z * s}; }
};
template <class V>
inline V dot(const Triple<V>& a, const Triple<V>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class V>
inline Triple<V> cross(const Triple<V>& a, const Triple<V>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// A divisor, made nonzero if it is 0 by chance, because atoms are in line or coincide.
template <class V>
inline V not_zero(V value) {
  constexpr auto tiny =
      static_cast<ElementOf<V>>(sizeof(ElementOf<V>) == sizeof(float) ? 1e-24 : 1e-200);
  return larger(value, V{} + tiny);
}

template <class V>
inline V arc_tangent_of(V y, V x) {
  return arc_tangent<ElementOf<V>>(y, x);
}

}  // namespace
}  // namespace sterna::md
