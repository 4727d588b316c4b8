#pragma once

#include <filesystem>
#include <string>

#include "comm/context/late_ranks.hpp"

namespace sterna::comm {

/// The folder that has the shared-memory files of a run's MPI: that of the `sterna` command, which
/// names it in $STERNA_SESSION, or one of this process, removed when it ends. A folder is locked
/// (flock, shared) by the processes that use it. So the next start of the same user can tell those
/// that were left by processes that were killed, and removes them.
class SessionFolder {
 public:
  SessionFolder();
  ~SessionFolder();
  SessionFolder(const SessionFolder&) = delete;
  SessionFolder& operator=(const SessionFolder&) = delete;

  /// Empty where no folder could be made.
  const std::filesystem::path& path() const { return path_; }

  /// That of this process, or null.
  static const SessionFolder* in_use();

  /// Removes the files of a folder of this process; those that are mapped stay usable.
  void remove_files() const;

  /// Lets the other ranks of this node know that `rank` of `size` is this process.
  void announce(int rank, int size);
  /// Of a run on one node, the ranks that are stopped or have not started; where there are none of
  /// these, those that have ended. None where nothing is known.
  LateRanks late_ranks() const;

 private:
  std::filesystem::path path_;
  int lock_ = -1;
  bool own_ = false;
  int size_ = 0;
};

/// Those of the folder in use.
LateRanks late_ranks();

}  // namespace sterna::comm
