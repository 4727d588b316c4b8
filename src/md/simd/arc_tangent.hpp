#pragma once

// The polar angle of a point in the plane, for vectors of points.

#include "md/simd/elementary.hpp"

namespace sterna::md {
namespace {

/// Coefficients of polynomials in x^2 that interpolate atan(x) / x at Chebyshev nodes, for |x| <=
/// tan(pi / 8).
template <class Real>
struct ArcTangentSeries;
template <>
struct ArcTangentSeries<double> {
  static constexpr double highest_first[] = {
      -0.017803896394812563193, 0.037963903161110833033, -0.050350497953124393166,
      0.058468667522751389837,  -0.06662950246036791267, 0.07692045194561481467,
      -0.090908968014728134434, 0.11111110744657099602,  -0.14285714279244968487,
      0.19999999999940837328,   -0.33333333333333120948, 0.99999999999999999874};
};
template <>
struct ArcTangentSeries<float> {
  static constexpr float highest_first[] = {-0.060260709705049756f, 0.10569738024915738f,
                                            -0.14239520496655996f,  0.19998182384330435f,
                                            -0.33333306880874065f,  0.99999999937087586f};
};

/// The angle in (-pi, pi] from the x axis to (x, y), to some units in the last place; 0 at the
/// origin. Very large or very small coordinates, near the limits of the type, are not supported.
template <class Real>
inline Vector<Real> arc_tangent(Vector<Real> y, Vector<Real> x) {
  using V = Vector<Real>;
  constexpr Real pi = Real(3.14159265358979323846);
  // A tiny number keeps the divisor from being 0; it is too small to change any other quotient.
  constexpr Real tiny = sizeof(Real) == sizeof(float) ? Real(1e-30) : Real(1e-290);
  const V zero{};
  const V a = y < zero ? -y : y, b = x < zero ? -x : x;
  const V tangent = smaller(a, b) / larger(larger(a, b), zero + tiny);
  // Above tan(pi / 8), use tan(u - pi / 4) = (tan u - 1) / (tan u + 1).
  const auto high = tangent > zero + Real(0.41421356237309504880);
  const V t = high ? (tangent - Real(1)) / (tangent + Real(1)) : tangent;
  V angle = t * polynomial(t * t, ArcTangentSeries<Real>::highest_first);
  angle = high ? angle + pi / 4 : angle;
  angle = a > b ? pi / 2 - angle : angle;
  angle = x < zero ? pi - angle : angle;
  return y < zero ? -angle : angle;
}

}  // namespace
}  // namespace sterna::md
