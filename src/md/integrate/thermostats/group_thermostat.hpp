#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "md/integrate/rigid_rotor.hpp"
#include "md/integrate/thermostats/thermostat.hpp"

namespace sterna::md {

/// Scales velocities and angular momenta of all its molecules by one factor that depends on their
/// kinetic energy. If it acts on only some molecules, it leaves the motion of their common center
/// of mass unchanged, so that the total momentum is conserved.
class GroupThermostat : public Thermostat {
 public:
  explicit GroupThermostat(const ThermostatRequest& request);

  void set_degrees_of_freedom(double degrees) override { all_degrees_ = degrees; }

 protected:
  double act(ParticleStore& particles, const StepContext& now) final;
  /// The factor of all velocities after `interval` of time, for this kinetic energy in `degrees` of
  /// freedom, at least 1. The same on all ranks. The kind itself counts the energy that it adds.
  virtual double factor(double kinetic_energy, double degrees, double interval,
                        std::int64_t step) = 0;

  double timestep_;

 private:
  double interval() const { return static_cast<double>(steps_.interval) * timestep_; }
  double apply_to_all(ParticleStore& particles, std::int64_t step);
  double apply_to_some(ParticleStore& particles, const Box& box, std::int64_t step);

  double all_degrees_ = 0.0;
  std::vector<double> masses_;
  std::vector<RigidBody> bodies_;
  std::function<double(std::int64_t id)> degrees_of_;
};

}  // namespace sterna::md
