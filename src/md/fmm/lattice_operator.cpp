#include "md/fmm/lattice_operator.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include "md/fmm/cell_box.hpp"
#include "md/fmm/solid_harmonics.hpp"

namespace sterna::md {
namespace {

using Complex = std::complex<double>;
constexpr double pi = std::numbers::pi;

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

/// Minus the lower one, Q - 1: not as a difference, as harmonics that are multiplied with it may be
/// 10^20 times as large as the sums.
std::vector<double> minus_lower_gamma(int highest, double x) {
  std::vector<double> values(static_cast<std::size_t>(highest) + 1);
  const auto factor = [x](int degree) {  // x^(degree + 1/2) exp(-x) / Gamma(degree + 3/2)
    return std::exp((degree + 0.5) * std::log(x) - x - std::lgamma(degree + 1.5));
  };
  double term = factor(highest), sum = 0.0;
  for (int n = 1; term > 1e-18 * sum; ++n) {
    sum += term;
    term *= x / (highest + 0.5 + n);
  }
  values.back() = -sum;
  for (int degree = highest - 1; degree >= 0; --degree) {
    values[static_cast<std::size_t>(degree)] =
        values[static_cast<std::size_t>(degree) + 1] - factor(degree);
  }
  return values;
}

/// The two sums that make the lattice sums: over images, and over waves of the reciprocal lattice.
/// Cutoffs are where even the highest power in front of the Gaussian has lost.
class SplitSums {
 public:
  SplitSums(const Lattice& lattice, const std::array<int, 3>& nearest)
      : lattice_(lattice), nearest_(nearest) {}

  double volume() const { return lattice_.volume(); }
  double kappa() const { return std::sqrt(pi) / std::cbrt(volume()); }

  /// function(image, whether it is a near box).
  template <class Function>
  void for_each_image(Function function) const {
    Cells reach;
    for (int axis = 0; axis < 3; ++axis) {
      reach[axis] = static_cast<int>(std::ceil(9.0 / (kappa() * lattice_.width(axis))));
      reach[axis] = std::max(reach[axis], nearest_[axis]);
    }
    for_each_but_zero(reach, [&](const Cells& n) {
      function(lattice_.position({double(n[0]), double(n[1]), double(n[2])}),
               std::abs(n[0]) <= nearest_[0] && std::abs(n[1]) <= nearest_[1] &&
                   std::abs(n[2]) <= nearest_[2]);
    });
  }

  /// function(k, 4 pi / V exp(-k^2 / 4 kappa^2) / k^2).
  template <class Function>
  void for_each_wave(Function function) const {
    const double cutoff = 20.0 * kappa();
    const Lattice reciprocal = lattice_.reciprocal();
    Cells reach;
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3& edge = lattice_[axis];
      reach[axis] = static_cast<int>(std::ceil(cutoff * std::sqrt(dot(edge, edge)) / (2.0 * pi)));
    }
    for_each_but_zero(reach, [&](const Cells& n) {
      const Vec3 k = 2.0 * pi * reciprocal.position({double(n[0]), double(n[1]), double(n[2])});
      const double k2 = dot(k, k);
      if (k2 > cutoff * cutoff) return;
      function(k, 4.0 * pi / volume() * std::exp(-k2 / (4.0 * kappa() * kappa())) / k2);
    });
  }

 private:
  template <class Function>
  static void for_each_but_zero(const Cells& reach, Function function) {
    CellBox{{-reach[0], -reach[1], -reach[2]}, {reach[0] + 1, reach[1] + 1, reach[2] + 1}}.for_each(
        [&](const Cells& n) {
          if (n != Cells{0, 0, 0}) function(n);
        });
  }

