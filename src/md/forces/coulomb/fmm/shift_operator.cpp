#include "md/forces/coulomb/fmm/shift_operator.hpp"

#include <algorithm>
#include <cmath>

namespace sterna::md {
namespace {

/// Wigner's d^l(beta) with element (m', m) at (m' + l) * (2l + 1) + m + l, for l = 0 to order. It
/// is built by coupling two spins 1/2 at a time (Risbo, J. Geodesy 70, 383 (1996)), without
/// alternating sums, so that no digits are lost.
std::vector<std::vector<double>> wigner_matrices(int order, double beta) {
  const double c = std::cos(0.5 * beta), s = std::sin(0.5 * beta);
  std::vector<std::vector<double>> matrices{{1.0}};
  std::vector<double> previous{1.0};
  std::vector<double> roots;
  for (int n = 0; n <= 2 * order; ++n) roots.push_back(std::sqrt(n));
  for (int twice = 1; twice <= 2 * order; ++twice) {  // twice the angular momentum
    const int size = twice + 1;
    std::vector<double> next(static_cast<std::size_t>(size * size), 0.0);
    for (int i = 0; i < twice; ++i) {
      for (int j = 0; j < twice; ++j) {
        const double value = previous[i * twice + j] / twice;
        const auto root = [&](int a, int b) { return roots[a] * roots[b]; };
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

/// The rotation about y for real harmonics, which does not mix cosine and sine types.
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

/// Powers of `base` from 0 to `highest`.
std::vector<double> powers(double base, int highest) {
  std::vector<double> values{1.0};
  for (int n = 1; n <= highest; ++n) values.push_back(values.back() * base);
  return values;
}

/// The elements of a shift along z by length 1.
class AlongZ {
 public:
  AlongZ(Shift shift, int order, double distance)
      : shift_(shift), powers_(powers(distance, 2 * order + 1)) {
    factorials_.push_back(1.0);
    for (int n = 1; n <= 2 * order; ++n) factorials_.push_back(factorials_.back() * n);
    for (const double factorial : factorials_) roots_.push_back(std::sqrt(factorial));
  }

  double element(int to, int from, int m) const {
    const auto norm = [&](int l) { return roots_[l - m] * roots_[l + m]; };
    if (shift_ == Shift::multipole_to_local) {
      const double size = factorials_[to + from] / (norm(to) * norm(from)) / powers_[to + from + 1];
      return (to + m) % 2 == 0 ? size : -size;
    }
    // A multipole shifted by d gets the coefficients of R_l(r + d) at -d; for local expansions the
    // matrix is transposed.
    const int low = std::min(to, from), high = std::max(to, from);
    const bool outward = shift_ == Shift::multipole_to_multipole;
    if (outward ? to < from : to > from) return 0.0;
    const double size = norm(high) / (norm(low) * factorials_[high - low]) * powers_[high - low];
    return outward && (high - low) % 2 != 0 ? -size : size;
  }

 private:
  Shift shift_;
  std::vector<double> powers_, factorials_, roots_;  ///< of the distance; n!; sqrt(n!)
};

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
  // The factors of the coefficients for a unit of length.
  const auto unit_factors = [order](bool multipole, double unit) {
    std::vector<double> factors = powers(multipole ? unit : 1.0 / unit, order + 1);
    if (!multipole) factors.erase(factors.begin());
    return factors;
  };
  const auto from_factors = unit_factors(shift != Shift::local_to_local, from_unit);
  const auto to_factors = unit_factors(shift == Shift::multipole_to_multipole, to_unit);
  const AlongZ along_z(shift, order, distance);
  for (int m = 0; m <= order; ++m)
    for (int from = m; from <= order; ++from)
      for (int to = m; to <= order; ++to) {
        result.along_z.push_back(along_z.element(to, from, m) * from_factors[from] /
                                 to_factors[to]);
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
