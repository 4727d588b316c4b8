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

/// The files of a run, all beginning with its stem: which exist, which run they belong to, and the
/// lock that keeps other runs away from them. All arguments must outlive this object.
class RunFolder {
 public:
  RunFolder(const comm::Context& context, const Input& input, const SimulationOptions& options,
            Console& console);

  /// The path of all output files, without their endings.
  const std::string& stem() const { return stem_; }

  /// Collective. Makes the folder and locks the stem. Throws FileError if the run would overwrite a
  /// file that it reads, or if another run holds the lock.
  void take();
  /// Collective. Removes the files of an earlier run, or keeps them as a backup.
  void clear_for_new_run();
  /// Collective. Throws FileError if a resumed run cannot continue an existing file: it is a link
  /// or no regular file, or changes of the input would give frames of another kind.
  void require_usable_files(const InputChanges& changes) const;

  // Local:
  /// The files that the run should have written but that do not exist.
  std::vector<std::string> missing_files() const;
  /// The path of the report; empty if no report or no files are wanted.
  std::string report_path() const;
  std::vector<std::string> export_paths() const;
  /// Rank 0: lists the files of the run on the console at the end.
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
