#include "comm/transport/rdma/probe.hpp"
#include "comm/context/transport_probe.hpp"
#include "comm/transport/ofi/probe.hpp"
#include "comm/transport/rma/probe.hpp"
#include "comm/transport/shm/probe.hpp"
#include "comm/transport/two_sided/probe.hpp"

namespace sterna::comm {

std::string why_no_shared_memory(MPI_Comm node) {
  return shm::why_unavailable(node);
}

std::vector<std::pair<std::string_view, std::string>> probe_transports(int nodes,
                                                                       std::string why_no_shm) {
  const std::string why_no_rdma = rdma::why_unavailable();
  // libfabric takes long to start. Where UCX works or all ranks are on one node, the first method
  // that needs it starts it.
  const bool starts_later = why_no_rdma.empty() || nodes == 1;
  const std::string why_no_ofi = starts_later ? ofi::why_not_built() : ofi::why_unavailable();
  return {{"two_sided", two_sided::why_unavailable()},
          {"rma", rma::why_unavailable(nodes)},
          {"rdma", why_no_rdma},
          {"ofi", why_no_ofi},
          {"shm", std::move(why_no_shm)}};
}

}  // namespace sterna::comm
