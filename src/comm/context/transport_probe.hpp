#pragma once

#include <mpi.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sterna::comm {

// What a context asks of the layer above it, where both are defined (transport/probe.cpp).

/// Why the ranks of `node` (a communicator of one node) cannot share memory; empty where they can.
/// Collective over `node`.
std::string why_no_shared_memory(MPI_Comm node);

/// Every transport by name, and why it does not work for this process; empty where it does. `nodes`:
/// of the context; `why_no_shm`: as above.
std::vector<std::pair<std::string_view, std::string>> probe_transports(int nodes,
                                                                       std::string why_no_shm);

}  // namespace sterna::comm
