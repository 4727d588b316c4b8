#pragma once

#include <set>
#include <string>
#include <vector>

#include "md/core/json.hpp"
#include "md/input/input.hpp"

namespace sterna::md {

/// The record of an input in a checkpoint, by which a resumed run checks that it continues the same
/// system: every value that differs from its default, and fingerprints of the start file and the
/// parameter files. Reads these files. Throws FileError if one cannot be read.
Json input_record(const Input& input);

/// The differences between an input and the input of a checkpoint, as lines for the user:
/// "start.density: 0.8442 in the checkpoint, now 0.6".
struct InputChanges {
  std::vector<std::string> system;    ///< differences that make another system
  std::vector<std::string> settings;  ///< differences with which a run may continue
  /// Whether the changed settings sample another state (temperature, time step, cutoff), so that
  /// averages must not be combined.
  bool other_state = false;
  bool timestep = false;                        ///< whether the time step is among them
  std::set<std::string, std::less<>> sections;  ///< of changed settings: "run", "rdf"
  std::set<std::string, std::less<>> places;    ///< of changed settings: "run.steps",
                                                ///< "rdf.interval"
};
/// `record`: of the checkpoint; `now`: of the input.
InputChanges compare_inputs(const Json& record, const Json& now, const UnitSystem& units);

}  // namespace sterna::md
