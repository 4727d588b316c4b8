#pragma once

#include <string>

namespace sterna::comm::ofi {

/// Returns why libfabric does not work in this process; empty if it works. The first call starts
/// it, which may take most of a second.
std::string why_unavailable();

/// Returns why libfabric is not in this build; empty if it is.
std::string why_not_built();

}  // namespace sterna::comm::ofi
