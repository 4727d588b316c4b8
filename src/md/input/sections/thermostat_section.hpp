#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "md/core/values_by_type.hpp"
#include "md/core/vector.hpp"

namespace sterna::md {

struct ThermostatSection {    ///< [thermostat], or several [[thermostat]]
  std::string kind = "none";  ///< or of thermostat_rows()
  double temperature = 0.0;
  std::optional<double> end_temperature;  ///< end of a ramp that begins at `temperature`
  double time_constant = 0.0;             ///< for kinds that have one
  std::int64_t start_step = 0;            ///< first step in which it acts
  std::int64_t stop_step = 0;             ///< last step in which it acts; 0: the run's last
  // The selection of some molecules:
  std::string component;             ///< name of a [[component]] or [[type]]; empty: all
  std::optional<Vec3> lower, upper;  ///< region of the box that it acts in

  /// Options that only some kinds have, by their type.
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
    const double end = end_temperature.value_or(temperature);
    return end > temperature ? end : temperature;
  }
  /// Whether the thermostat acts on some molecules only.
  bool is_partial() const { return !component.empty() || lower || upper; }
};

}  // namespace sterna::md
