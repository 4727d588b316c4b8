// Idea:    any function of a dihedral angle, from a table.
// Source:  GROMACS manual, "Tabulated interaction functions"; the dihedral of type 8.
// Cost:    that of the dihedral and an arc tangent, and four numbers from the table.
// Hazards: the two ends of the table are one angle: where they differ, the energy jumps there.
// Others:  potentials with a formula, which need no table.

#pragma once

#include "md/forces/bonded/terms/dihedral.hpp"
#include "md/forces/bonded/terms/tabulated.hpp"

namespace sterna::md {
namespace {

struct TabulatedTorsion {
  static constexpr std::string_view section = "torsion";
  static constexpr std::string_view name = "tabulated";
  static constexpr std::string_view energy_name = "tabulated_torsion";
  static constexpr std::string_view sentence = "A function of the dihedral angle, from a table.";
  static constexpr std::string_view formula =
      "energy(phi), cubic between the points of the table, slopes by the forces";
  static constexpr std::string_view source = "GROMACS manual, \"Tabulated interaction functions\"";
  static constexpr int atoms = 4;
  static constexpr std::span<const BondedParameter> parameters{};
  static std::vector<double> table(std::span<const double> /*parameters*/,
                                   std::span<const double> energies,
                                   std::span<const double> forces) {
    return tabulated_row(-std::numbers::pi, std::numbers::pi, radians_per_degree, energies, forces);
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const double* const* table,
                                           Triple<V>* f) {
    const Dihedral<V> dihedral(b);
    const V phi = arc_tangent_of(dihedral.sine_product, dihedral.cosine_product);
    const CurveOfLanes<V> curve(table, phi);
    dihedral.forces(b, curve.slope, f);
    return curve.energy;
  }
};

}  // namespace
}  // namespace sterna::md
