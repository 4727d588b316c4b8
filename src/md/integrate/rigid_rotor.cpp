// Rotation of rigid bodies.
//
// Idea:    the kinetic energy is a sum of one term for each principal axis, and the motion by one
//          term alone is a rotation about its axis at constant speed. Rotations about axes 3, 2, 1,
//          2, 3 by dt/2, dt/2, dt, dt/2, dt/2 make a step. A linear body has no splitting error: it
//          rotates about its angular momentum, at constant speed.
// Source:  NO_SQUISH: Miller, Eleftheriou, Pattnaik, Ndirango, Newns, Martyna, J. Chem. Phys. 116,
//          8649 (2002), eq. 3.14, in the equivalent form with the angular momentum instead of the
//          quaternion's conjugate momentum; after Dullweber, Leimkuhler, McLachlan, J. Chem. Phys.
//          107, 5840 (1997). Leapfrog: Fincham, Mol. Simul. 8, 165 (1992), the explicit form.
// Cost:    five sines and cosines and six rotations in a plane; about 0.1 us per molecule.
// Hazards: a body that is nearly linear rotates fast about its axis, which limits the time step.
//          Leapfrog drifts in energy if the body turns by more than some degrees per step.
// Others:  leapfrog, to follow another program's trajectory step by step.

#include "md/integrate/rigid_rotor.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "md/integrate/kernels/no_squish.hpp"
#include "md/simd/instruction_set.hpp"

namespace sterna::md {

namespace {

/// The largest relative difference, from rounding in the input, of the two moments of a linear
/// body.
constexpr double linear_tolerance = 1e-6;

/// Angles within a step are small, and their series is faster than the library's functions.
inline SineCosine<double> sine_cosine(double x) {
  if (x * x > small_angle_squared) return {std::sin(x), std::cos(x)};
  return small_sine_cosine(x);
}

/// Rounding changes the norm by some 1e-16 per step; a first-order correction is enough.
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
    const SineCosine<double> rotation = sine_cosine(half * speed);
    const double s = speed > 0.0 ? rotation.sine / speed : half;
    q = renormalized(Quaternion{rotation.cosine, s * omega.x, s * omega.y, s * omega.z} * q);
    return;
  }
  TurningBody<double> body{q.w, q.x, q.y, q.z, {}};
  body.set_momentum(angular_momentum.x, angular_momentum.y, angular_momentum.z);
  body.turn(inverse_, time, sine_cosine);
  q = {body.w, body.x, body.y, body.z};
}

bool RigidBody::turn_together(std::span<const std::uint32_t> bodies, ParticleStore& particles,
                              double time, const TurnKernels& kernels) const {
  TurnWork work;
  for (std::size_t lane = 0; lane < bodies_together; ++lane) {
    // The first body fills the remaining lanes.
    const std::uint32_t number = bodies[lane < bodies.size() ? lane : 0];
    const Quaternion& q = particles.orientation.data()[number];
    const Vec3& l = particles.angular_momentum.data()[number];
    work.orientation[0][lane] = q.w, work.orientation[1][lane] = q.x;
    work.orientation[2][lane] = q.y, work.orientation[3][lane] = q.z;
    for (int axis = 0; axis < 3; ++axis) work.momentum[axis][lane] = l[axis];
  }
  if (linear_axis_ >= 0 || !kernels.turn(inverse_, time, work)) return false;
  for (std::size_t lane = 0; lane < bodies.size(); ++lane) {
    particles.orientation.data()[bodies[lane]] = {
        work.orientation[0][lane], work.orientation[1][lane], work.orientation[2][lane],
        work.orientation[3][lane]};
  }
  return true;
}

void RigidBody::leapfrog(Quaternion& q, Vec3& angular_momentum, const Vec3& torque,
                         double time) const {
  const Quaternion middle = advanced(q, q, angular_velocity(q, angular_momentum), 0.5 * time);
  angular_momentum += 0.5 * time * torque;
  q = advanced(q, middle, angular_velocity(middle, angular_momentum), time);
}

std::vector<const TurnKernels*> available_turn_kernels() {
  return available_kernels<TurnKernels>(STERNA_KERNEL_FAMILY(turn_kernels));
}

RigidRotor::RigidRotor(double timestep, std::span<const Vec3> inertia, RotationMethod method,
                       std::string_view kernels)
    : kernels_(&select_kernels(available_turn_kernels(), kernels)),
      timestep_(timestep),
      bodies_(inertia.begin(), inertia.end()),
      method_(method) {}

template <class Kick>
void RigidRotor::turn_after(ParticleStore& particles, double time, Kick&& kick) const {
  std::uint32_t waiting[bodies_together];
  std::size_t count = 0;
  std::int32_t type = 0;  // of the bodies that wait to be turned together
  const auto turn_waiting = [&] {
    const RigidBody& body = bodies_[static_cast<std::size_t>(type)];
    const std::span<const std::uint32_t> bodies(waiting, std::exchange(count, 0));
    if (bodies.empty() || body.turn_together(bodies, particles, time, *kernels_)) return;
    for (const std::uint32_t number : bodies) {
      body.turn(particles.orientation.data()[number], particles.angular_momentum.data()[number],
                time);
    }
  };
  std::uint32_t next = 0;
  particles.for_each_rotor([&](std::uint32_t i) {
    const std::uint32_t number = next++;
    const auto own_type = static_cast<std::int32_t>(particles.position[i].type);
    const RigidBody& body = bodies_[static_cast<std::size_t>(own_type)];
    if (!body.rotates() || !kick(number, body)) return;
    if (own_type != type || count == bodies_together) turn_waiting();
    type = own_type;
    waiting[count++] = number;
  });
  turn_waiting();
}

void RigidRotor::kick_and_turn(ParticleStore& particles, bool pending, double time) const {
  const double half = 0.5 * timestep_;
  turn_after(particles, time, [&](std::uint32_t number, const RigidBody& body) {
    Vec3& l = particles.angular_momentum.data()[number];
    const Vec3& torque = particles.torque.data()[number];
    if (pending) l += half * torque;
    if (method_ == RotationMethod::leapfrog) {
      body.leapfrog(particles.orientation.data()[number], l, torque, time);
      return false;
    }
    l += half * torque;
    return true;
  });
}

void RigidRotor::turn(ParticleStore& particles, double time) const {
  turn_after(particles, time, [](std::uint32_t, const RigidBody&) { return true; });
}

void RigidRotor::kick(ParticleStore& particles, std::span<const Vec3> torques) const {
  const double half = 0.5 * timestep_;
  std::size_t number = 0;
  particles.for_each_rotor([&](std::uint32_t i) {
    const RigidBody& body = bodies_[static_cast<std::size_t>(particles.position[i].type)];
    if (body.rotates()) particles.angular_momentum.data()[number] += half * torques[number];
    ++number;
  });
}

}  // namespace sterna::md
