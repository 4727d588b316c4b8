#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "md/output/atomic_file.hpp"

namespace sterna::md {

/// A file of lines that grows while a run goes on. A resumed run continues it where it ended when
/// the checkpoint was written. Local; every failure is a FileError.
class GrowingFile {
 public:
  /// A new file with this first part.
  GrowingFile(const std::string& path, std::string_view head);
  /// An existing file, cut to so many bytes.
  GrowingFile(const std::string& path, std::uint64_t bytes);

  void append(std::string_view text);
  /// Returns when all is on the disk.
  void sync() { file_.sync(); }
  std::uint64_t bytes() const { return end_; }

 private:
  RawFile file_;
  std::uint64_t end_ = 0;
};

}  // namespace sterna::md
