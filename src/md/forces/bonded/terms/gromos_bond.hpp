// Idea:    a bond whose energy needs no square root.
// Source:  van Gunsteren et al., Biomolecular Simulation: The GROMOS96 Manual and User Guide (1996).
// Cost:    less than that of "harmonic".
// Hazards: none.
// Others:  "harmonic", which has the same curvature at r0 with the same stiffness.

#pragma once

#include "md/forces/bonded/bonded_term.hpp"

namespace sterna::md {
namespace {

struct GromosBond {
  static constexpr std::string_view section = "bond";
  static constexpr std::string_view name = "gromos";
  static constexpr std::string_view energy_name = "gromos_bond";
  static constexpr std::string_view sentence = "The bond of GROMOS, of fourth power.";
  static constexpr std::string_view formula = "stiffness/(8 r0^2) (r^2 - r0^2)^2";
  static constexpr std::string_view source = "GROMOS96 manual (1996)";
  static constexpr int atoms = 2;
  static constexpr BondedParameter parameters[] = {
      {"stiffness", Dimension::stiffness, from_zero, "second derivative of the energy at r0", 40.0},
      {"r0", Dimension::length, above_zero, "length at rest", 1.1}};
  static constexpr int coefficient_count = 2;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    c[1] = p[1] * p[1];
    c[0] = p[0] / (8.0 * c[1]);
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    const V rest = dot(b[0], b[0]) - c[1];
    f[0] = b[0] * (ElementOf<V>(-4) * c[0] * rest);
    return c[0] * rest * rest;
  }
};

}  // namespace
}  // namespace sterna::md
