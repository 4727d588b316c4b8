#include "comm/neighbor/table.hpp"

#include <fmt/format.h>

#include <vector>

#include "comm/neighbor/methods/hybrid.hpp"
#include "comm/neighbor/methods/neighbor_collective.hpp"
#include "comm/neighbor/methods/p2p.hpp"
#include "comm/neighbor/methods/p2p_persistent.hpp"
#include "comm/neighbor/methods/rdma_barrier.hpp"
#include "comm/neighbor/methods/rdma_double_buffer.hpp"
#include "comm/neighbor/methods/rma_double_buffer.hpp"
#include "comm/neighbor/methods/rma_fence.hpp"
#include "comm/neighbor/methods/rma_pscw.hpp"
#include "comm/neighbor/methods/shm_direct.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::comm {
namespace {

using Peers = std::span<const NeighborPattern::Peer>;

std::string why_no_transport(const Context& context, std::string_view name) {
  for (const Context::Transport& transport : context.transports()) {
    if (transport.name != name || transport.available) continue;
    return fmt::format("transport {}: {}", name, transport.reason);
  }
  return {};
}

std::string why_no_two_sided(const Context&, Peers) {
  return {};
}

std::string why_no_rma(const Context& context, Peers) {
  return why_no_transport(context, "rma");
}

std::string why_no_hybrid(const Context& context, Peers) {
  return why_no_transport(context, "shm");
}

std::string why_no_rdma(const Context& context, Peers) {
  return why_no_transport(context, "rdma");
}

std::string why_no_shm(const Context& context, Peers peers) {
  for (const NeighborPattern::Peer& peer : peers) {
    if (!context.on_my_node(peer.rank)) {
      return fmt::format("rank {} runs on another node than rank {}", peer.rank, context.rank());
    }
  }
  return why_no_transport(context, "shm");
}

constexpr bool ends_together = true;
constexpr bool ends_alone = false;

const NeighborMethodRow table[] = {
    {{"p2p", "a message each way by non-blocking send and receive", "two_sided"},
     why_no_two_sided,
     make_p2p,
     cost_of_p2p,
     ends_alone},
    {{"p2p_persistent", "the same messages, set up once and started in each round", "two_sided"},
     why_no_two_sided,
     make_p2p_persistent,
     cost_of_p2p_persistent,
     ends_alone},
    {{"neighbor_collective", "one neighborhood collective, persistent where the MPI has it",
      "two_sided"},
     why_no_two_sided,
     make_neighbor_collective,
     cost_of_neighbor_collective,
     ends_together},
    {{"rma_fence", "MPI_Put, and a fence of all ranks ends the round", "rma"},
     why_no_rma,
     make_rma_fence,
     cost_of_rma_fence,
     ends_together},
    {{"rma_pscw", "MPI_Put between start and complete, post and wait: neighbors synchronize",
      "rma"},
     why_no_rma,
     make_rma_pscw,
     cost_of_rma_pscw,
     ends_together},
    {{"rma_double_buffer", "MPI_Put and flush with a notice into two buffers in turn, no barrier",
      "rma"},
     why_no_rma,
     make_rma_double_buffer,
     cost_of_rma_double_buffer,
     ends_together},
    {{"rdma_barrier", "UCX put, and a barrier of all ranks ends the round", "rdma"},
     why_no_rdma,
     make_rdma_barrier,
     cost_of_rdma_barrier,
     ends_together},
    {{"rdma_double_buffer", "UCX put with a notice into two buffers in turn, no barrier", "rdma"},
     why_no_rdma,
     make_rdma_double_buffer,
     cost_of_rdma_double_buffer,
     ends_together},
    {{"shm_direct", "items are written right into the neighbor's memory, two buffers in turn",
      "shm, all peers on one node"},
     why_no_shm,
     make_shm_direct,
     cost_of_shm_direct,
     ends_alone},
    {{"hybrid", "shm_direct with peers of the node, rdma_double_buffer (or p2p) with the others",
      "shm"},
     why_no_hybrid,
     make_hybrid,
     cost_of_hybrid,
     ends_together},
};

}  // namespace

std::span<const NeighborMethodRow> neighbor_method_table() {
  return table;
}

const NeighborMethodRow& find_neighbor_method(std::string_view name) {
  std::vector<std::string_view> names{"auto"};
  for (const NeighborMethodRow& row : table) {
    if (row.info.name == name) return row;
    names.push_back(row.info.name);
  }
  throw Error(unknown_name_message("neighbor method", name, names));
}

std::span<const MethodInfo> neighbor_methods() {
  static const std::vector<MethodInfo> infos = [] {
    std::vector<MethodInfo> rows;
    for (const NeighborMethodRow& row : table) rows.push_back(row.info);
    return rows;
  }();
  return infos;
}

std::string why_neighbor_method_unavailable(const Context& context, std::string_view method) {
  if (method == "auto") return {};
  return find_neighbor_method(method).why_unavailable(context, {});
}

}  // namespace sterna::comm
