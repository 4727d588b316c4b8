#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "md/core/quaternion.hpp"
#include "md/core/vector.hpp"
#include "md/input/sections/run_section.hpp"
#include "md/integrate/kernels/turn_kernels.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// A rigid body with these principal moments of inertia about its center of mass, along the axes of
/// its body frame. It does not rotate about an axis whose moment is 0.
class RigidBody {
 public:
  explicit RigidBody(const Vec3& inertia);

  bool rotates() const { return degrees_of_freedom_ > 0; }
  int degrees_of_freedom() const { return degrees_of_freedom_; }
  const Vec3& inertia() const { return inertia_; }
  /// The angular velocity in the body frame, from the angular momentum in the laboratory frame.
  Vec3 angular_velocity(const Quaternion& orientation, const Vec3& angular_momentum) const;
  double kinetic_energy(const Quaternion& orientation, const Vec3& angular_momentum) const;

  /// Rotates by `time` without torque. The angular momentum stays constant, except for a component
  /// along the axis of a linear body, which is removed.
  void turn(Quaternion& orientation, Vec3& angular_momentum, double time) const;
  /// The same for up to `bodies_together` particles, with the same bits. Returns false, without
  /// doing anything, if one rotates too far for the kernels, or for linear bodies.
  bool turn_together(std::span<const std::uint32_t> bodies, ParticleStore& particles, double time,
                     const TurnKernels& kernels) const;
  /// Advances angular momentum and orientation, which with the torque are given at time t, to t +
  /// time/2 and t + time, by Fincham's leapfrog.
  void leapfrog(Quaternion& orientation, Vec3& angular_momentum, const Vec3& torque,
                double time) const;

 private:
  Vec3 inertia_, inverse_;
  int degrees_of_freedom_;
  int linear_axis_ = -1;  ///< the axis of a linear body; otherwise -1
};

/// The rotation of rigid bodies that accompanies velocity Verlet: half a kick by the torque, a
/// torque-free rotation, and half a kick by the new torque.
class RigidRotor {
 public:
  /// `inertia`: principal moments by type. `kernels`: an instruction set, or "auto".
  RigidRotor(double timestep, std::span<const Vec3> inertia, RotationMethod method,
             std::string_view kernels = "auto");

  /// The first half kick, and a rotation by `time`, which with leapfrog must be the time step. With
  /// `pending`, the last step's second half kick comes first.
  void kick_and_turn(ParticleStore& particles, bool pending, double time) const;
  /// A rotation without kicks; not with leapfrog.
  void turn(ParticleStore& particles, double time) const;
  /// Half a kick by these torques, given for each local particle that has an orientation.
  void kick(ParticleStore& particles, std::span<const Vec3> torques) const;

 private:
  /// Rotates the particles of rotating types, each after `kick(i)`; if kick returns false, it has
  /// done the rotation itself.
  template <class Kick>
  void turn_after(ParticleStore& particles, double time, Kick&& kick) const;

  const TurnKernels* kernels_;
  double timestep_;
  std::vector<RigidBody> bodies_;
  RotationMethod method_;
};

/// The kernels that this processor can run, widest first.
std::vector<const TurnKernels*> available_turn_kernels();

}  // namespace sterna::md
