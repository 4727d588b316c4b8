#pragma once

#include <cstddef>
#include <optional>

#include "md/input/input.hpp"
#include "md/integrate/ramp.hpp"
#include "md/integrate/step_modifier.hpp"
#include "md/integrate/thermostats/selected_motion.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// The arguments from which a thermostat is made.
struct ThermostatRequest {
  const comm::Context& context;
  const Input& input;
  std::size_t number;  ///< of this thermostat in the input, from 0
  const MoleculeTable& molecules;

  const Input::Thermostat& wanted() const { return input.thermostats[number]; }
  /// kT of the target temperature; of a ramp, at its beginning.
  double thermal_energy() const { return input.units.boltzmann() * wanted().temperature; }
};

/// A modifier that acts in the steps and on the motion that a section [thermostat] selects.
class Thermostat : public StepModifier {
 public:
  bool is_thermostat() const final { return true; }
  bool keeps_momentum() const final { return keeps_momentum_; }
  double apply(ParticleStore& particles, const StepContext& now) final;
  /// Sets kT of the target from now on, for another state of the run. Only for kinds that support
  /// ramps.
  void set_target(double thermal_energy) { set_thermal_energy(thermal_energy); }

 protected:
  explicit Thermostat(const ThermostatRequest& request);

  /// The action of `apply`, with kT of the present step.
  virtual double act(ParticleStore& particles, const StepContext& now) = 0;
  /// Sets kT of the target from now on. It is called only for kinds that support ramps.
  virtual void set_thermal_energy(double /*thermal_energy*/) {}

  SelectedMotion motion_;

 private:
  std::optional<Ramp> ramp_;  ///< of kT, where that moves
  bool keeps_momentum_;
};

}  // namespace sterna::md
