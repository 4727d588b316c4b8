#include "md/fmm/lattice_operator.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include "md/fmm/solid_harmonics.hpp"

namespace sterna::md {
namespace {

using Complex = std::complex<double>;
constexpr double pi = std::numbers::pi;

double factorial(int n) {
  return std::tgamma(n + 1.0);
}

double sign(int m) {
  return m % 2 == 0 ? 1.0 : -1.0;
}

/// Regularized upper incomplete gamma function Q(L + 1/2, x) for L = 0 to highest, by recurrence.
std::vector<double> upper_gamma(int highest, double x) {
  std::vector<double> values{std::erfc(std::sqrt(x))};
  double term = std::exp(-x) * std::sqrt(x) / std::tgamma(1.5);
  for (int degree = 1; degree <= highest; ++degree) {
    values.push_back(values.back() + term);
    term *= x / (degree + 0.5);
  }
  return values;
}

/// Sums over the lattice, without the boxes around the origin that are near, of S_lm up to an
/// order.
std::vector<double> lattice_sums(int order, const Lattice& lattice,
                                 const std::array<int, 3>& nearest) {
  const Lattice reciprocal = lattice.reciprocal();
  const double volume = lattice.volume();
  const double kappa = std::sqrt(pi) / std::cbrt(volume);
  std::vector<double> sums(harmonics_count(order), 0.0);

  // Cutoffs at which even the highest power in front of the Gaussian has lost.
  const double real_cutoff = 9.0 / kappa;
  int reach[3];
  for (int axis = 0; axis < 3; ++axis) {
    reach[axis] = static_cast<int>(std::ceil(real_cutoff / lattice.width(axis)));
    reach[axis] = std::max(reach[axis], nearest[axis]);
  }
  for (int x = -reach[0]; x <= reach[0]; ++x)
    for (int y = -reach[1]; y <= reach[1]; ++y)
      for (int z = -reach[2]; z <= reach[2]; ++z) {
        if (x == 0 && y == 0 && z == 0) continue;
        const bool near =
            std::abs(x) <= nearest[0] && std::abs(y) <= nearest[1] && std::abs(z) <= nearest[2];
        const Vec3 image = lattice.position({double(x), double(y), double(z)});
        const auto screened = upper_gamma(order, kappa * kappa * dot(image, image));
        const auto harmonics = irregular_harmonics(order, image);
        for (int l = 0; l <= order; l += 2) {
          // A near box is not part of the sum, but its smooth part is in the reciprocal sum.
          const double weight = near ? screened[l] - 1.0 : screened[l];
          for (int a = l * l; a < (l + 1) * (l + 1); ++a) sums[a] += weight * harmonics[a];
        }
      }

  const double reciprocal_cutoff = 20.0 * kappa;
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3& edge = lattice[axis];
    reach[axis] =
        static_cast<int>(std::ceil(reciprocal_cutoff * std::sqrt(dot(edge, edge)) / (2.0 * pi)));
  }
  for (int x = -reach[0]; x <= reach[0]; ++x)
    for (int y = -reach[1]; y <= reach[1]; ++y)
      for (int z = -reach[2]; z <= reach[2]; ++z) {
        if (x == 0 && y == 0 && z == 0) continue;
        const Vec3 k = 2.0 * pi * reciprocal.position({double(x), double(y), double(z)});
        const double k2 = dot(k, k);
        if (k2 > reciprocal_cutoff * reciprocal_cutoff) continue;
        // The transform of S_lm is 4 pi (-i)^l R_lm(k) / (k^2 (2l - 1)!!).
        const auto harmonics = regular_harmonics(order, k);
        double weight = 4.0 * pi / volume * std::exp(-k2 / (4.0 * kappa * kappa)) / k2;
        for (int l = 0; l <= order; l += 2) {
          for (int a = l * l; a < (l + 1) * (l + 1); ++a) sums[a] += weight * harmonics[a];
          weight /= -(2.0 * l + 1.0) * (2.0 * l + 3.0);
        }
      }
  // The charge's own cloud, and the background.
  sums[0] -= 2.0 * kappa / std::sqrt(pi) + pi / (kappa * kappa * volume);
  return sums;
}

}  // namespace

std::vector<double> make_lattice_operator(int order, const Lattice& lattice,
                                          const std::array<int, 3>& near, double unit) {
  const std::vector<double> sums = lattice_sums(2 * order, lattice, near);
  // In complex harmonics with factorials in them the coefficients of an expansion about a sum of
  // vectors are plain products: L_lm = sum of (-1)^l' conj(M_l'm') I_(l+l')(m+m').
  const auto norm = [](int l, int m) { return std::sqrt(factorial(l - m) * factorial(l + m)); };
  const auto irregular_sum = [&](int l, int m) -> Complex {
    const int a = std::abs(m);
    if (a == 0) return norm(l, 0) * sums[cosine_index(l, 0)];
    const Complex value = sign(a) * norm(l, a) / std::numbers::sqrt2 *
                          Complex(sums[cosine_index(l, a)], sums[sine_index(l, a)]);
    return m > 0 ? value : sign(a) * std::conj(value);
  };
  const std::size_t count = harmonics_count(order);
  std::vector<double> matrix(count * count, 0.0);
  /// Column `b`: the multipole `b` has the complex coefficient `moment` at (degree, m) and, for
  /// m > 0, its mirror at -m.
  const auto fill = [&](std::size_t b, int degree, int m, Complex moment) {
    for (int l = 0; l <= order; ++l) {
      for (int n = 0; n <= l; ++n) {
        Complex local = std::conj(moment) * irregular_sum(l + degree, n + m);
        if (m > 0) local += sign(m) * moment * irregular_sum(l + degree, n - m);
        local *= sign(degree) * std::pow(unit, l + degree + 1);
        if (n == 0) {
          matrix[b * count + cosine_index(l, 0)] = local.real() / norm(l, 0);
        } else {
          const double scale = std::numbers::sqrt2 * sign(n) / norm(l, n);
          matrix[b * count + cosine_index(l, n)] = scale * local.real();
          matrix[b * count + sine_index(l, n)] = scale * local.imag();
        }
      }
    }
  };
  for (int l = 0; l <= order; ++l) {
    fill(cosine_index(l, 0), l, 0, 1.0 / norm(l, 0));
    for (int m = 1; m <= l; ++m) {
      const double scale = sign(m) / (std::numbers::sqrt2 * norm(l, m));
      fill(cosine_index(l, m), l, m, scale);
      fill(sine_index(l, m), l, m, Complex(0.0, scale));
    }
  }
  return matrix;
}

}  // namespace sterna::md
