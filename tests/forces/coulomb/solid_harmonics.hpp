#pragma once

#include <cmath>
#include <vector>

#include "md/forces/coulomb/fmm/solid_harmonics.hpp"

namespace sterna::md {

/// The harmonics_count(order) regular harmonics at a point, which the kernels are compared with.
inline std::vector<double> regular_harmonics(int order, const Vec3& point) {
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

/// The irregular harmonics at a point other than the origin: the regular ones over r^(2l+1).
inline std::vector<double> irregular_harmonics(int order, const Vec3& point) {
  std::vector<double> values = regular_harmonics(order, point);
  const double r2 = dot(point, point);
  double scale = 1.0 / std::sqrt(r2);
  for (int l = 0; l <= order; ++l, scale /= r2) {
    for (std::size_t a = harmonics_count(l - 1); a < harmonics_count(l); ++a) values[a] *= scale;
  }
  return values;
}

}  // namespace sterna::md
