#pragma once

#include <map>
#include <string>

namespace sterna::md {

/// The text of docs/potentials.md: common rules of all pair potentials, and a table of them.
std::string potential_page_markdown();

/// The pages of all, by path: formula, source, parameters.
std::map<std::string, std::string> potential_pages();

}  // namespace sterna::md
