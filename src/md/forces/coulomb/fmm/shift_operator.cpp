#include "md/forces/coulomb/fmm/shift_operator.hpp"

#include <algorithm>
#include <cmath>

namespace sterna::md {
namespace {

/// Wigner's d^l(beta), element (m', m) at (m' + l) * (2l + 1) + m + l, for l = 0 to order. By
/// coupling two more spins of one half each time (Risbo, J. Geodesy 70, 383 (1996)): no
/// alternating sums, so that no digits are lost.
std::vector<std::vector<double>> wigner_matrices(int order, double beta) {
  const double c = std::cos(0.5 * beta), s = std::sin(0.5 * beta);
  std::vector<std::vector<double>> matrices{{1.0}};
  std::vector<double> previous{1.0};
  for (int twice = 1; twice <= 2 * order; ++twice) {  // twice the angular momentum
    const int size = twice + 1;
    std::vector<double> next(static_cast<std::size_t>(size * size), 0.0);
    for (int i = 0; i < twice; ++i) {
      for (int j = 0; j < twice; ++j) {
        const double value = previous[i * twice + j] / twice;
        const auto root = [](int a, int b) { return std::sqrt(static_cast<double>(a * b)); };
        next[i * size + j] += root(twice - i, twice - j) * c * value;
        next[i * size + j + 1] += root(twice - i, j + 1) * s * value;
        next[(i + 1) * size + j] -= root(i + 1, twice - j) * s * value;
        next[(i + 1) * size + j + 1] += root(i + 1, j + 1) * c * value;
      }
    }
    previous = std::move(next);
    if (twice % 2 == 0) matrices.push_back(previous);
  }
  return matrices;
}

/// The rotation about y for real harmonics: those of cosine and sine type do not mix.
std::vector<double> rotation_blocks(int order, double beta) {
  const auto matrices = wigner_matrices(order, beta);
  std::vector<double> blocks;
  for (int l = 0; l <= order; ++l) {
    const auto d = [&](int row, int column) {
      return matrices[l][static_cast<std::size_t>((row + l) * (2 * l + 1) + column + l)];
    };
    const auto sign = [](int m) { return m % 2 == 0 ? 1.0 : -1.0; };
    for (int m = 0; m <= l; ++m)
      for (int row = 0; row <= l; ++row) {
        // The real harmonic of m > 0 is (C_m + (-1)^m C_-m) / sqrt(2), times a sign (-1)^m.
        double value = sign(m + row);
        if (m == 0 && row == 0) {
          value *= d(0, 0);
        } else if (m == 0 || row == 0) {
          value *= std::sqrt(2.0) * d(row, m);
        } else {
          value *= d(row, m) + sign(m) * d(row, -m);
        }
        blocks.push_back(value);
      }
    for (int m = 1; m <= l; ++m)
      for (int row = 1; row <= l; ++row) {
        blocks.push_back(sign(m + row) * (d(row, m) - sign(m) * d(row, -m)));
      }
  }
  return blocks;
}

/// In units of length 1.
double along_z_element(Shift shift, int to, int from, int m, double distance) {
  const auto log_factorial = [](int n) { return std::lgamma(n + 1.0); };
  const auto roots = [&](int l) { return 0.5 * (log_factorial(l - m) + log_factorial(l + m)); };
  if (shift == Shift::multipole_to_local) {
    const double size = std::exp(log_factorial(to + from) - roots(to) - roots(from)) /
                        std::pow(distance, to + from + 1);
    return (to + m) % 2 == 0 ? size : -size;
  }
  // A multipole shifted by d gets the coefficients at -d of R_l(r + d); a local one is transposed.
  const int low = std::min(to, from), high = std::max(to, from);
  const bool outward = shift == Shift::multipole_to_multipole;
  if (outward ? to < from : to > from) return 0.0;
  const double size = std::exp(roots(high) - roots(low) - log_factorial(high - low)) *
                      std::pow(distance, high - low);
  return outward && (high - low) % 2 != 0 ? -size : size;
}

}  // namespace

ShiftOperator<double> make_shift_operator(int order, Shift shift, const Vec3& vector,
                                          double from_unit, double to_unit) {
  const double distance = std::sqrt(dot(vector, vector));
  const double azimuth = std::atan2(vector.y, vector.x);
  const double polar = std::atan2(std::hypot(vector.x, vector.y), vector.z);
  ShiftOperator<double> result;
  result.order = order;
  for (int m = 0; m <= order; ++m) {
    result.cosines.push_back(std::cos(m * azimuth));
    result.sines.push_back(std::sin(m * azimuth));
  }
  result.rotations = rotation_blocks(order, -polar);
  const auto exponent = [](bool multipole, int l) { return multipole ? l : -l - 1; };
  for (int m = 0; m <= order; ++m)
    for (int from = m; from <= order; ++from)
      for (int to = m; to <= order; ++to) {
        result.along_z.push_back(
            along_z_element(shift, to, from, m, distance) *
            std::pow(from_unit, exponent(shift != Shift::local_to_local, from)) /
            std::pow(to_unit, exponent(shift == Shift::multipole_to_multipole, to)));
      }
  return result;
}

ShiftOperator<float> narrowed(const ShiftOperator<double>& wide) {
  const auto narrow = [](const std::vector<double>& values) {
    return std::vector<float>(values.begin(), values.end());
  };
  return {wide.order, narrow(wide.cosines), narrow(wide.sines), narrow(wide.rotations),
          narrow(wide.along_z)};
}

}  // namespace sterna::md
