#pragma once

#include <string>

#include "md/start/readers/start_file_reader.hpp"

namespace sterna::md {

struct Ls1StartOptions {  ///< keys of [start] with format = "ls1"
  std::string header;     ///< XML header of a binary file; empty otherwise
};

/// The path of the header; empty if none is given.
std::string ls1_header_path(const StartFileOptions& options);

}  // namespace sterna::md
