#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "md/input/input.hpp"
#include "md/observe/thermodynamic_state.hpp"
#include "md/output/frame_file.hpp"
#include "md/output/h5md_writer.hpp"
#include "md/output/xtc_writer.hpp"
#include "md/simulation/run_clock.hpp"
#include "md/simulation/simulated_system.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// The trajectories that a run writes, of all formats. Functions are collective unless they say
/// "Local".
class TrajectoryFiles {
 public:
  /// Opens the trajectories that the input asks for, named by `stem`. `resume_step`: step of the
  /// checkpoint from which the run continues; nothing: new files. `system` must outlive this
  /// object.
  void open(const comm::Context& context, const Input& input, const SimulatedSystem& system,
            const std::string& stem, std::optional<std::int64_t> resume_step);

  /// Local. What the files that a resumed run goes on with lack, on rank 0.
  const std::vector<std::string>& lost_frames() const { return lost_frames_; }

  /// Local. Whether any trajectory has a frame at this step.
  bool is_due(const RunClock& clock) const;
  /// Writes a frame to each trajectory that is due.
  void write(const RunClock& clock, const SimulatedSystem& system, const ThermodynamicState& state);
  /// Flushes all frames to the disk.
  void sync();

  /// Local. The paths of the trajectories that the input asks for, also before `open`.
  static std::vector<std::string> paths(const Input& input, const std::string& stem);

 private:
  std::int64_t h5md_interval_ = 0, xtc_interval_ = 0;  ///< steps
  std::optional<H5mdWriter> h5md_;
  std::optional<XtcWriter> xtc_;
  std::vector<FrameFile> others_;
  std::vector<std::string> lost_frames_;
};

}  // namespace sterna::md
