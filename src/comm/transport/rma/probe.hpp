#pragma once

#include <string>

namespace sterna::comm::rma {

/// Why MPI windows do not work; empty where they do. `nodes`: that the window would span.
std::string why_unavailable(int nodes);

}  // namespace sterna::comm::rma
