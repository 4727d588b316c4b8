#pragma once

// What the terms of this folder are written with. A term is one struct in one file of `terms/`:
//
//   section         of the input, [[molecule.SECTION]]; `name` is its "potential" there
//   energy_name     under which the log shows its energy
//   sentence, formula, source   for people; the formula as plain text
//   atoms           how many it has
//   parameters      what the input gives, in this order
//   coefficient_count, coefficients   what `evaluate` reads, made from the parameters once
//   evaluate        energy and forces: one text for the vectors of all instruction sets
//
// and, where it has them,
//
//   listed_atoms, chosen   the input lists more atoms than the term has: which of them these are
//   table           in place of coefficients: makes a row of any length from the parameters and the
//                   numbers of the input; `evaluate` gets each lane's row
//   adds_up         true: terms of the same atoms are one, whose coefficients are their sums
//   is_directed     true: its atoms in reverse are another term
//   may_repeat      true: the same atoms may have several, which differ in a parameter
//
// `evaluate` sees the atoms by the connections of each with the next one and gives back, for each
// connection, minus the derivative of the energy: what acts on all atoms beyond it.
//
// It is compiled once for each instruction set, and stands in no object that these share: hence the
// unnamed namespace.

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
  constexpr ElementOf<V> tiny = sizeof(ElementOf<V>) == sizeof(float) ? 1e-24f : 1e-200;
  return larger(value, V{} + tiny);
}

template <class V>
inline V arc_tangent_of(V y, V x) {
  return arc_tangent<ElementOf<V>>(y, x);
}

}  // namespace
}  // namespace sterna::md
