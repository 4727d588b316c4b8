#pragma once

#include <mpi.h>

#include <string>

namespace sterna::comm::shm {

/// Returns why this rank cannot share memory with the next one of `node` (a communicator of one
/// node); empty if it can. Collective over `node`.
std::string why_unavailable(MPI_Comm node);

}  // namespace sterna::comm::shm
