#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "md/core/units.hpp"

namespace sterna::md {

/// The result of an observer at the end of a run.
struct ObserverReport {
  std::string name{};  ///< of the observer, such as "rdf"; `text` is written to the run's
                       ///< NAME.rdf.txt
  std::string text{};
  struct Average {
    std::string name;
    double mean, standard_error;  ///< in the units of the input
    std::string_view unit;        ///< of both, such as "bar"; empty if reduced or dimensionless
  };
  std::vector<Average> averages{};
  std::vector<std::string> warnings{};  ///< what a user must know before he uses the averages

  /// Adds an average that is given in internal units.
  void add_average(std::string quantity, double mean, double standard_error,
                   const UnitSystem& units, Dimension dimension) {
    averages.push_back({std::move(quantity), units.from_internal(mean, dimension),
                        units.from_internal(standard_error, dimension), units.label(dimension)});
  }
};

}  // namespace sterna::md
