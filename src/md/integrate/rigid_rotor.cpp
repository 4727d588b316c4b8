// Rotation of rigid bodies.
//
// Idea:    the kinetic energy is a sum of one term for each principal axis, and the motion by one
//          term alone is a rotation about that axis at constant speed; rotations about axes 3, 2,
//          1, 2, 3 by dt/2, dt/2, dt, dt/2, dt/2 make a step. A linear body is free of that error:
//          it turns about its angular momentum, at constant speed.
// Source:  NO_SQUISH: Miller, Eleftheriou, Pattnaik, Ndirango, Newns, Martyna, J. Chem. Phys. 116,
//          8649 (2002), eq. 3.14, in the equivalent form with the angular momentum instead of the
//          quaternion's conjugate momentum; after Dullweber, Leimkuhler, McLachlan, J. Chem. Phys.
//          107, 5840 (1997). Leapfrog: Fincham, Mol. Simul. 8, 165 (1992), the explicit form.
// Cost:    five sines and cosines and six rotations in a plane; about 0.1 us a molecule.
// Hazards: a body that is nearly but not quite linear turns fast about its axis: that axis limits
//          the timestep. Leapfrog drifts in energy where it turns by more than some degrees a step.
// Others:  leapfrog, where another program's trajectory is to be followed step by step.

#include "md/integrate/rigid_rotor.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <string>

