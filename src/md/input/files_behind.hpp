#pragma once

#include <string>
#include <vector>

namespace sterna::md {

/// The files that an input of another program uses: included files, files of its start, and files
/// that it finds by its own name. Some may not exist. Empty if `path` is no such input. Defined in
/// start/foreign/foreign_input.cpp, which knows these programs.
std::vector<std::string> files_behind(const std::string& path);

}  // namespace sterna::md
