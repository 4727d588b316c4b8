#pragma once

#include <map>
#include <string>

namespace sterna::md {

/// Pages of the docs that have one thing each, by their paths below docs/: each pair potential
/// (`potentials/mie.md`), thermostat and barostat, with equations, source and keys.
std::map<std::string, std::string> reference_pages();

}  // namespace sterna::md
