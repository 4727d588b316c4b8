#pragma once

#include <stdexcept>
#include <string>

namespace sterna::md {

/// A file that could not be read or written; the text names the file and the reason.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// "PATH: WHAT: No space left on device", from a value of errno.
std::string system_failure(const std::string& path, const std::string& what, int error_number);

}  // namespace sterna::md
