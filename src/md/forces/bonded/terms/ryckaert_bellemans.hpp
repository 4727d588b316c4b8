// Idea:    a polynomial in the cosine of the dihedral angle.
// Source:  Ryckaert and Bellemans, Chem. Phys. Lett. 30, 123 (1975).
// Cost:    less than that of a Fourier series.
// Hazards: the paper, and GROMACS, count the angle from trans: psi = phi - 180 degrees.
// Others:  "periodic" and "opls".

#pragma once

#include "md/forces/bonded/terms/dihedral.hpp"

namespace sterna::md {
namespace {

struct RyckaertBellemans {
  static constexpr std::string_view section = "torsion";
  static constexpr std::string_view name = "ryckaert_bellemans";
  static constexpr std::string_view energy_name = "ryckaert_bellemans_torsion";
  static constexpr std::string_view sentence = "A polynomial in the cosine of the dihedral angle.";
  static constexpr std::string_view formula =
      "c0 + c1 cos psi + c2 cos^2 psi + ... + c5 cos^5 psi; psi = phi - zero_angle";
  static constexpr std::string_view source =
      "Ryckaert and Bellemans, Chem. Phys. Lett. 30, 123 (1975)";
  static constexpr int atoms = 4;
  static constexpr BondedParameter parameters[] = {
      {"c0", Dimension::energy, any_value, "coefficient", 9.28, false, 0.0},
      {"c1", Dimension::energy, any_value, "coefficient", 12.16, false, 0.0},
      {"c2", Dimension::energy, any_value, "coefficient", -13.12, false, 0.0},
      {"c3", Dimension::energy, any_value, "coefficient", -3.06, false, 0.0},
      {"c4", Dimension::energy, any_value, "coefficient", 26.24, false, 0.0},
      {"c5", Dimension::energy, any_value, "coefficient", -31.5, false, 0.0},
      {"zero_angle", Dimension::none, of_angles,
       "where the angle is counted from, in degrees: 180 (trans, as the paper and GROMACS do) or 0 "
       "(cis, as IUPAC does)",
       180.0}};
  static constexpr int coefficient_count = 6;
  static constexpr std::string_view contradiction(std::span<const double> p) {
    return p[6] == 0.0 || p[6] == 180.0 ? "" : "\"zero_angle\" must be 180 (trans) or 0 (cis)";
  }
  static void coefficients(std::span<const double> p, std::span<double> c) {
    for (std::size_t n = 0; n < 6; ++n) c[n] = p[6] == 180.0 && n % 2 == 1 ? -p[n] : p[n];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    const Dihedral<V> dihedral(b);
    const V inverse = dihedral.inverse_product();
    const V cosine = dihedral.cosine_product * inverse, sine = dihedral.sine_product * inverse;
    V energy = c[5], derivative{};
    for (int n = 4; n >= 0; --n) {
      derivative = derivative * cosine + energy;
      energy = energy * cosine + c[n];
    }
    dihedral.forces(b, -sine * derivative, f);
    return energy;
  }
};

}  // namespace
}  // namespace sterna::md
