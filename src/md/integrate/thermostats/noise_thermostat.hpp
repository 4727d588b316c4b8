#pragma once

#include <cstdint>

#include "md/core/random.hpp"
#include "md/integrate/thermostats/thermostat.hpp"

namespace sterna::md {

/// Noise on the rotation of molecules alone keeps their momenta.
inline bool keeps_momentum_of_noise(const Input::Thermostat& thermostat) {
  return thermostat.options<ThermostatParts>().motion == ThermalMotion::rotation;
}

/// Translation and rotation of a molecule may have a thermostat each, whose noise is independent.
inline RandomPurpose purpose_of_noise(const SelectedMotion& motion) {
  return motion.has_translation() ? RandomPurpose::thermostat : RandomPurpose::rotation_noise;
}

/// Noise on each molecule by a method that is independent of input and steps: Langevin dynamics,
/// Andersen's collisions. The method's rate is the inverse of the time constant.
template <class Method>
class NoiseThermostat final : public Thermostat {
 public:
  /// `more`: further arguments of the method.
  template <class... More>
  explicit NoiseThermostat(const ThermostatRequest& request, const More&... more)
      : Thermostat(request),
        timestep_(request.input.run.timestep),
        method_(request.input.run.seed, request.thermal_energy(),
                1.0 / request.wanted().time_constant, request.molecules.masses,
                request.molecules.bodies, motion_, more...) {}

  bool violates_constraints() const override { return motion_.has_translation(); }

 private:
  double act(ParticleStore& particles, const StepContext& now) override {
    const double interval = static_cast<double>(steps_.interval) * timestep_;
    add_exchanged_energy(method_.apply(particles, now.box, interval, now.step));
    return 1.0;
  }
  void set_thermal_energy(double thermal_energy) override {
    method_.set_thermal_energy(thermal_energy);
  }

  double timestep_;
  Method method_;
};

}  // namespace sterna::md
