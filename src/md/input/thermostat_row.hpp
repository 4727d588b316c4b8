#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "md/core/registry.hpp"
#include "md/input/input_schema.hpp"

namespace sterna::md {

class StepModifier;
struct ThermostatRequest;

/// A kind of thermostat, declared beside the thermostat. The keys that only some kinds have stand in
/// a struct, which a thermostat of the input keeps as `options<Options>()`.
struct ThermostatRow {
  std::string_view name;      ///< kind = "..." in [thermostat]
  std::string_view sentence;  ///< for the reference page: what it does, its source
  /// For the page of its own: equations as lines of text, in which K is the kinetic energy, N the
  /// number of its degrees of freedom, T the temperature to keep, and K₀ = N k T / 2; what there is
  /// to know of them; and the source, without a stop.
  std::string_view equations = {}, remarks = {}, source = {};
  std::vector<std::string_view> aliases = {};  ///< what other programs call it; suggested only
  /// Whether it has the key "time_constant", and what that is beyond how fast the temperature
  /// relaxes: "the period of its oscillation".
  bool has_time_constant = true;
  std::string_view time_constant = {};
  std::vector<KeySchema> keys = {};  ///< of its own; without `section` and `condition`
  /// Whether its temperature may move: it has a `set_thermal_energy`.
  bool takes_ramps = false;
  bool is_canonical = false;  ///< whether it samples the canonical ensemble
  /// What it does to constrained atoms.
  enum class Constraints {
    violated,             ///< it does not go with them
    kept,                 ///< where it acts on all: it scales all velocities alike
    projected,            ///< what it gives along a constraint is taken off again
    projected_as_a_whole  ///< the same, where it acts on all
  };
  Constraints constraints = Constraints::violated;
  /// Why it cannot act in a region; empty: it can.
  std::string_view not_in_a_region = {};
  /// Whether it leaves the total momentum as it is.
  bool (*keeps_momentum)(const Input::Thermostat& thermostat) = [](const Input::Thermostat&) {
    return true;
  };
  /// The key of its own that this thermostat gives and that needs an orthorhombic box; empty: none.
  std::string_view (*orthorhombic_key)(const Input::Thermostat& thermostat) =
      [](const Input::Thermostat&) { return std::string_view(); };
  std::unique_ptr<StepModifier> (*make)(const ThermostatRequest& request) = nullptr;
};

/// All kinds, as the owner of their table handed them in (`owner_tables.hpp`).
const Registry<ThermostatRow>& thermostat_rows();

/// Of a thermostat that the file gives; null for "none".
const ThermostatRow* row_of(const Input::Thermostat& thermostat);

/// The target of a key of a kind's own: `thermostat_option<&VelocityScalingOptions::slabs>`.
template <auto member>
Target thermostat_option(Input& input, std::size_t n) {
  using Options = typename MemberOf<decltype(member)>::type;
  return target_of(input.thermostats[n].options<Options>().*member);
}

}  // namespace sterna::md
