#pragma once

#include <set>
#include <string>
#include <vector>

#include "md/core/json.hpp"
#include "md/input/input.hpp"

namespace sterna::md {

/// What a checkpoint keeps of its input, so that a run goes on only with the system that it began
/// with: every value that differs from its default, and what tells the start file and the file of
/// parameters from others. Reads these files. FileError where one cannot be read.
Json input_record(const Input& input);

/// How an input differs from that of a checkpoint, as lines for people:
/// "start.density: 0.8442 in the checkpoint, now 0.6".
struct InputChanges {
  std::vector<std::string> system;    ///< with these it is another system
  std::vector<std::string> settings;  ///< a run may go on with these
  /// Whether the settings sample another state (temperature, time step, cutoff), so that averages
  /// must not be mixed.
  bool other_state = false;
  bool timestep = false;                        ///< among them
  std::set<std::string, std::less<>> sections;  ///< of the settings: "run", "rdf"
  std::set<std::string, std::less<>> places;    ///< of the settings: "run.steps", "rdf.interval"
};
/// `record` and `now`: of the checkpoint and of the input.
InputChanges compare_inputs(const Json& record, const Json& now, const UnitSystem& units);

}  // namespace sterna::md
