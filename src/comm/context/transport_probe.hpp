#pragma once

#include <mpi.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sterna::comm {

// Functions that a context needs from the layer above it, where they are defined
// (transport/probe.cpp).

/// Returns why the ranks of `node` (a communicator of one node) cannot share memory; empty if they
/// can. Collective over `node`.
std::string why_no_shared_memory(MPI_Comm node);

/// Returns the name of every transport, with the reason why it does not work for this process; the
/// reason is empty if it works. `nodes`: of the context; `why_no_shm`: the result of the function
/// above.
std::vector<std::pair<std::string_view, std::string>> probe_transports(int nodes,
                                                                       std::string why_no_shm);

}  // namespace sterna::comm
