// Idea:    a bond of bead-spring polymers, which cannot become longer than a maximum, so that
//          chains do not cross.
// Source:  Kremer and Grest, J. Chem. Phys. 92, 5057 (1990); with a shift, LAMMPS's fene/expand.
// Cost:    a logarithm, two divisions and a square root.
// Hazards: a bond longer than its maximum at the start has no meaning: the run stops, as its
//          energy is not finite. The repulsion of Kremer and Grest's bonds is a part of this term
//          (`epsilon`, `sigma`), since bonded atoms exclude each other. Leave it out where they
//          do not.
// Others:  "harmonic".

#pragma once

#include "md/forces/bonded/bonded_term.hpp"

namespace sterna::md {
namespace {

struct FeneBond {
  static constexpr std::string_view section = "bond";
  static constexpr std::string_view name = "fene";
  static constexpr std::string_view energy_name = "fene_bond";
  static constexpr std::string_view sentence =
      "A finitely extensible spring, with the repulsion of the two atoms.";
  static constexpr std::string_view formula =
      "-stiffness/2 r_max^2 ln(1 - (x/r_max)^2) + 4 epsilon ((sigma/x)^12 - (sigma/x)^6 + 1/4), "
      "the latter where x < 2^(1/6) sigma; x = r - shift";
  static constexpr std::string_view source = "Kremer and Grest, J. Chem. Phys. 92, 5057 (1990)";
  static constexpr int atoms = 2;
  static constexpr BondedParameter parameters[] = {
      {"stiffness", Dimension::stiffness, from_zero, "of the spring at x = 0", 30.0},
      {"r_max", Dimension::length, above_zero, "largest length", 1.6},
      {"epsilon", Dimension::energy, from_zero, "of the repulsion", 1.0, false, 0.0},
      {"sigma", Dimension::length, from_zero, "of the repulsion", 1.05, false, 0.0},
      {"shift", Dimension::length, any_value, "what the length is measured from", 0.02, false,
       0.0}};
  static constexpr int coefficient_count = 5;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    c[0] = p[0];
    c[1] = p[1] * p[1];
    c[2] = p[2];
    c[3] = p[3] * p[3];
    c[4] = p[4];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    using Real = ElementOf<V>;
    const V r = square_root(dot(b[0], b[0]));
    const V x = r - c[4];
    const V left = not_zero(Real(1) - x * x / c[1]);
    V slope = c[0] * x / left;
    V energy = Real(-0.5) * c[0] * c[1] * logarithm(left);
    const V ratio = c[3] / not_zero(x * x);
    const V sixth = ratio * ratio * ratio;
    const V repels = V{} + Real(0.5);
    energy =
        energy + (sixth > repels ? c[2] * (Real(4) * sixth * (sixth - Real(1)) + Real(1)) : V{});
    slope =
        slope - (sixth > repels ? c[2] * Real(24) * sixth * (Real(2) * sixth - Real(1)) / x : V{});
    f[0] = b[0] * (-slope / not_zero(r));
    return energy;
  }
};

}  // namespace
}  // namespace sterna::md