namespace sterna::md {

namespace {

/// Two moments of a linear body may differ by rounding in the input.
constexpr double linear_tolerance = 1e-6;

struct SineCosine {
  double sine, cosine;
};

/// Angles of a step are small: the series, to the last digit, is faster than the library.
inline SineCosine sine_cosine(double x) {
  const double x2 = x * x;
  if (x2 > 0.0625) return {std::sin(x), std::cos(x)};
  const double sine =
      x * (1.0 + x2 * (-1.0 / 6 + x2 * (1.0 / 120 +
                                        x2 * (-1.0 / 5040 + x2 * (1.0 / 362880 - x2 / 39916800)))));
  const double cosine =
      1.0 +
      x2 * (-1.0 / 2 +
            x2 * (1.0 / 24 +
                  x2 * (-1.0 / 720 + x2 * (1.0 / 40320 + x2 * (-1.0 / 3628800 + x2 / 479001600)))));
  return {sine, cosine};
}

/// Rotates a body about its axis `k` by twice the angle of `half`; `l` is the angular momentum in
/// the body frame.
template <int k>
inline void rotate(Quaternion& q, Vec3& l, const SineCosine& half) {
  const double s = half.sine, c = half.cosine;
  const double sine = 2.0 * s * c, cosine = c * c - s * s;
  constexpr int a = (k + 1) % 3, b = (k + 2) % 3;
  const double la = l[a], lb = l[b];
  l[a] = cosine * la + sine * lb;
  l[b] = cosine * lb - sine * la;
  // q times (c, s e_k).
  if constexpr (k == 0) {
    q = {c * q.w - s * q.x, c * q.x + s * q.w, c * q.y + s * q.z, c * q.z - s * q.y};
  } else if constexpr (k == 1) {
    q = {c * q.w - s * q.y, c * q.x - s * q.z, c * q.y + s * q.w, c * q.z + s * q.x};
  } else {
    q = {c * q.w - s * q.z, c * q.x + s * q.y, c * q.y - s * q.x, c * q.z + s * q.w};
  }
}

template <int k>
inline void turn_about(Quaternion& q, Vec3& l, const Vec3& inverse, double time) {
  // No moment, no rotation: the angle is 0.
  rotate<k>(q, l, sine_cosine(0.5 * time * l[k] * inverse[k]));
}

/// Rounding moves the norm by some 1e-16 a step; the first order is enough to take it back.
inline Quaternion renormalized(const Quaternion& q) {
  const double s = 1.5 - 0.5 * q.norm_squared();
  return {s * q.w, s * q.x, s * q.y, s * q.z};
}

/// q plus `time` times its rate of change at this angular velocity in the body frame, normalized.
inline Quaternion advanced(const Quaternion& q, const Quaternion& rate_at, const Vec3& omega,
                           double time) {
  const Quaternion rate = rate_at * Quaternion{0.0, omega.x, omega.y, omega.z};
  const double h = 0.5 * time;
  return Quaternion{q.w + h * rate.w, q.x + h * rate.x, q.y + h * rate.y, q.z + h * rate.z}
      .normalized();
}

}  // namespace

RigidBody::RigidBody(const Vec3& inertia) : inertia_(inertia), degrees_of_freedom_(0) {
  for (int axis = 0; axis < 3; ++axis) {
    inverse_[axis] = inertia[axis] > 0.0 ? 1.0 / inertia[axis] : 0.0;
    degrees_of_freedom_ += inertia[axis] > 0.0 ? 1 : 0;
  }
  if (degrees_of_freedom_ != 2) return;
  for (int axis = 0; axis < 3; ++axis) {
    const double a = inertia[(axis + 1) % 3], b = inertia[(axis + 2) % 3];
    if (inertia[axis] > 0.0 || std::fabs(a - b) > linear_tolerance * (a + b)) continue;
    linear_axis_ = axis;
    inverse_[(axis + 1) % 3] = inverse_[(axis + 2) % 3] = 2.0 / (a + b);
  }
}

Vec3 RigidBody::angular_velocity(const Quaternion& orientation,
                                 const Vec3& angular_momentum) const {
  const Vec3 l = orientation.to_body(angular_momentum);
  return {l.x * inverse_.x, l.y * inverse_.y, l.z * inverse_.z};
}

double RigidBody::kinetic_energy(const Quaternion& orientation,
                                 const Vec3& angular_momentum) const {
  const Vec3 l = orientation.to_body(angular_momentum);
  return 0.5 * (l.x * l.x * inverse_.x + l.y * l.y * inverse_.y + l.z * l.z * inverse_.z);
}

void RigidBody::turn(Quaternion& q, Vec3& angular_momentum, double time) const {
  if (degrees_of_freedom_ == 0) return;
  if (linear_axis_ >= 0) {
    Vec3 axis;
    const auto matrix = q.matrix();
    for (int row = 0; row < 3; ++row) {
      axis[row] = matrix[static_cast<std::size_t>(row)][linear_axis_];
    }
    angular_momentum -= dot(axis, angular_momentum) * axis;
    const Vec3 omega = inverse_[(linear_axis_ + 1) % 3] * angular_momentum;
    const double half = 0.5 * time;
    const double speed = std::sqrt(dot(omega, omega));
    const SineCosine rotation = sine_cosine(half * speed);
    const double s = speed > 0.0 ? rotation.sine / speed : half;
    q = renormalized(Quaternion{rotation.cosine, s * omega.x, s * omega.y, s * omega.z} * q);
    return;
  }
  Vec3 l = q.to_body(angular_momentum);
  const double half = 0.5 * time;
  turn_about<2>(q, l, inverse_, half);
  turn_about<1>(q, l, inverse_, half);
  turn_about<0>(q, l, inverse_, time);
  turn_about<1>(q, l, inverse_, half);
  turn_about<2>(q, l, inverse_, half);
  q = renormalized(q);
}

void RigidBody::leapfrog(Quaternion& q, Vec3& angular_momentum, const Vec3& torque,
                         double time) const {
  const Quaternion middle = advanced(q, q, angular_velocity(q, angular_momentum), 0.5 * time);
  angular_momentum += 0.5 * time * torque;
  q = advanced(q, middle, angular_velocity(middle, angular_momentum), time);
}

RigidRotor::RigidRotor(double timestep, std::span<const Vec3> inertia, RotationMethod method)
    : timestep_(timestep), bodies_(inertia.begin(), inertia.end()), method_(method) {}

void RigidRotor::start_step(ParticleStore& particles, bool pending) const {
  const double half = 0.5 * timestep_;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const RigidBody& body = bodies_[static_cast<std::size_t>(particles.position[i].type)];
    if (!body.rotates()) continue;
    Vec3& l = particles.angular_momentum[i];
    const Vec3& torque = particles.torque[i];
    if (pending) l += half * torque;
    if (method_ == RotationMethod::leapfrog) {
      body.leapfrog(particles.orientation[i], l, torque, timestep_);
    } else {
      l += half * torque;
      body.turn(particles.orientation[i], l, timestep_);
    }
  }
}

void RigidRotor::kick(ParticleStore& particles, std::span<const Vec3> torques) const {
  const double half = 0.5 * timestep_;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const RigidBody& body = bodies_[static_cast<std::size_t>(particles.position[i].type)];
    if (body.rotates()) particles.angular_momentum[i] += half * torques[i];
  }
}

}  // namespace sterna::md
