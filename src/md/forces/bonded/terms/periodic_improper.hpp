// Idea:    a harmonic of the dihedral angle of four atoms that are no chain.
// Source:  the improper torsion of AMBER, whose central atom is the third of the four.
// Cost:    that of "periodic" in [[molecule.torsion]].
// Hazards: programs order the four atoms differently: the angle is that of the order given here.
// Others:  "harmonic", as CHARMM has it.

#pragma once

#include "md/forces/bonded/terms/periodic_torsion.hpp"

namespace sterna::md {
namespace {

struct PeriodicImproper {
  static constexpr std::string_view section = "improper";
  static constexpr std::string_view name = "periodic";
  static constexpr std::string_view energy_name = "periodic_improper";
  static constexpr std::string_view sentence =
      "A harmonic of the dihedral angle of atoms that are no chain; several of the same atoms add "
      "up.";
  static constexpr std::string_view formula = PeriodicTorsion::formula;
  static constexpr std::string_view source = "general";
  static constexpr int atoms = 4;
  static constexpr bool adds_up = true;
  static constexpr const auto& parameters = PeriodicTorsion::parameters;
  static constexpr int coefficient_count = FourierSeries::coefficient_count;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    PeriodicTorsion::coefficients(p, c);
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    return FourierSeries::evaluate(b, c, f);
  }
};

}  // namespace
}  // namespace sterna::md
