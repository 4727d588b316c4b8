#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "md/input/input.hpp"
#include "md/input/input_schema.hpp"

namespace sterna::md {

/// The times and distances of van Hove's function.
struct VanHoveTimes {
  double length = 0.0;  ///< the longest time
  int times = 4;
  double maximum = 0.0;
  int bins = 100;

  /// How many samples there are from one of the times to the next.
  std::size_t samples_between(std::int64_t interval, double timestep) const {
    const double all = length / (static_cast<double>(interval) * timestep);
    return static_cast<std::size_t>(std::llround(all / std::max(1, times)));
  }
};

/// The target of a key of the times in a section whose options are `Options`.
template <class Options, auto member>
Target van_hove_option(Input& input, std::size_t) {
  VanHoveTimes& times = input.section<Options>();
  return target_of(times.*member);
}

/// The section's keys for them. `times` and `maximum` are the sentences of two keys.
template <class Options>
std::vector<KeySchema> van_hove_keys(std::string_view times, std::string_view maximum) {
  return {{.name = "length",
           .target = van_hove_option<Options, &VanHoveTimes::length>,
           .description = "The longest time. Memory and checkpoints grow with its number "
                          "of samples.",
           .need = Need::required,
           .dimension = Dimension::time,
           .range = {.minimum = 0.0, .exclusive_minimum = true},
           .aliases = {"time", "max_lag"}},
          {.name = "times",
           .target = van_hove_option<Options, &VanHoveTimes::times>,
           .description = times,
           .range = {.minimum = 1.0, .maximum = 100.0},
           .aliases = {"lags"}},
          {.name = "maximum",
           .target = van_hove_option<Options, &VanHoveTimes::maximum>,
           .description = maximum,
           .need = Need::required,
           .dimension = Dimension::length,
           .range = {.minimum = 0.0, .exclusive_minimum = true},
           .aliases = {"rmax", "range"}},
          {.name = "bins",
           .target = van_hove_option<Options, &VanHoveTimes::bins>,
           .description = "Number of equal intervals of distance.",
           .range = {.minimum = 1.0, .maximum = 1e5},
           .aliases = {"nbins"}}};
}

/// Whether a run has the times: errors at keys of `section`, whose observer samples every `interval`
/// steps.
void check_van_hove_times(const VanHoveTimes& options, std::int64_t interval, const Input& input,
                          const IsGood& is_good, std::string_view section, const Report& report);

}  // namespace sterna::md
