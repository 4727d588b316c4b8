// Idea:    the Fourier series of the OPLS force fields.
// Source:  Jorgensen, Madura and Swenson, J. Am. Chem. Soc. 106, 6638 (1984).
// Cost:    that of "periodic".
// Hazards: the tables of some papers count phi from trans and give other signs.
// Others:  "periodic", whose phases are free.

#pragma once

#include "md/forces/bonded/terms/periodic_torsion.hpp"

namespace sterna::md {
namespace {

struct OplsTorsion {
  static constexpr std::string_view section = "torsion";
  static constexpr std::string_view name = "opls";
  static constexpr std::string_view energy_name = "opls_torsion";
  static constexpr std::string_view sentence = "The Fourier series of OPLS and TraPPE.";
  static constexpr std::string_view formula =
      "v1/2 (1 + cos phi) + v2/2 (1 - cos 2 phi) + v3/2 (1 + cos 3 phi) + v4/2 (1 - cos 4 phi)";
  static constexpr std::string_view source =
      "Jorgensen, Madura and Swenson, J. Am. Chem. Soc. 106, 6638 (1984)";
  static constexpr int atoms = 4;
  static constexpr BondedParameter parameters[] = {
      {"v1", Dimension::energy, any_value, "first coefficient", 2.0, false, 0.0},
      {"v2", Dimension::energy, any_value, "second coefficient", -0.7, false, 0.0},
      {"v3", Dimension::energy, any_value, "third coefficient", 3.1, false, 0.0},
      {"v4", Dimension::energy, any_value, "fourth coefficient", 0.4, false, 0.0}};
  static constexpr int coefficient_count = FourierSeries::coefficient_count;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    for (int n = 1; n <= 4; ++n) {
      const double phase = n % 2 == 0 ? std::numbers::pi : 0.0;
      FourierSeries::add(c, 0.5 * p[static_cast<std::size_t>(n - 1)], n, phase);
    }
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    return FourierSeries::evaluate(b, c, f);
  }
};

}  // namespace
}  // namespace sterna::md
