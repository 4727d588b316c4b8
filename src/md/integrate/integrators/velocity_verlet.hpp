#pragma once

#include "md/integrate/integrators/kicks_and_drifts.hpp"

namespace sterna::md {

/// Velocity Verlet: v += dt/2 f/m, x += dt v, new forces, v += dt/2 f/m. Swope, Andersen, Berens
/// and Wilson, J. Chem. Phys. 76, 637 (1982).
class VelocityVerlet final : public KicksAndDrifts {
 public:
  /// `masses`: by type. `rotor`: set if the stores rotate.
  VelocityVerlet(double timestep, std::span<const double> masses,
                 std::optional<RigidRotor> rotor = std::nullopt)
      : KicksAndDrifts(timestep, timestep, masses, std::move(rotor)) {}

  void advance(ParticleStore& particles, MotionStages& stages) override;
  bool moves_in_parts() const override { return true; }
  bool forces_tell_motion() const override { return true; }
};

}  // namespace sterna::md
