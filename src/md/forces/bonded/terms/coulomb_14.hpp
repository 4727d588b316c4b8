// Idea:    the charges of two atoms whose pair is excluded elsewhere, mostly three bonds apart.
// Source:  general; without a cutoff, as in OpenMM's exceptions and GROMACS's [pairs].
// Cost:    a square root and a division.
// Hazards: none.
// Others:  none.

#pragma once

#include "md/forces/bonded/bonded_term.hpp"

namespace sterna::md {
namespace {

struct Coulomb14 {
  static constexpr std::string_view section = "special_pair";
  static constexpr std::string_view name = "coulomb";
  static constexpr std::string_view energy_name = "coulomb_14";
  static constexpr std::string_view sentence = "The charges of a special pair.";
  static constexpr std::string_view formula = "charge_product / (4 pi epsilon_0 r)";
  static constexpr std::string_view source = "general";
  static constexpr int atoms = 2;
  static constexpr BondedParameter parameters[] = {
      {"charge_product", Dimension::none, any_value,
       "product of two charges, in squares of their unit", -0.6, false, 0.0}};
  static constexpr int coefficient_count = 1;
  static void coefficients(std::span<const double> p, std::span<double> c) { c[0] = p[0]; }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    const V inverse = ElementOf<V>(1) / not_zero(square_root(dot(b[0], b[0])));
    const V energy = c[0] * inverse;
    f[0] = b[0] * (energy * inverse * inverse);
    return energy;
  }
};

}  // namespace
}  // namespace sterna::md
