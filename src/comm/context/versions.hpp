#pragma once

#include <string>

namespace sterna::comm {

std::string mpi_version();  ///< "Open MPI 5.0.11"
std::string ucx_version();  ///< "UCX 1.22.0"; empty where built without UCX

}  // namespace sterna::comm
