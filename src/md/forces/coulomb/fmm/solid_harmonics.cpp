#include "md/forces/coulomb/fmm/solid_harmonics.hpp"

#include <cmath>
#include <numbers>

namespace sterna::md {

HarmonicFactors::HarmonicFactors(int highest)
    : order(highest),
      diagonal(static_cast<std::size_t>(highest + 1)),
      rise(static_cast<std::size_t>((highest + 1) * (highest + 2) / 2)),
      fall(rise.size()) {
  for (int l = 0; l <= order; ++l) {
    // The factor sqrt(2) for m > 0 is contained in l = 1.
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
  for (int l = 1; l <= factors.order; ++l) {
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

std::vector<GradientTerm> gradient_terms(int order) {
  std::vector<GradientTerm> terms;
  const auto x = [&](std::size_t to, std::size_t from, double factor) {
    terms.push_back({0, to, from, factor});
  };
  const auto y = [&](std::size_t to, std::size_t from, double factor) {
    terms.push_back({1, to, from, factor});
  };
  const auto z = [&](std::size_t to, std::size_t from, double factor) {
    terms.push_back({2, to, from, factor});
  };
  // For complex harmonics C_lm: d/dz C_lm = sqrt(l^2 - m^2) C_(l-1)m and (d/dx -+ i d/dy) C_lm = +-
  // sqrt((l +- m)(l +- m - 1)) C_(l-1)(m-+1).
  for (int l = 1; l <= order; ++l) {
    const std::size_t zonal = cosine_index(l, 0);
    z(cosine_index(l - 1, 0), zonal, l);
    if (l > 1) {
      const double down = std::sqrt(0.5 * l * (l - 1));
      x(cosine_index(l - 1, 1), zonal, -down);
      y(sine_index(l - 1, 1), zonal, -down);
    }
    for (int m = 1; m <= l; ++m) {
      const std::size_t cosine = cosine_index(l, m), sine = sine_index(l, m);
      if (m < l) {
        const double along = std::sqrt(static_cast<double>(l * l - m * m));
        z(cosine_index(l - 1, m), cosine, along);
        z(sine_index(l - 1, m), sine, along);
      }
      // The harmonic of m = 0 has no factor sqrt(2).
      const double up = 0.5 * std::sqrt(static_cast<double>((l + m) * (l + m - 1))) *
                        (m == 1 ? std::numbers::sqrt2 : 1.0);
      x(cosine_index(l - 1, m - 1), cosine, up);
      y(cosine_index(l - 1, m - 1), sine, up);
      if (m > 1) {
        x(sine_index(l - 1, m - 1), sine, up);
        y(sine_index(l - 1, m - 1), cosine, -up);
      }
      if (m + 1 <= l - 1) {
        const double down = 0.5 * std::sqrt(static_cast<double>((l - m) * (l - m - 1)));
        x(cosine_index(l - 1, m + 1), cosine, -down);
        x(sine_index(l - 1, m + 1), sine, -down);
        y(sine_index(l - 1, m + 1), cosine, -down);
        y(cosine_index(l - 1, m + 1), sine, down);
      }
    }
  }
  return terms;
}

}  // namespace sterna::md
