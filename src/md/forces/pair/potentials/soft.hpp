// Idea:    half a wave of a cosine: pushes overlapping particles apart without large forces.
// Source:  LAMMPS, pair_style soft.
// Cost:    a sine and a cosine.
// Hazards: particles pass through each other.
// Others:  [[limit]] with the true potential, for starts with overlaps.

#pragma once

#include "md/forces/pair/potentials/pair_potential.hpp"

namespace sterna::md {
namespace {

struct Soft {
  static constexpr std::string_view name = "soft";
  static constexpr std::string_view sentence =
      "A soft push that ends at the cutoff: starts with overlaps, coarse models.";
  static constexpr std::string_view formula =
      "amplitude (1 + cos(pi r/cutoff)) up to the cutoff, 0 beyond";
  static constexpr std::string_view source = "LAMMPS, pair_style soft";
  static constexpr PairParameter parameters[] = {
      {"amplitude", Dimension::energy, any_number, "half of the energy at r = 0", 5.0}};
  static constexpr int coefficient_count = 3;
  static constexpr bool finite_at_zero = true;

  static double own_end(std::span<const double>, double cutoff) { return cutoff; }
  static void coefficients(std::span<const double> p, double cutoff, std::span<double> c) {
    constexpr double pi = 3.14159265358979323846;
    c[0] = 2.0 * p[0];
    c[1] = 0.25 * pi / cutoff;
    c[2] = 2.0 * p[0] * pi / cutoff;
  }
  static PairScale scale(std::span<const double> p, double cutoff) {
    return {cutoff, p[0] < 0.0 ? -p[0] : p[0]};
  }

  template <class V>
  [[gnu::always_inline]] static PairValue<V> evaluate(const PairDistance<V>& pair, const V* c) {
    // The cosine is taken of half the angle, because 1 + cos(2 x) = 2 cos(x)^2 loses no digits near
    // the cutoff.
    V sine, cosine;
    sine_and_cosine_of_double(c[1] * pair.distance, sine, cosine);
    return {c[0] * cosine * cosine, c[2] * sine * cosine * pair.inverse};
  }
};

}  // namespace
}  // namespace sterna::md
