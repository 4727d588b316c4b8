// Rigid bodies of atoms, written once over vectors of doubles and compiled once for each
// instruction set. Lanes are bodies of one shape.
//
// Idea:    positions and velocities of the atoms are the complete state of a body. Sums over the
//          atoms give its axes, momentum and angular momentum; it rotates freely, as an integrator
//          of rigid bodies rotates it; then the atoms get the positions of their places in the
//          body. So half a kick of the atoms before and after equals half a kick by force and
//          torque. A mirror image has the opposite third axis.
// Source:  NO_SQUISH: Miller, Eleftheriou, Pattnaik, Ndirango, Newns and Martyna, J. Chem. Phys.
//          116, 8649 (2002), with the angular momentum in place of the quaternion's momentum, and
//          axes in place of the quaternion. A linear body turns about its angular momentum.
// Cost:    some 40 operations per atom, 200 and five sines per body.
// Hazards: the axes are computed from places that are rigid up to rounding; places at a start that
//          are not need ConstraintRotor::fit first.
// Others:  SETTLE, for isosceles triangles.

#include <cmath>

#include "md/integrate/kernels/no_squish.hpp"
#include "md/integrate/kernels/rotor_kernels.hpp"
#include "md/simd/triple.hpp"
#include "md/simd/vectors.hpp"

namespace sterna::md {
namespace {

using Reals = Vector<double>;

SineCosine<Reals> sine_cosine(const Reals& x) {
  SineCosine<Reals> result = small_sine_cosine<Reals>(x);
  const Bits<double> is_large = x * x > small_angle_squared;
  if (!any(is_large)) return result;
  for (int k = 0; k < lanes<double>; ++k) {
    if (is_large[k] == 0) continue;
    result.sine[k] = std::sin(x[k]);
    result.cosine[k] = std::cos(x[k]);
  }
  return result;
}

/// The motion of as many bodies as a vector holds.
struct Bodies {
  Triple axis[3];  ///< in the laboratory frame; linear bodies use only the first
  Reals side;      ///< 1, or -1 for the mirror image
  Triple velocity, angular_momentum;

  /// Subtracts the center of mass from the places of `work`.
  Bodies(const RotorShape& shape, RotorWork& work, std::size_t lane) {
    Triple center;
    for (std::size_t k = 0; k < shape.atoms; ++k) {
      center = center + shape.mass[k] * Triple::load_from(work.place[k], lane);
      velocity = velocity + shape.mass[k] * Triple::load_from(work.velocity[k], lane);
    }
    Triple along[3];
    for (std::size_t k = 0; k < shape.atoms; ++k) {
      const Triple arm = Triple::load_from(work.place[k], lane) - center;
      arm.store_to(work.place[k], lane);
      for (int a = 0; a < shape.dimension; ++a) {
        along[a] = along[a] + (shape.mass[k] * shape.place[k][a]) * arm;
      }
      const Triple beside = Triple::load_from(work.velocity[k], lane) - velocity;
      angular_momentum = angular_momentum + shape.mass[k] * cross_of(arm, beside);
    }
    axis[0] = unit(along[0]);
    side = all<double>(1.0);
    if (shape.dimension == 1) return;
    axis[2] = unit(cross_of(axis[0], along[1]));
    axis[1] = cross_of(axis[2], axis[0]);
    if (shape.dimension == 2) return;
    side = dot_of(along[2], axis[2]) < 0.0 ? all<double>(-1.0) : side;
  }

  Triple angular_velocity(const RotorShape& shape) const {
    if (shape.dimension == 1) return shape.inverse_inertia[1] * angular_momentum;
    Triple sum;
    for (int a = 0; a < 3; ++a) {
      sum = sum + (shape.inverse_inertia[a] * dot_of(axis[a], angular_momentum)) * axis[a];
    }
    return sum;
  }

  Triple place(const RotorShape& shape, std::size_t atom) const {
    const auto& at = shape.place[atom];
    if (shape.dimension == 1) return at[0] * axis[0];
    const Triple in_plane = at[0] * axis[0] + at[1] * axis[1];
    return shape.dimension == 2 ? in_plane : in_plane + (at[2] * side) * axis[2];
  }

  void turn(const RotorShape& shape, double time) {
    if (shape.dimension == 1) {
      const Triple omega = angular_velocity(shape);
      const Reals speed = square_root(dot_of(omega, omega));
      const SineCosine<Reals> half = sine_cosine(0.5 * time * speed);
      const Reals sine = 2.0 * half.sine * half.cosine;
      const Reals cosine = half.cosine * half.cosine - half.sine * half.sine;
      const Reals over_speed = speed > 0.0 ? sine / speed : all<double>(time);
      axis[0] = cosine * axis[0] + over_speed * cross_of(omega, axis[0]);
      return;
    }
    const auto about = [&](int a, double for_time) {
      const int b = (a + 1) % 3, c = (a + 2) % 3;
      const Reals momentum = dot_of(axis[a], angular_momentum);
      const SineCosine<Reals> half =
          sine_cosine(0.5 * for_time * shape.inverse_inertia[a] * momentum);
      const Reals sine = 2.0 * half.sine * half.cosine;
      const Reals cosine = half.cosine * half.cosine - half.sine * half.sine;
      const Triple before = axis[b];
      axis[b] = cosine * before + sine * axis[c];
      axis[c] = cosine * axis[c] - sine * before;
    };
    about(2, 0.5 * time);
    about(1, 0.5 * time);
    about(0, time);
    about(1, 0.5 * time);
    about(2, 0.5 * time);
  }

  /// Writes the atoms' places and velocities.
  void give(const RotorShape& shape, RotorWork& work, std::size_t lane) const {
    const Triple omega = angular_velocity(shape);
    omega.store_to(work.angular_velocity, lane);
    for (std::size_t k = 0; k < shape.atoms; ++k) {
      const Triple at = place(shape, k);
      at.store_to(work.place[k], lane);
      (velocity + cross_of(omega, at)).store_to(work.velocity[k], lane);
    }
  }
};

void turn(const RotorShape& shape, RotorWork& work, double time) {
  for (std::size_t lane = 0; lane < rotors_together; lane += lanes<double>) {
    Bodies bodies(shape, work, lane);
    bodies.turn(shape, time);
    const Triple shift = time * bodies.velocity;
    for (std::size_t k = 0; k < shape.atoms; ++k) {
      const Triple before = Triple::load_from(work.place[k], lane);
      (shift + (bodies.place(shape, k) - before)).store_to(work.path[k], lane);
    }
    bodies.give(shape, work, lane);
  }
}

void project(const RotorShape& shape, RotorWork& work) {
  for (std::size_t lane = 0; lane < rotors_together; lane += lanes<double>) {
    Bodies(shape, work, lane).give(shape, work, lane);
  }
}

constexpr RotorKernels kernels{STERNA_KERNEL_NAME, turn, project};

}  // namespace
}  // namespace sterna::md
