#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "md/core/vector.hpp"

namespace sterna::md {

/// Real solid harmonics of degree l up to an order, in Racah's normalization:
///   regular    R_lm(r) = r^l     f_lm(direction)
///   irregular  S_lm(r) = r^(-l-1) f_lm(direction),   sum over m of f_lm(u) f_lm(v) = P_l(u . v),
/// so that 1/|r - s| = sum over l, m of R_lm(s) S_lm(r) for |s| < |r|, rotations are orthogonal
/// matrices, and no factorials enter (which would leave the range of float). Within a degree: m = 0
/// to l (cosines), then m = 1 to l (sines); the coefficients of degree l begin at l^2.
constexpr std::size_t harmonics_count(int order) {
  return static_cast<std::size_t>((order + 1) * (order + 1));
}
constexpr std::size_t cosine_index(int l, int m) {
  return static_cast<std::size_t>(l * l + m);
}
constexpr std::size_t sine_index(int l, int m) {
  return static_cast<std::size_t>(l * l + l + m);
}

/// The factors of the recurrences:
///   R_ll from R_(l-1)(l-1):    (cos, sin)_l = diagonal[l] (x cos - y sin, x sin + y cos)
///   R_lm from lower degrees:   rise[lm] z R_(l-1)m - fall[lm] r^2 R_(l-2)m
/// with lm = l (l + 1) / 2 + m.
struct HarmonicFactors {
  explicit HarmonicFactors(int order);
  int order;
  std::vector<double> diagonal, rise, fall;
};

/// A term of the gradient of the regular harmonics; components 0 to 2 are x, y, z:
///   d/dx_component R_from = sum of factor R_to.
/// An expansion sum over a of local[a] R_a therefore has the gradient sum over a of g[a] R_a with
/// g[to] = sum of factor local[from], of one degree less.
struct GradientTerm {
  int component;
  std::size_t to, from;
  double factor;
};
std::vector<GradientTerm> gradient_terms(int order);

}  // namespace sterna::md
