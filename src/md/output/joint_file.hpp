#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "md/output/atomic_file.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// A file of frames that all ranks write at once. All functions except `take_back` are collective
/// and throw a FileError on all ranks if one fails.
class JointFile {
 public:
  JointFile(const comm::Context& context, std::string path);

  const std::string& path() const { return path_; }
  RawFile& raw() { return file_; }

  /// Replaces an existing file. `begin`, on rank 0, writes the bytes before the frames.
  void create(const std::function<void(RawFile&)>& begin);
  /// Keeps an existing file, or creates a new one. `keep`, on rank 0, truncates the file as needed.
  /// Its result is returned on all ranks.
  std::string resume(const std::function<std::string(RawFile&, bool is_new)>& keep);
  /// Waits until all data are on the disk.
  void sync();
  /// After a failed frame: truncates the file to the earlier frames, which end at `end`.
  void take_back(std::uint64_t end);

 private:
  void open_for_all();

  comm::Context context_;
  std::string path_;
  RawFile file_;
};

}  // namespace sterna::md
