#include "md/forces/bonded/bicubic_table.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace sterna::md {
namespace {

/// A square matrix that is periodic in both directions.
struct Torus {
  std::size_t edge;
  std::vector<double> values;

  double at(std::size_t row, std::size_t column) const {
    return values[row % edge * edge + column % edge];
  }
};

/// An element of the inverse of the circulant matrix with rows 1, 4, 1, `distance` columns off the
/// diagonal. Slopes of a periodic spline are this inverse times three differences of the neighbors
/// on both sides.
double slope_weight(std::size_t edge, std::size_t distance) {
  const double root = std::numbers::sqrt3 - 2.0;
  const auto n = static_cast<double>(edge), k = static_cast<double>(distance);
  return (std::pow(root, k) + std::pow(root, n - k)) /
         (2.0 * std::numbers::sqrt3 * (1.0 - std::pow(root, n)));
}

/// Slopes of the periodic cubic splines along columns (over the row) or rows, per spacing of
/// points.
Torus slopes(const Torus& table, bool over_row) {
  const std::size_t n = table.edge;
  Torus result{n, std::vector<double>(n * n, 0.0)};
  std::vector<double> weight(n);
  for (std::size_t k = 0; k < n; ++k) weight[k] = 3.0 * slope_weight(n, k);
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t column = 0; column < n; ++column) {
      double& slope = result.values[row * n + column];
      for (std::size_t k = 0; k < n; ++k) {
        const double rise = over_row
                                ? table.at(row + k + 1, column) - table.at(row + k + n - 1, column)
                                : table.at(row, column + k + 1) - table.at(row, column + k + n - 1);
        slope += weight[k] * rise;
      }
    }
  }
  return result;
}

using Matrix = std::array<std::array<double, 4>, 4>;

/// The coefficients of a cubic polynomial from its values at 0 and 1 and its slopes there.
constexpr Matrix hermite{{{1, 0, 0, 0}, {0, 0, 1, 0}, {-3, 3, -2, -1}, {2, -2, 1, 1}}};

}  // namespace

std::vector<double> bicubic_table(std::span<const double> values) {
  const auto n = static_cast<std::size_t>(std::lround(std::sqrt(values.size())));
  const Torus table{n, {values.begin(), values.end()}};
  const Torus over_row = slopes(table, true), over_column = slopes(table, false);
  const Torus over_both = slopes(over_row, false);
  std::vector<double> coefficients{static_cast<double>(n)};
  coefficients.reserve(1 + 16 * n * n);
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) {
      Matrix known{};
      for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t j = 0; j < 2; ++j) {
          known[i][j] = table.at(r + i, c + j);
          known[i][j + 2] = over_column.at(r + i, c + j);
          known[i + 2][j] = over_row.at(r + i, c + j);
          known[i + 2][j + 2] = over_both.at(r + i, c + j);
        }
      }
      for (std::size_t a = 0; a < 4; ++a) {
        for (std::size_t b = 0; b < 4; ++b) {
          double sum = 0.0;
          for (std::size_t i = 0; i < 4; ++i) {
            for (std::size_t j = 0; j < 4; ++j) sum += hermite[a][i] * known[i][j] * hermite[b][j];
          }
          coefficients.push_back(sum);
        }
      }
    }
  }
  return coefficients;
}

}  // namespace sterna::md
