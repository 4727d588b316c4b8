#pragma once

#include <string>
#include <vector>

#include "md/input/input.hpp"
#include "md/input/input_record.hpp"
#include "md/output/output_lock.hpp"
#include "md/simulation/files/console.hpp"
#include "md/simulation/simulation.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// The files of a run beside their stem: which there are, whose they are, and the lock that keeps
/// other runs away from them. All that is given must outlive this.
class RunFolder {
 public:
  RunFolder(const comm::Context& context, const Input& input, const SimulationOptions& options,
            Console& console);

  /// Path of all output files, without their endings.
  const std::string& stem() const { return stem_; }

  /// Collective. Makes the folder and locks the stem. FileError where the run would write over what
  /// it reads, or where another run holds the lock.
  void take();
  /// Collective. What an earlier run left is removed or kept as a backup.
  void clear_for_new_run();
  /// Collective. FileError where a resumed run cannot go on with a file that is there: it is a link
  /// or no file, or what changed makes other frames than it has.
  void require_usable_files(const InputChanges& changes) const;

  // Local:
  /// Files that the run writes and that are not there.
  std::vector<std::string> missing_files() const;
  /// Empty: no report is wanted, or no files.
  std::string report_path() const;
  std::vector<std::string> export_paths() const;
  /// Rank 0: the console lists what is there at the end.
  void list_files() const;

 private:
  const comm::Context& context_;
  const Input& input_;
  const SimulationOptions& options_;
  Console& console_;
  std::string stem_;
  OutputLock lock_;  ///< rank 0
};

}  // namespace sterna::md
