#pragma once

#include <filesystem>
#include <string>

#include "comm/context/late_ranks.hpp"

namespace sterna::comm {

/// The folder for the shared-memory files of a run's MPI. It is the folder of the `sterna` command,
/// which names it in $STERNA_SESSION, or one of this process, which removes it at its end. The
/// processes that use a folder lock it (flock, shared). So the next start of the same user
/// recognizes folders that killed processes left, and removes them.
class SessionFolder {
 public:
  SessionFolder();
  ~SessionFolder();
  SessionFolder(const SessionFolder&) = delete;
  SessionFolder& operator=(const SessionFolder&) = delete;

  /// The path is empty if no folder could be made.
  const std::filesystem::path& path() const { return path_; }

  /// Returns the folder of this process, or null.
  static const SessionFolder* in_use();

  /// Removes the files in a folder of this process; mapped files stay usable.
  void remove_files() const;

  /// Tells the other ranks of this node that `rank` of `size` is this process.
  void announce(int rank, int size);
  /// In a run on one node, returns the ranks that are stopped or have not started. If there are
  /// none, returns the ranks that have ended. Returns none if nothing is known.
  LateRanks late_ranks() const;

 private:
  std::filesystem::path path_;
  int lock_ = -1;
  bool own_ = false;
  int size_ = 0;
};

/// The same for the folder in use.
LateRanks late_ranks();

}  // namespace sterna::comm
