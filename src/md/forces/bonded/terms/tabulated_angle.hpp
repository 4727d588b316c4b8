// Idea:    any function of an angle, from a table.
// Source:  GROMACS manual, "Tabulated interaction functions"; the angle of type 8.
// Cost:    that of "harmonic", and four numbers from the table.
// Hazards: where atoms are in line the force has no direction, and is 0.
// Others:  potentials with a formula, which need no table.

#pragma once

#include "md/forces/bonded/terms/bend.hpp"
#include "md/forces/bonded/terms/tabulated.hpp"

namespace sterna::md {
namespace {

struct TabulatedAngle {
  static constexpr std::string_view section = "angle";
  static constexpr std::string_view name = "tabulated";
  static constexpr std::string_view energy_name = "tabulated_angle";
  static constexpr std::string_view sentence = "A function of the angle, from a table.";
  static constexpr std::string_view formula =
      "energy(theta), cubic between the points of the table, slopes by the forces";
  static constexpr std::string_view source = "GROMACS manual, \"Tabulated interaction functions\"";
  static constexpr int atoms = 3;
  static constexpr std::span<const BondedParameter> parameters{};
  static std::vector<double> table(std::span<const double> /*parameters*/,
                                   std::span<const double> energies,
                                   std::span<const double> forces) {
    return tabulated_row(0.0, std::numbers::pi, radians_per_degree, energies, forces);
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const double* const* table,
                                           Triple<V>* f) {
    // The vectors from the middle atom to the outer atoms.
    const Triple<V> u = b[0] * V(V{} - ElementOf<V>(1));
    const Bend<V> bend(u, b[1]);
    const CurveOfLanes<V> curve(table, bend.angle);
    Triple<V> at_first{}, at_last{};
    bend.add_forces(u, b[1], curve.slope, at_first, at_last);
    f[0] = at_first * V(V{} - ElementOf<V>(1));
    f[1] = at_last;
    return curve.energy;
  }
};

}  // namespace
}  // namespace sterna::md
