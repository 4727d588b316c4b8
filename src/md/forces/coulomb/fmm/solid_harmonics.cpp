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
