#pragma once

#include <string>

namespace sterna::md {

/// Keeps two runs from writing the same output files at a time: a lock on a file beside them, which
/// names its holder. The kernel releases it when the process ends, however that may be, so that
/// none has to be removed by hand. On network file systems it holds for all hosts, as far as the
/// file system passes locks on.
class OutputLock {
 public:
  OutputLock() = default;
  /// FileError where another process holds the lock: the text names that process and its host.
  explicit OutputLock(std::string path);
  ~OutputLock();
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;
  OutputLock(OutputLock&& other) noexcept;
  OutputLock& operator=(OutputLock&& other) noexcept;

  /// Why the file system gives no lock; empty where there is one.
  const std::string& why_missing() const { return why_missing_; }

 private:
  std::string path_;
  int descriptor_ = -1;
  std::string why_missing_;
};

}  // namespace sterna::md
