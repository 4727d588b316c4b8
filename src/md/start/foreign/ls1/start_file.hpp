#pragma once

#include <string>

#include "md/start/readers/start_file_reader.hpp"

namespace sterna::md {

struct Ls1StartOptions {  ///< of [start] with format = "ls1"
  std::string header;     ///< XML that describes a binary file; empty for others
};

/// The path of that header; empty where none is given.
std::string ls1_header_path(const StartFileOptions& options);

}  // namespace sterna::md
