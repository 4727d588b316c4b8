#pragma once

#include <string>

namespace sterna::comm {

std::string mpi_version();  ///< text such as "Open MPI 5.0.11"
std::string ucx_version();  ///< text such as "UCX 1.22.0"; empty in a build without UCX

}  // namespace sterna::comm
