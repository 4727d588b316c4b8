#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "md/input/check_input.hpp"
#include "md/input/input_schema.hpp"

namespace sterna::md {

/// A section of the input that turns on a trajectory in the format of another program, declared
/// beside the format. Its options are a struct, which an input keeps as `input.section<Options>()`.
struct TrajectorySection {
  SectionSchema schema;
  std::vector<KeySchema> keys;  ///< without `section`
  /// Steps between two frames; 0: no trajectory.
  std::int64_t (*interval)(const Input& input) = nullptr;
  /// The groups whose atoms the frames have; empty: all atoms.
  const std::vector<std::string>& (*groups)(const Input& input) = nullptr;
  /// Bytes of an atom in a frame.
  double (*bytes_per_atom)(const Input& input) = nullptr;
  /// The largest step number that a frame of the format can have.
  std::int64_t last_step = std::numeric_limits<std::int64_t>::max();
  bool has_one_interval = false;  ///< whether all frames of a file must have equal spacing
  /// Checks that need more than one key, called by `check_input`; may be null.
  void (*check)(const Input& input, const IsGood& is_good, const Report& report) = nullptr;
};

/// All trajectory sections, in the order of the reference page. Defined in
/// trajectories/trajectory_table.cpp, which knows the formats.
std::span<const TrajectorySection> trajectory_sections();

}  // namespace sterna::md
