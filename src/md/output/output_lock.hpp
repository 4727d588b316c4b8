#pragma once

#include <string>

namespace sterna::md {

/// Keeps two runs from writing the same output files at the same time, by a lock on a file beside
/// them that names its holder. The kernel releases the lock when the process ends, in whatever way,
/// so no lock must be removed by hand. On network file systems it holds for all hosts if the file
/// system supports locks.
class OutputLock {
 public:
  OutputLock() = default;
  /// Throws FileError, which names the holding process and its host, if the lock is taken.
  explicit OutputLock(std::string path);
  ~OutputLock();
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;
  OutputLock(OutputLock&& other) noexcept;
  OutputLock& operator=(OutputLock&& other) noexcept;

  /// The reason why the file system gives no lock; empty if there is a lock.
  const std::string& why_missing() const { return why_missing_; }

 private:
  std::string path_;
  int descriptor_ = -1;
  std::string why_missing_;
};

}  // namespace sterna::md
