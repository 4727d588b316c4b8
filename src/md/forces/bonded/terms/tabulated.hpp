// A curve through equidistant points with given slopes: a cubic polynomial between two points
// (Hermite), and straight lines beyond the ends. Tabulated terms are functions of it.

#pragma once

#include <cmath>
#include <vector>

#include "md/forces/bonded/bonded_term.hpp"

namespace sterna::md {
namespace {

/// The row of a table: the first point, steps per unit of the variable, the number of steps; then
/// four coefficients of each piece, lowest power first: of the line before the first point, of the
/// steps, and of the line behind the last point. `forces`: per `unit`.
inline std::vector<double> tabulated_row(double first, double last, double unit,
                                         std::span<const double> energies,
                                         std::span<const double> forces) {
  const std::size_t steps = energies.size() - 1;
  const double width = (last - first) / static_cast<double>(steps);
  std::vector<double> row{first, 1.0 / width, static_cast<double>(steps)};
  row.reserve(row.size() + 4 * (steps + 2));
  const auto slope = [&](std::size_t k) { return -forces[k] * width / unit; };
  const auto line = [&](std::size_t k) {
    row.insert(row.end(), {energies[k], slope(k), 0.0, 0.0});
  };
  line(0);
  for (std::size_t k = 0; k < steps; ++k) {
    const double rise = energies[k + 1] - energies[k];
    row.insert(row.end(), {energies[k], slope(k), 3.0 * rise - 2.0 * slope(k) - slope(k + 1),
                           slope(k) + slope(k + 1) - 2.0 * rise});
  }
  line(steps);
  return row;
}

/// For each lane: the position in its step, and the coefficients of the step.
template <class V>
struct CurveOfLanes {
  using Real = ElementOf<V>;
  V energy, slope;

  [[gnu::always_inline]] CurveOfLanes(const double* const* table, V at) {
    alignas(64) Real place[lanes<Real>], per_unit[lanes<Real>], coefficient[4][lanes<Real>];
    for (int lane = 0; lane < lanes<Real>; ++lane) {
      const double* const row = table[lane];
      const double x = (static_cast<double>(at[lane]) - row[0]) * row[1];
      // NaN stays within the table, too.
      const double piece = !(x > 0.0) ? -1.0 : x < row[2] ? std::floor(x) : row[2];
      place[lane] = static_cast<Real>(x - (piece > 0.0 ? piece : 0.0));
      per_unit[lane] = static_cast<Real>(row[1]);
      const double* const from = row + 3 + 4 * static_cast<std::size_t>(piece + 1.0);
      for (int n = 0; n < 4; ++n) coefficient[n][lane] = static_cast<Real>(from[n]);
    }
    const V t = load(place);
    const V c1 = load(coefficient[1]), c2 = load(coefficient[2]), c3 = load(coefficient[3]);
    energy = ((c3 * t + c2) * t + c1) * t + load(coefficient[0]);
    slope = ((Real(3) * c3 * t + Real(2) * c2) * t + c1) * load(per_unit);
  }
};

}  // namespace
}  // namespace sterna::md
