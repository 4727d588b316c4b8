#include "comm/transport/rma/probe.hpp"

#include <cstdlib>
#include <string_view>

#include "comm/context/versions.hpp"

namespace sterna::comm::rma {

std::string why_unavailable([[maybe_unused]] int nodes) {
#ifdef STERNA_HAVE_RMA
  // Open MPI's default between nodes, osc/rdma, aborts over TCP; the other components work.
  const char* const chosen = std::getenv("OMPI_MCA_osc");
  if (nodes > 1 && chosen == nullptr && mpi_version().starts_with("Open MPI 4.")) {
    return mpi_version() +
           " may abort on windows across nodes; OMPI_MCA_osc=ucx or OMPI_MCA_osc=^rdma helps";
  }
  return {};
#else
  return "built without MPI windows";
#endif
}

}  // namespace sterna::comm::rma
