#include "md/observe/interface_fit.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

namespace sterna::md {
namespace {

using Parameters = std::array<double, 4>;

Interface interface_of(const Parameters& p) {
  return {p[0], p[1], p[2], p[3]};
}

double squares_of(const Parameters& p, std::span<const double> densities, double width) {
  const Interface model = interface_of(p);
  double sum = 0.0;
  for (std::size_t k = 0; k < densities.size(); ++k) {
    const double off = densities[k] - model.density((static_cast<double>(k) + 0.5) * width);
    sum += off * off;
  }
  return sum;
}

/// How the density changes with the parameters.
Parameters slopes_of(const Interface& model, double distance) {
  const double u = 2.0 * (distance - model.place) / model.thickness, step = std::tanh(u);
  const double steep = 0.5 * (model.liquid - model.vapor) * (1.0 - step * step);
  return {0.5 * (1.0 - step), 0.5 * (1.0 + step), 2.0 * steep / model.thickness,
          u * steep / model.thickness};
}

/// Solves by elimination with pivots; false where it cannot.
bool solve(std::array<Parameters, 4> matrix, Parameters right, Parameters& solution) {
  for (std::size_t k = 0; k < 4; ++k) {
    std::size_t pivot = k;
    for (std::size_t row = k + 1; row < 4; ++row) {
      if (std::abs(matrix[row][k]) > std::abs(matrix[pivot][k])) pivot = row;
    }
    if (!(std::abs(matrix[pivot][k]) > 0.0)) return false;
    std::swap(matrix[k], matrix[pivot]);
    std::swap(right[k], right[pivot]);
    for (std::size_t row = k + 1; row < 4; ++row) {
      const double factor = matrix[row][k] / matrix[k][k];
      for (std::size_t column = k; column < 4; ++column) {
        matrix[row][column] -= factor * matrix[k][column];
      }
      right[row] -= factor * right[k];
    }
  }
  for (std::size_t k = 4; k-- > 0;) {
    double sum = right[k];
    for (std::size_t column = k + 1; column < 4; ++column)
      sum -= matrix[k][column] * solution[column];
    solution[k] = sum / matrix[k][k];
  }
  return true;
}

}  // namespace

std::optional<Interface> fit_interface(std::span<const double> densities, double width) {
  const std::size_t count = densities.size(), few = std::max<std::size_t>(count / 8, 1);
  const auto mean = [&](std::size_t first) {
    const auto part = densities.subspan(first, few);
    return std::accumulate(part.begin(), part.end(), 0.0) / static_cast<double>(few);
  };
  const double inner = mean(0), outer = mean(count - few);
  if (!(inner > outer)) return std::nullopt;
  const double half = 0.5 * (inner + outer);
  const auto found = std::ranges::find_if(densities, [&](double value) { return value < half; });
  const auto at = static_cast<double>(found - densities.begin());
  const double longest = static_cast<double>(count) * width;
  Parameters now{inner, outer, at * width, std::max(4.0 * width, 0.05 * longest)};
  double squares = squares_of(now, densities, width);
  // Levenberg and Marquardt.
  double damping = 1e-3;
  for (int step = 0; step < 200 && damping < 1e12; ++step) {
    std::array<Parameters, 4> matrix{};
    Parameters right{};
    const Interface model = interface_of(now);
    for (std::size_t k = 0; k < count; ++k) {
      const double distance = (static_cast<double>(k) + 0.5) * width;
      const Parameters slopes = slopes_of(model, distance);
      const double off = densities[k] - model.density(distance);
      for (std::size_t a = 0; a < 4; ++a) {
        right[a] += slopes[a] * off;
        for (std::size_t b = 0; b < 4; ++b) matrix[a][b] += slopes[a] * slopes[b];
      }
    }
    for (std::size_t a = 0; a < 4; ++a) matrix[a][a] *= 1.0 + damping;
    Parameters change{};
    if (!solve(matrix, right, change)) return std::nullopt;
    Parameters next = now;
    for (std::size_t a = 0; a < 4; ++a) next[a] += change[a];
    const double then = next[3] > 0.0 ? squares_of(next, densities, width) : squares + 1.0;
    if (!(then <= squares)) {
      damping *= 4.0;
      continue;
    }
    const bool ends = squares - then <= 1e-14 * squares;
    now = next;
    squares = then;
    damping = std::max(damping / 4.0, 1e-12);
    if (ends) break;
  }
  const Interface fitted = interface_of(now);
  if (!(fitted.liquid > fitted.vapor) || !(fitted.place > 0.0) || !(fitted.place < longest) ||
      !(fitted.thickness < longest)) {
    return std::nullopt;
  }
  return fitted;
}

}  // namespace sterna::md
