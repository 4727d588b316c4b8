#pragma once

#include <cstddef>

#include "md/input/input.hpp"
#include "md/integrate/step_modifier.hpp"
#include "md/system/selection.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// What a thermostat is made from.
struct ThermostatRequest {
  const comm::Context& context;
  const Input& input;
  std::size_t number;  ///< of this thermostat in the input, from 0
  const MoleculeTable& molecules;

  const Input::Thermostat& wanted() const { return input.thermostats[number]; }
  /// kT of the temperature to keep.
  double thermal_energy() const { return input.units.boltzmann() * wanted().temperature; }
};

/// Acts in the steps and on the molecules that [thermostat] gives.
class Thermostat : public StepModifier {
 public:
  bool is_thermostat() const final { return true; }
  bool keeps_momentum() const final { return keeps_momentum_; }

 protected:
  explicit Thermostat(const ThermostatRequest& request);

  Selection where_;

 private:
  bool keeps_momentum_;
};

}  // namespace sterna::md
