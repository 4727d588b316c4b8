// Idea:    a polynomial in the cosine of an angle, and its sine: every finite Fourier series of the
//          angle that is even about 0 and 180 degrees, and cosines of the angle less a phase.
// Source:  the angle of bead-spring polymers and of UFF and DREIDING: Rappe et al., J. Am. Chem.
//          Soc. 114, 10024 (1992); Mayo, Olafson and Goddard, J. Phys. Chem. 94, 8897 (1990).
// Cost:    that of "cosine_squared" and ten multiplications.
// Hazards: with a sine the force has no direction where atoms are in line. LAMMPS's styles
//          "cosine", "fourier" and "cosine/periodic" give a Fourier series: cos 2 theta = 2 cos^2
//          theta - 1, and so on.
// Others:  "polynomial", in the angle itself.

#pragma once

#include "md/forces/bonded/terms/angle_cosine.hpp"
#include "md/forces/bonded/terms/bend.hpp"

namespace sterna::md {
namespace {

struct CosinePolynomialAngle {
  static constexpr std::string_view section = "angle";
  static constexpr std::string_view name = "cosine_polynomial";
  static constexpr std::string_view energy_name = "cosine_polynomial_angle";
  static constexpr std::string_view sentence =
      "A polynomial in the cosine of an angle, and its sine.";
  static constexpr std::string_view formula =
      "c0 + c1 cos theta + c2 cos^2 theta + ... + c6 cos^6 theta + s1 sin theta";
  static constexpr std::string_view source =
      "Rappe et al., J. Am. Chem. Soc. 114, 10024 (1992), UFF";
  static constexpr int atoms = 3;
  static constexpr BondedParameter parameters[] = {
      {"c0", Dimension::energy, any_value, "coefficient", 3.0, false, 0.0},
      {"c1", Dimension::energy, any_value, "coefficient", 2.0, false, 0.0},
      {"c2", Dimension::energy, any_value, "coefficient", -1.5, false, 0.0},
      {"c3", Dimension::energy, any_value, "coefficient", 4.0, false, 0.0},
      {"c4", Dimension::energy, any_value, "coefficient", 0.7, false, 0.0},
      {"c5", Dimension::energy, any_value, "coefficient", -2.5, false, 0.0},
      {"c6", Dimension::energy, any_value, "coefficient", 1.3, false, 0.0},
      {"s1", Dimension::energy, any_value, "coefficient of the sine", 1.5, false, 0.0}};
  static constexpr int coefficient_count = 8;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    for (std::size_t n = 0; n < 8; ++n) c[n] = p[n];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    const AngleCosine<V> angle(b);
    V energy = c[6], derivative{};
    for (int n = 5; n >= 0; --n) {
      derivative = derivative * angle.cosine + energy;
      energy = energy * angle.cosine + c[n];
    }
    const Bend<V> bend(b);
    Triple<V> of_sine[2];
    bend.set_forces(b, c[7] * angle.cosine, of_sine);
    angle.forces(b, derivative, f);
    f[0] = f[0] + of_sine[0];
    f[1] = f[1] + of_sine[1];
    return energy + c[7] * bend.sine * angle.inverse_product;
  }
};

}  // namespace
}  // namespace sterna::md
