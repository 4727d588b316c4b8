// Idea:    overlapping spheres push each other apart like springs.
// Source:  Durian, Phys. Rev. Lett. 75, 4780 (1995); LAMMPS, pair_style harmonic/cut.
// Cost:    a few multiplications.
// Hazards: particles pass through each other.
// Others:  "soft", which is flat where particles lie on each other.

#pragma once

#include "md/forces/pair/potentials/pair_potential.hpp"

namespace sterna::md {
namespace {

struct HarmonicRepulsion {
  static constexpr std::string_view name = "harmonic_repulsion";
  static constexpr std::string_view sentence =
      "Springs between spheres that overlap: foams, jammed packings.";
  static constexpr std::string_view formula =
      "stiffness/2 (cutoff - r)^2 up to the cutoff, 0 beyond";
  static constexpr std::string_view source = "Durian, Phys. Rev. Lett. 75, 4780 (1995)";
  static constexpr PairParameter parameters[] = {
      {"stiffness", Dimension::stiffness, number_from_zero, "of the spring", 8.0}};
  static constexpr int coefficient_count = 2;
  static constexpr bool finite_at_zero = true;

  static double own_end(std::span<const double>, double cutoff) { return cutoff; }
  static void coefficients(std::span<const double> p, double cutoff, std::span<double> c) {
    c[0] = p[0];
    c[1] = cutoff;
  }
  static PairScale scale(std::span<const double> p, double cutoff) {
    return {cutoff, 0.5 * p[0] * cutoff * cutoff};
  }

  template <class V>
  [[gnu::always_inline]] static PairValue<V> evaluate(const PairDistance<V>& pair, const V* c) {
    const V overlap = c[1] - pair.distance, force = c[0] * overlap;
    return {0.5 * (force * overlap), force * pair.inverse};
  }
};

}  // namespace
}  // namespace sterna::md
