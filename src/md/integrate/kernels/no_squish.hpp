#pragma once

// A torque-free rotation of a body with three moments of inertia by NO_SQUISH (see
// rigid_rotor.cpp), for plain numbers or for vectors with a body in each lane.

#include "md/core/vector.hpp"

namespace sterna::md {
namespace {

template <class Number>
struct SineCosine {
  Number sine, cosine;
};

/// The square of the largest angle for which the series is used.
constexpr double small_angle_squared = 0.0625;

/// Sine and cosine of a small angle, to the last digit.
template <class Number>
inline SineCosine<Number> small_sine_cosine(const Number& x) {
  const Number x2 = x * x;
  const Number sine =
      x * (1.0 + x2 * (-1.0 / 6 + x2 * (1.0 / 120 + x2 * (-1.0 / 5040 +
                                                          x2 * (1.0 / 362880 - x2 / 39916800.0)))));
  const Number cosine =
      1.0 +
      x2 * (-1.0 / 2 +
            x2 * (1.0 / 24 + x2 * (-1.0 / 720 +
                                   x2 * (1.0 / 40320 + x2 * (-1.0 / 3628800 + x2 / 479001600.0)))));
  return {sine, cosine};
}

/// The orientation, and the angular momentum in the body frame.
template <class Number>
struct TurningBody {
  Number w, x, y, z;
  Number l[3];

  /// Sets the angular momentum from its components in the laboratory frame.
  void set_momentum(const Number& lx, const Number& ly, const Number& lz) {
    const Number a = -x, b = -y, c = -z;
    l[0] = (w * w + a * a - b * b - c * c) * lx + 2.0 * (a * b - w * c) * ly +
           2.0 * (a * c + w * b) * lz;
    l[1] = 2.0 * (a * b + w * c) * lx + (w * w - a * a + b * b - c * c) * ly +
           2.0 * (b * c - w * a) * lz;
    l[2] = 2.0 * (a * c - w * b) * lx + 2.0 * (b * c + w * a) * ly +
           (w * w - a * a - b * b + c * c) * lz;
  }

  /// Rotates about the body's axis `k` by twice the angle of `half`.
  template <int k>
  void rotate(const SineCosine<Number>& half) {
    const Number s = half.sine, c = half.cosine;
    const Number sine = 2.0 * s * c, cosine = c * c - s * s;
    constexpr int a = (k + 1) % 3, b = (k + 2) % 3;
    const Number la = l[a], lb = l[b];
    l[a] = cosine * la + sine * lb;
    l[b] = cosine * lb - sine * la;
    // The quaternion q times (c, s e_k).
    const Number qw = w, qx = x, qy = y, qz = z;
    if constexpr (k == 0) {
      w = c * qw - s * qx, x = c * qx + s * qw, y = c * qy + s * qz, z = c * qz - s * qy;
    } else if constexpr (k == 1) {
      w = c * qw - s * qy, x = c * qx - s * qz, y = c * qy + s * qw, z = c * qz + s * qx;
    } else {
      w = c * qw - s * qz, x = c * qx + s * qy, y = c * qy - s * qx, z = c * qz + s * qw;
    }
  }

  /// Rounding changes the norm by some 1e-16 per step; a first-order correction is enough.
  void renormalize() {
    const Number s = 1.5 - 0.5 * (w * w + x * x + y * y + z * z);
    w = s * w, x = s * x, y = s * y, z = s * z;
  }

  /// `sine_cosine` gets half of each angle. About an axis with moment 0 the angle is 0.
  template <class Function>
  void turn(const Vec3& inverse_inertia, double time, const Function& sine_cosine) {
    const double half = 0.5 * time;
    const auto about = [&]<int k>(double for_time) {
      rotate<k>(sine_cosine(0.5 * for_time * l[k] * inverse_inertia[k]));
    };
    about.template operator()<2>(half);
    about.template operator()<1>(half);
    about.template operator()<0>(time);
    about.template operator()<1>(half);
    about.template operator()<2>(half);
    renormalize();
  }
};

}  // namespace
}  // namespace sterna::md
