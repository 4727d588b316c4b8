// Idea:    energies and forces of a file, and a spline of fifth order between them. At its points
//          it has the energies and forces of the file, and its force is the derivative of its
//          energy everywhere, so that energy is conserved.
// Source:  Hermite interpolation; the second derivatives by the forces' own cubic spline.
// Cost:    six gathers.
// Hazards: below the first point the force is constant, so the table should begin at a distance
//          that no pair reaches.
// Others:  a formula, if there is one.

#pragma once

#include "md/forces/pair/potentials/pair_potential.hpp"

namespace sterna::md {
namespace {

struct Tabulated {
  static constexpr std::string_view name = "tabulated";
  static constexpr std::string_view sentence = "Energies and forces from a file.";
  static constexpr std::string_view formula =
      "the columns r, u and -u' of the file, joined by a spline of fifth order";
  static constexpr std::string_view source = "quintic Hermite interpolation";
  static constexpr std::span<const PairParameter> parameters = {};
  /// Coefficients of a table: where its polynomials begin, its first distance, intervals per
  /// length, the last interval. The polynomials are contiguous, with the lowest coefficient first.
  static constexpr int coefficient_count = 4;
  static constexpr int order = 6;
  static constexpr bool finite_at_zero = true;
  static constexpr bool reads_table = true;

  template <class V>
  [[gnu::always_inline]] static PairValue<V> evaluate(const PairDistance<V>& pair, const V* c) {
    const V place = (pair.distance - c[1]) * c[2];
    const V inside = larger(place, V{});
    const V interval = whole_part(smaller(inside, c[3]));
    const V x = inside - interval, below = smaller(place, V{});
    const auto first = places(c[0] + order * interval);
    V a[order];
    for (unsigned k = 0; k < order; ++k) a[k] = gather_at(pair.table + k, first);
    const V energy = a[0] + x * (a[1] + x * (a[2] + x * (a[3] + x * (a[4] + x * a[5]))));
    const V slope = a[1] + x * (2 * a[2] + x * (3 * a[3] + x * (4 * a[4] + x * (5 * a[5]))));
    return {energy + below * a[1], -(slope * c[2]) * pair.inverse};
  }
};

}  // namespace
}  // namespace sterna::md
