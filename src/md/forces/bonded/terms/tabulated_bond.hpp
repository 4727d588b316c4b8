// Idea:    any function of the length of a bond, from a table.
// Source:  GROMACS manual, "Tabulated interaction functions"; the bonds of type 8 and 9.
// Cost:    four numbers from the table for each bond.
// Hazards: beyond the ends of the table the force stays that of its last point.
// Others:  potentials with a formula, which need no table.

#pragma once

#include "md/forces/bonded/terms/tabulated.hpp"

namespace sterna::md {
namespace {

struct TabulatedBond {
  static constexpr std::string_view section = "bond";
  static constexpr std::string_view name = "tabulated";
  static constexpr std::string_view energy_name = "tabulated_bond";
  static constexpr std::string_view sentence = "A function of the length, from a table.";
  static constexpr std::string_view formula =
      "energy(r), cubic between the points of the table, slopes by the forces; lines beyond its "
      "ends";
  static constexpr std::string_view source = "GROMACS manual, \"Tabulated interaction functions\"";
  static constexpr int atoms = 2;
  static constexpr BondedParameter parameters[] = {
      {"r_first", Dimension::length, from_zero, "length of the first point of the table", 0.1},
      {"r_last", Dimension::length, above_zero, "length of its last point", 3.1}};
  static constexpr std::string_view contradiction(std::span<const double> p) {
    return p[0] < p[1] ? "" : "\"r_last\" must be above \"r_first\"";
  }
  static std::vector<double> table(std::span<const double> p, std::span<const double> energies,
                                   std::span<const double> forces) {
    return tabulated_row(p[0], p[1], 1.0, energies, forces);
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const double* const* table,
                                           Triple<V>* f) {
    const V r = square_root(dot(b[0], b[0]));
    const CurveOfLanes<V> curve(table, r);
    f[0] = b[0] * (-curve.slope / not_zero(r));
    return curve.energy;
  }
};

}  // namespace
}  // namespace sterna::md
