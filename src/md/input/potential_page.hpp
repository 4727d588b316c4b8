#pragma once

#include <string>

namespace sterna::md {

/// docs/potentials.md: all pair potentials, with formulas, parameters and sources.
std::string potential_page_markdown();

}  // namespace sterna::md