  Lattice lattice_;
  std::array<int, 3> nearest_;
};

/// The transform of S_lm is 4 pi (-i)^l R_lm(k) / (k^2 (2l - 1)!!): the factor of even degrees,
/// from that of degree l to that of l + 2.
double next_even(int l) {
  return -1.0 / ((2.0 * l + 1.0) * (2.0 * l + 3.0));
}

/// Sums over the lattice, without the boxes around the origin that are near, of S_lm up to an
/// order.
std::vector<double> lattice_sums(int order, const Lattice& lattice,
                                 const std::array<int, 3>& nearest) {
  const SplitSums split(lattice, nearest);
  const double kappa = split.kappa();
  std::vector<double> sums(harmonics_count(order), 0.0);
  split.for_each_image([&](const Vec3& image, bool near) {
    const double x = kappa * kappa * dot(image, image);
    // A near box is not part of the sum, but its smooth part is in the reciprocal sum.
    const auto weights = near ? minus_lower_gamma(order, x) : upper_gamma(order, x);
    const auto harmonics = irregular_harmonics(order, image);
    for (int l = 0; l <= order; l += 2) {
      for (int a = l * l; a < (l + 1) * (l + 1); ++a) sums[a] += weights[l] * harmonics[a];
    }
  });
  split.for_each_wave([&](const Vec3& k, double weight) {
    const auto harmonics = regular_harmonics(order, k);
    for (int l = 0; l <= order; l += 2) {
      for (int a = l * l; a < (l + 1) * (l + 1); ++a) sums[a] += weight * harmonics[a];
      weight *= next_even(l);
    }
  });
  // The charge's own cloud, and the background.
  sums[0] -= 2.0 * kappa / std::sqrt(pi) + pi / (kappa * kappa * split.volume());
  return sums;
}

using Strains = std::array<std::vector<double>, 6>;  // xx yy zz xy xz yz
constexpr int strain_axes[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

/// The derivatives of the lattice sums when the lattice is strained and kappa stays.
Strains strained_lattice_sums(int order, const Lattice& lattice,
                              const std::array<int, 3>& nearest) {
  const SplitSums split(lattice, nearest);
  const double kappa = split.kappa(), kappa2 = kappa * kappa;
  const auto terms = gradient_terms(order);
  const std::size_t count = harmonics_count(order);
  Strains sums;
  for (auto& sum : sums) sum.assign(count, 0.0);
  std::array<std::vector<double>, 3> gradient;
  const auto take_gradient = [&](const std::vector<double>& harmonics) {
    for (auto& component : gradient) component.assign(count, 0.0);
    for (const GradientTerm& term : terms) {
      gradient[static_cast<std::size_t>(term.component)][term.from] +=
          term.factor * harmonics[term.to];
    }
  };
  /// Adds the symmetric part of factor vector_a (weight dR/dx_b + along vector_b R).
  const auto add = [&](int l, const Vec3& vector, const std::vector<double>& harmonics,
                       double factor, double weight, double along) {
    for (std::size_t s = 0; s < 6; ++s) {
      const auto [a, b] = strain_axes[s];
      for (auto i = static_cast<std::size_t>(l * l); i < harmonics_count(l); ++i) {
        const double slopes = 0.5 * (vector[a] * gradient[static_cast<std::size_t>(b)][i] +
                                     vector[b] * gradient[static_cast<std::size_t>(a)][i]);
        sums[s][i] += factor * (weight * slopes + along * vector[a] * vector[b] * harmonics[i]);
      }
    }
  };
  split.for_each_image([&](const Vec3& image, bool near) {
    const double r2 = dot(image, image), x = kappa2 * r2;
    const auto weights = near ? minus_lower_gamma(order, x) : upper_gamma(order, x);
    const auto harmonics = regular_harmonics(order, image);
    take_gradient(harmonics);
    double power = 1.0 / std::sqrt(r2);                              // r^-(2l + 1)
    double slope = -std::exp(-x) / std::sqrt(x) / std::tgamma(0.5);  // dQ/dx
    for (int l = 0; l <= order; ++l) {
      const double weight = weights[l];
      if (l % 2 == 0) {
        add(l, image, harmonics, power, weight, 2.0 * kappa2 * slope - (2 * l + 1) * weight / r2);
      }
      power /= r2;
      slope *= x / (l + 0.5);
    }
  });
  split.for_each_wave([&](const Vec3& k, double weight) {
    const double k2 = dot(k, k);
    const auto harmonics = regular_harmonics(order, k);
    take_gradient(harmonics);
    for (int l = 0; l <= order; l += 2) {
      // Waves shrink where images grow, and so does 1 / V.
      add(l, k, harmonics, -weight, 1.0, -2.0 / k2 - 0.5 / kappa2);
      for (std::size_t s = 0; s < 3; ++s) {
        for (auto i = static_cast<std::size_t>(l * l); i < harmonics_count(l); ++i) {
          sums[s][i] -= weight * harmonics[i];
        }
      }
      weight *= next_even(l);
    }
  });
  for (std::size_t s = 0; s < 3; ++s) sums[s][0] += pi / (kappa2 * split.volume());
  return sums;
}

/// The operator behind sums over S_lm up to twice the order, linear in them.
std::vector<double> operator_of(int order, const std::vector<double>& sums) {
  // In complex harmonics with factorials in them the coefficients of an expansion about a sum of
  // vectors are plain products: L_lm = sum of (-1)^l' conj(M_l'm') I_(l+l')(m+m').
  std::vector<double> roots{1.0};  // of factorials
  for (int n = 1; n <= 4 * order; ++n) roots.push_back(roots.back() * std::sqrt(double(n)));
  const auto norm = [&](int l, int m) { return roots[l - m] * roots[l + m]; };
  std::vector<Complex> irregular(harmonics_count(2 * order));  // I_lm at l^2 + l + m
  for (int l = 0; l <= 2 * order; ++l) {
    const auto middle = static_cast<std::size_t>(l * l + l);
    irregular[middle] = norm(l, 0) * sums[cosine_index(l, 0)];
    for (int m = 1; m <= l; ++m) {
      const Complex value = sign(m) * norm(l, m) / std::numbers::sqrt2 *
                            Complex(sums[cosine_index(l, m)], sums[sine_index(l, m)]);
      const auto offset = static_cast<std::size_t>(m);
      irregular[middle + offset] = value;
      irregular[middle - offset] = sign(m) * std::conj(value);
    }
  }
  const auto irregular_sum = [&](int l, int m) {
    return irregular[static_cast<std::size_t>(l * l + l + m)];
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
        local *= sign(degree);
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

Lattice in_units(const Lattice& lattice, double unit) {
  return {lattice.a * (1.0 / unit), lattice.b * (1.0 / unit), lattice.c * (1.0 / unit)};
}

}  // namespace

std::vector<double> make_lattice_operator(int order, const Lattice& lattice,
                                          const std::array<int, 3>& near, double unit) {
  return operator_of(order, lattice_sums(2 * order, in_units(lattice, unit), near));
}

std::vector<double> make_sum_operator(int order, std::span<const Vec3> sources, double unit) {
  std::vector<double> sums(harmonics_count(2 * order), 0.0);
  for (const Vec3& source : sources) {
    const auto harmonics = irregular_harmonics(2 * order, source * (1.0 / unit));
    for (std::size_t a = 0; a < sums.size(); ++a) sums[a] += harmonics[a];
  }
  return operator_of(order, sums);
}

std::array<std::vector<double>, 6> make_strained_lattice_operators(int order,
                                                                   const Lattice& lattice,
                                                                   const std::array<int, 3>& near,
                                                                   double unit) {
  Strains operators = strained_lattice_sums(2 * order, in_units(lattice, unit), near);
  for (auto& sums : operators) sums = operator_of(order, sums);
  return operators;
}

}  // namespace sterna::md
