#pragma once

#include <string>

namespace sterna::comm::two_sided {

/// Empty: a context is made of MPI, so messages always work.
std::string why_unavailable();

}  // namespace sterna::comm::two_sided
