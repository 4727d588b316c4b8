#pragma once

#include <string>

namespace sterna::comm::two_sided {

/// Returns an empty text: a context is made of MPI, so messages always work.
std::string why_unavailable();

}  // namespace sterna::comm::two_sided
