#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "md/output/atomic_file.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// A file that all ranks write at once, in which one frame follows the other. Everything but
/// `take_back` is collective and fails on all ranks together with a FileError.
class JointFile {
 public:
  JointFile(const comm::Context& context, std::string path);

  const std::string& path() const { return path_; }
  RawFile& raw() { return file_; }

  /// An existing file is replaced. `begin`, on rank 0, writes what stands before the frames.
  void create(const std::function<void(RawFile&)>& begin);
  /// An existing file is kept, else there is a new one. `keep`, on rank 0, cuts off what the file is
  /// to lose. Returns on all ranks what it says.
  std::string resume(const std::function<std::string(RawFile&, bool is_new)>& keep);
  /// Returns when everything is on the disk.
  void sync();
  /// After a frame failed: the earlier frames, up to `end`, are again all that the file holds.
  void take_back(std::uint64_t end);

 private:
  void open_for_all();

  comm::Context context_;
  std::string path_;
  RawFile file_;
};

}  // namespace sterna::md
