#include "md/fmm/solid_harmonics.hpp"

#include <cmath>
#include <numbers>

namespace sterna::md {

HarmonicFactors::HarmonicFactors(int highest)
    : order(highest),
      diagonal(static_cast<std::size_t>(highest + 1)),
      rise(static_cast<std::size_t>((highest + 1) * (highest + 2) / 2)),
      fall(rise.size()) {
  for (int l = 0; l <= order; ++l) {
    // sqrt(2) for m > 0 comes in with l = 1.
    diagonal[l] = l == 0 ? 1.0 : (l == 1 ? 1.0 : std::sqrt((2.0 * l - 1.0) / (2.0 * l)));
    for (int m = 0; m < l; ++m) {
      const double root = std::sqrt(static_cast<double>(l * l - m * m));
      rise[l * (l + 1) / 2 + m] = (2.0 * l - 1.0) / root;
      fall[l * (l + 1) / 2 + m] = std::sqrt(static_cast<double>((l - 1) * (l - 1) - m * m)) / root;
    }
  }
}

std::vector<double> regular_harmonics(int order, const Vec3& point) {
  const HarmonicFactors factors(order);
  std::vector<double> values(harmonics_count(order));
  const double r2 = dot(point, point);
  values[0] = 1.0;
  for (int l = 1; l <= order; ++l) {
    const double cosine = values[cosine_index(l - 1, l - 1)];
    const double sine = l == 1 ? 0.0 : values[sine_index(l - 1, l - 1)];
    values[cosine_index(l, l)] = factors.diagonal[l] * (point.x * cosine - point.y * sine);
    values[sine_index(l, l)] = factors.diagonal[l] * (point.x * sine + point.y * cosine);
    for (int m = 0; m < l; ++m) {
      const double rise = factors.rise[l * (l + 1) / 2 + m];
      const double fall = m == l - 1 ? 0.0 : factors.fall[l * (l + 1) / 2 + m];
      const auto recur = [&](auto index) {
        const double two_below = m == l - 1 ? 0.0 : values[index(l - 2, m)];
        return rise * point.z * values[index(l - 1, m)] - fall * r2 * two_below;
      };
      values[cosine_index(l, m)] = recur(cosine_index);
      if (m > 0) values[sine_index(l, m)] = recur(sine_index);
    }
  }
  return values;
}

std::vector<double> irregular_harmonics(int order, const Vec3& point) {
  std::vector<double> values = regular_harmonics(order, point);
  const double r2 = dot(point, point);
  double scale = 1.0 / std::sqrt(r2);
  for (int l = 0; l <= order; ++l, scale /= r2) {
    for (std::size_t a = harmonics_count(l - 1); a < harmonics_count(l); ++a) values[a] *= scale;
  }
  return values;
}

GradientExpansions gradient_expansions(int order, std::span<const double> local) {
  const std::size_t count = harmonics_count(order);
  GradientExpansions g{std::vector<double>(count), std::vector<double>(count),
                       std::vector<double>(count)};
  // With complex harmonics C_lm: d/dz C_lm = sqrt(l^2 - m^2) C_(l-1)m and
  // (d/dx -+ i d/dy) C_lm = +- sqrt((l +- m)(l +- m - 1)) C_(l-1)(m-+1).
  for (int l = 1; l <= order; ++l) {
    const double zonal = local[cosine_index(l, 0)];
    g.z[cosine_index(l - 1, 0)] += l * zonal;
    if (l > 1) {
      const double down = std::sqrt(0.5 * l * (l - 1));
      g.x[cosine_index(l - 1, 1)] -= down * zonal;
      g.y[sine_index(l - 1, 1)] -= down * zonal;
    }
    for (int m = 1; m <= l; ++m) {
      const double cosine = local[cosine_index(l, m)], sine = local[sine_index(l, m)];
      if (m < l) {
        const double along = std::sqrt(static_cast<double>(l * l - m * m));
        g.z[cosine_index(l - 1, m)] += along * cosine;
        g.z[sine_index(l - 1, m)] += along * sine;
      }
      // The harmonic of m = 0 has no factor sqrt(2).
      const double up = 0.5 * std::sqrt(static_cast<double>((l + m) * (l + m - 1))) *
                        (m == 1 ? std::numbers::sqrt2 : 1.0);
      g.x[cosine_index(l - 1, m - 1)] += up * cosine;
      g.y[cosine_index(l - 1, m - 1)] += up * sine;
      if (m > 1) {
        g.x[sine_index(l - 1, m - 1)] += up * sine;
        g.y[sine_index(l - 1, m - 1)] -= up * cosine;
      }
      if (m + 1 <= l - 1) {
        const double down = 0.5 * std::sqrt(static_cast<double>((l - m) * (l - m - 1)));
        g.x[cosine_index(l - 1, m + 1)] -= down * cosine;
        g.x[sine_index(l - 1, m + 1)] -= down * sine;
        g.y[sine_index(l - 1, m + 1)] -= down * cosine;
        g.y[cosine_index(l - 1, m + 1)] += down * sine;
      }
    }
  }
  return g;
}

}  // namespace sterna::md
