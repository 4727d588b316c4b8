#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "md/core/values_by_type.hpp"
#include "md/core/vector.hpp"

namespace sterna::md {

struct ThermostatSection {    ///< [thermostat], or several [[thermostat]]
  std::string kind = "none";  ///< or of thermostat_rows()
  double temperature = 0.0;
  std::optional<double> end_temperature;  ///< of a ramp from `temperature`
  double time_constant = 0.0;             ///< of those that have one
  std::int64_t start_step = 0;            ///< acts in steps from here
  std::int64_t stop_step = 0;             ///< to here; 0: to the end
  // Some of the molecules only.
  std::string component;             ///< of this [[component]] or [[type]]; empty: of all
  std::optional<Vec3> lower, upper;  ///< in this region of the box

  /// What only some kinds have, by the type of their options.
  template <class Options>
  Options& options() {
    return options_of_kinds.of<Options>();
  }
  template <class Options>
  const Options& options() const {
    return options_of_kinds.of<Options>();
  }
  ValuesByType options_of_kinds;

  bool is_used() const { return kind != "none"; }
  double highest_temperature() const {
    return std::max(temperature, end_temperature.value_or(temperature));
  }
  /// Whether some molecules are left out.
  bool is_partial() const { return !component.empty() || lower || upper; }
};

}  // namespace sterna::md
