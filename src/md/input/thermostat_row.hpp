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
  /// For the page of the thermostat. Equations are lines of text; in them K is the kinetic energy, N
  /// the number of its degrees of freedom, T the temperature to keep, and K₀ = N k T / 2. Remarks
  /// are sentences. The source has no full stop.
  std::string_view equations = {}, remarks = {}, source = {};
  std::vector<std::string_view> aliases = {};  ///< names in other programs; only suggested
  /// Whether the kind has the key "time_constant", and its meaning if it is not the relaxation time
  /// of the temperature: "the period of its oscillation".
  bool has_time_constant = true;
  std::string_view time_constant = {};
  std::vector<KeySchema> keys = {};  ///< the kind's own, without `section` and `condition`
  /// Whether the temperature may be a ramp, for which the thermostat has `set_thermal_energy`.
  bool takes_ramps = false;
  bool is_canonical = false;  ///< whether it samples the canonical ensemble
  /// How the thermostat treats constrained atoms.
  enum class Constraints {
    violated,             ///< it cannot be used with constraints
    kept,                 ///< kept if it acts on all: all velocities scale alike
    projected,            ///< velocities are projected on constraints afterwards
    projected_as_a_whole  ///< as `projected`, if it acts on all
  };
  Constraints constraints = Constraints::violated;
  /// Whether it can act on groups, and on a part of the motion (`ThermostatParts`).
  bool takes_groups = false, takes_motions = false;
  /// The reason why it cannot act in a region; empty: it can.
  std::string_view not_in_a_region = {};
  /// Whether it conserves the total momentum.
  bool (*keeps_momentum)(const Input::Thermostat& thermostat) = [](const Input::Thermostat&) {
    return true;
  };
  /// The key of this thermostat that needs an orthorhombic box; empty: there is none.
  std::string_view (*orthorhombic_key)(const Input::Thermostat& thermostat) =
      [](const Input::Thermostat&) { return std::string_view(); };
  std::unique_ptr<StepModifier> (*make)(const ThermostatRequest& request) = nullptr;
};

/// All kinds, as the owner of their table handed them in (`owner_tables.hpp`).
const Registry<ThermostatRow>& thermostat_rows();

/// Returns the row of a thermostat in the file; null for "none".
const ThermostatRow* row_of(const Input::Thermostat& thermostat);

/// The target of a kind's own key, such as `thermostat_option<&VelocityScalingOptions::slabs>`.
template <auto member>
Target thermostat_option(Input& input, std::size_t n) {
  using Options = typename MemberOf<decltype(member)>::type;
  return target_of(input.thermostats[n].options<Options>().*member);
}

}  // namespace sterna::md
