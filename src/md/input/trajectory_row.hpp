#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/registry.hpp"
#include "md/input/check_input.hpp"
#include "md/input/input_schema.hpp"

namespace sterna::md {

class FrameFormat;
class Topology;

/// A trajectory in a format of another program, with the section of the input that turns it on,
/// declared beside the format. The options are a struct, which an input keeps as
/// `input.section<Options>()`.
struct TrajectoryRow {
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
  /// Whether frames may have different numbers of atoms.
  bool has_changing_numbers = false;
  bool has_one_interval = false;  ///< whether all frames of a file must have equal spacing
  /// Checks that need more than one key, called by `check_input`; may be null.
  void (*check)(const Input& input, const IsGood& is_good, const Report& report) = nullptr;
  std::string_view ending = {};  ///< of its file: ".dcd"
  /// Called where the section's interval is not 0. `topology` outlives what it makes.
  std::unique_ptr<FrameFormat> (*make)(const Input& input, const Topology& topology) = nullptr;
};

/// The rows of all formats of trajectories, which the layers above hand in (`owner_tables.hpp`).
const Registry<TrajectoryRow>& trajectory_rows();

}  // namespace sterna::md
