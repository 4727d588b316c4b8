// Idea:    a spring between the outer atoms of an angle.
// Source:  Urey and Bradley, Phys. Rev. 38, 1969 (1931); as CHARMM has it, but with a factor 1/2.
// Cost:    that of a bond.
// Hazards: CHARMM leaves out the factor 1/2: its constant is half of this one.
// Others:  "harmonic", which holds the angle itself.

#pragma once

#include "md/forces/bonded/terms/harmonic_bond.hpp"

namespace sterna::md {
namespace {

struct UreyBradley {
  static constexpr std::string_view section = "angle";
  static constexpr std::string_view name = "urey_bradley";
  static constexpr std::string_view energy_name = "urey_bradley";
  static constexpr std::string_view sentence = "A spring between the outer atoms of an angle.";
  static constexpr std::string_view formula = "stiffness/2 (r13 - r0)^2";
  static constexpr std::string_view source = "Urey and Bradley, Phys. Rev. 38, 1969 (1931)";
  static constexpr int atoms = 2;
  static constexpr int listed_atoms = 3;
  static constexpr int chosen[] = {0, 2};
  static constexpr BondedParameter parameters[] = {
      {"stiffness", Dimension::stiffness, from_zero, "of the spring, with a factor of 1/2", 12.0},
      {"r0", Dimension::length, above_zero, "distance of the outer atoms at rest", 1.8}};
  static constexpr int coefficient_count = HarmonicBond::coefficient_count;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    HarmonicBond::coefficients(p, c);
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    return HarmonicBond::evaluate(b, c, f);
  }
};

}  // namespace
}  // namespace sterna::md
