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
/// its body frame. No rotation about an axis whose moment is 0.
class RigidBody {
 public:
  explicit RigidBody(const Vec3& inertia);

  bool rotates() const { return degrees_of_freedom_ > 0; }
  int degrees_of_freedom() const { return degrees_of_freedom_; }
  const Vec3& inertia() const { return inertia_; }
  /// In the body frame, from the angular momentum in the laboratory's.
  Vec3 angular_velocity(const Quaternion& orientation, const Vec3& angular_momentum) const;
  double kinetic_energy(const Quaternion& orientation, const Vec3& angular_momentum) const;

  /// Advances the orientation by `time` without torque. The angular momentum stays as it is, but
  /// for a component along the axis of a linear body, which is taken away.
  void turn(Quaternion& orientation, Vec3& angular_momentum, double time) const;
  /// The same of up to `bodies_together` particles, with the same bits. False, and nothing is done,
  /// where one turns too far for the kernels, and for linear bodies.
  bool turn_together(std::span<const std::uint32_t> bodies, ParticleStore& particles, double time,
                     const TurnKernels& kernels) const;
  /// Angular momentum and orientation from time t, at which both and the torque are given, to
  /// t + time/2 and t + time, by Fincham's leapfrog.
  void leapfrog(Quaternion& orientation, Vec3& angular_momentum, const Vec3& torque,
                double time) const;

 private:
  Vec3 inertia_, inverse_;
  int degrees_of_freedom_;
  int linear_axis_ = -1;  ///< of a linear body
};

/// The rotation of rigid bodies beside velocity Verlet: half a kick by the torque, a turn without
/// torque, and half a kick by the new torque.
class RigidRotor {
 public:
  /// `inertia`: principal moments by type. `kernels`: an instruction set, or "auto".
  RigidRotor(double timestep, std::span<const Vec3> inertia, RotationMethod method,
             std::string_view kernels = "auto");

  /// First half kick, and a turn by `time`, which with leapfrog is the time step. `pending`: another
  /// half kick, the last step's second, comes before.
  void kick_and_turn(ParticleStore& particles, bool pending, double time) const;
  /// A turn without kicks; not with leapfrog.
  void turn(ParticleStore& particles, double time) const;
  /// Half a kick by these torques, one of each local particle.
  void kick(ParticleStore& particles, std::span<const Vec3> torques) const;

 private:
  /// Turns those that turn, each after `kick(i)`; those whose kick returns false have been turned.
  template <class Kick>
  void turn_after(ParticleStore& particles, double time, Kick&& kick) const;

  const TurnKernels* kernels_;
  double timestep_;
  std::vector<RigidBody> bodies_;
  RotationMethod method_;
};

/// Those that this processor can run, widest first.
std::vector<const TurnKernels*> available_turn_kernels();

}  // namespace sterna::md
