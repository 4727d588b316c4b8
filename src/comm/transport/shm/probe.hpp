#pragma once

#include <mpi.h>

#include <string>

namespace sterna::comm::shm {

/// Why this rank cannot share memory with the next one of `node` (a communicator of one node);
/// empty where it can. Collective over `node`.
std::string why_unavailable(MPI_Comm node);

}  // namespace sterna::comm::shm
