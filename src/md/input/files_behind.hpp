#pragma once

#include <string>
#include <vector>

namespace sterna::md {

/// The files that an input of another program leads to: those that it includes, those of its start,
/// and those that it finds by its own name. Some may not be there. Empty where `path` is no such
/// input. Defined where these programs are known, in start/foreign/foreign_input.cpp.
std::vector<std::string> files_behind(const std::string& path);

}  // namespace sterna::md
