#pragma once

#include <cstddef>
#include <string>

#include "sterna/comm/error.hpp"

namespace sterna::comm {

/// A file that `read_regular_file` could not read. The text is the reason alone, to be written
/// after the name of the file: "does not exist", "is a folder".
class UnreadableFile : public Error {
 public:
  enum class Reason { missing, folder, irregular, too_large, failed };

  UnreadableFile(Reason why, const std::string& text) : Error(text), reason_(why) {}
  Reason reason() const { return reason_; }

 private:
  Reason reason_;
};

/// Returns the content of a regular file of at most `most_bytes`. Throws UnreadableFile for
/// anything else. A device or a pipe may have no end or never begin, so the file is opened without
/// waiting.
std::string read_regular_file(const std::string& path, std::size_t most_bytes);

}  // namespace sterna::comm
