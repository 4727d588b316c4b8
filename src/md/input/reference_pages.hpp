#pragma once

#include <map>
#include <string>

namespace sterna::md {

/// Pages of the docs about a single subject, by their paths below docs/: one for each pair
/// potential (`potentials/mie.md`), thermostat and barostat, with equations, source and keys.
std::map<std::string, std::string> reference_pages();

}  // namespace sterna::md
