#pragma once

#include <string>

namespace sterna::comm::rma {

/// Returns why MPI windows do not work; empty if they work. `nodes` is the number that the window
/// would span.
std::string why_unavailable(int nodes);

}  // namespace sterna::comm::rma
