// Idea:    a surface over two consecutive dihedral angles, through the points of a table.
// Source:  MacKerell, Feig and Brooks, J. Comput. Chem. 25, 1400 (2004).
// Cost:    16 numbers from the table for each term, besides two dihedrals and arc tangents.
// Hazards: programs begin their tables at other angles and order their indices differently; see the
//          how-to.
// Others:  none.

#pragma once

#include "md/forces/bonded/bicubic_table.hpp"
#include "md/forces/bonded/terms/dihedral.hpp"

namespace sterna::md {
namespace {

struct Cmap {
  static constexpr std::string_view section = "cmap";
  static constexpr std::string_view name = "bicubic";
  static constexpr std::string_view energy_name = "cmap";
  static constexpr std::string_view sentence =
      "A smooth surface through a table over two dihedral angles.";
  static constexpr std::string_view formula =
      "energy(phi, psi), bicubic between the points of the table, slopes by periodic splines";
  static constexpr std::string_view source =
      "MacKerell, Feig and Brooks, J. Comput. Chem. 25, 1400 (2004)";
  static constexpr int atoms = 5;
  static constexpr std::span<const BondedParameter> parameters{};
  static std::vector<double> table(std::span<const double> /*parameters*/,
                                   std::span<const double> energies,
                                   std::span<const double> /*forces*/) {
    return bicubic_table(energies);
  }

  /// For each lane: the position in its cell, points per radian, and the coefficients of the cell.
  template <class Real>
  struct Cells {
    alignas(64) Real t[lanes<Real>], u[lanes<Real>], per_radian[lanes<Real>];
    alignas(64) Real coefficient[16][lanes<Real>];

    void take(const double* table, int lane, double phi, double psi) {
      constexpr double turn = 2.0 * std::numbers::pi;
      const int size = static_cast<int>(table[0]);
      const double row = (phi / turn + 0.5) * size, column = (psi / turn + 0.5) * size;
      const int r = cell(row, size), c = cell(column, size);
      t[lane] = static_cast<Real>(row - r);
      u[lane] = static_cast<Real>(column - c);
      per_radian[lane] = static_cast<Real>(size / turn);
      const double* const from = table + 1 + 16 * (r * size + c);
      for (int k = 0; k < 16; ++k) coefficient[k][lane] = static_cast<Real>(from[k]);
    }
    /// The cell of an angle. NaN gives a cell within the table, too.
    static int cell(double place, int size) {
      if (!(place > 0.0)) return 0;
      return place < size ? static_cast<int>(place) : size - 1;
    }
  };

  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const double* const* table,
                                           Triple<V>* f) {
    using Real = ElementOf<V>;
    const Dihedral<V> first(b), second(b + 1);
    const V phi = arc_tangent_of(first.sine_product, first.cosine_product);
    const V psi = arc_tangent_of(second.sine_product, second.cosine_product);
    Cells<Real> cells;
    for (int lane = 0; lane < lanes<Real>; ++lane) {
      cells.take(table[lane], lane, static_cast<double>(phi[lane]), static_cast<double>(psi[lane]));
    }
    const V t = load(cells.t), u = load(cells.u), per_radian = load(cells.per_radian);
    V energy{}, over_t{}, over_u{};
    for (int m = 3; m >= 0; --m) {
      const V c0 = load(cells.coefficient[4 * m]), c1 = load(cells.coefficient[4 * m + 1]);
      const V c2 = load(cells.coefficient[4 * m + 2]), c3 = load(cells.coefficient[4 * m + 3]);
      over_t = over_t * t + energy;
      energy = energy * t + (((c3 * u + c2) * u + c1) * u + c0);
      over_u = over_u * t + ((Real(3) * c3 * u + Real(2) * c2) * u + c1);
    }
    Triple<V> of_first[3], of_second[3];
    first.forces(b, per_radian * over_t, of_first);
    second.forces(b + 1, per_radian * over_u, of_second);
    f[0] = of_first[0];
    f[1] = of_first[1] + of_second[0];
    f[2] = of_first[2] + of_second[1];
    f[3] = of_second[2];
    return energy;
  }
};

}  // namespace
}  // namespace sterna::md
