// Idea:
//   Each peer is reached by its best route: stores into mapped memory within the node, puts by
//     UCX or libfabric beyond it, or messages where neither works.
//   Every pair of ranks exchanges directly: messages between two nodes are not joined into one.
// Source:
//   GHEX and QWS have a path in the node beside their path over the network.
// Cost:
//   It costs what shm_direct costs for the peers of the node, and rdma_double_buffer for the
//     others.
// Hazards:
//   They are those of both.
//   A round is as late as its slowest peer: what is gained is only the time that the messages in
//     the node took from the processor.
// Others:
//   shm_direct wins where all peers are on one node, rdma_double_buffer where none is.
//   This is then the same with one indirection more.
//   node_aggregated joins the messages between two nodes.

#include <algorithm>
#include <string_view>

#include "comm/family/requirements.hpp"
#include "comm/neighbor/table.hpp"
#include "comm/neighbor/two_routes.hpp"

namespace sterna::comm {
namespace {

/// Returns the best method between nodes.
const NeighborMethodRow& method_beyond(const Context::Implementation& context) {
  const auto works = [&](std::string_view name) {
    return std::ranges::any_of(context.transports, [&](const Context::Transport& transport) {
      return transport.name == name && transport.available;
    });
  };
  if (works("rdma")) return neighbor_method::rdma_double_buffer;
  // Without UCX the context has started libfabric.
  if (works("ofi")) return neighbor_method::ofi_double_buffer;
  return neighbor_method::p2p;
}

class Hybrid final : public TwoRoutes {
 public:
  explicit Hybrid(const NeighborSetting& setting)
      : TwoRoutes(setting, method_beyond(setting.context).make(setting)) {}
};

CostTerms cost_of_hybrid(const PatternShape& shape) {
  const double beyond = shape.off_node_share;
  return {.puts = 2.0 * shape.peers * beyond,
          .stores = shape.peers * (1.0 - beyond),
          .kilobytes = shape.bytes / 1e3};
}

}  // namespace

const NeighborMethodRow neighbor_method::hybrid{
    .info =
        {
            .name = "hybrid",
            .description = "shared memory in the node (shm_direct), puts between nodes "
                           "(rdma_double_buffer, ofi_double_buffer or p2p)",
            .needs = "shm",
            .traits = {.one_way_takes_notice = true, .ends_together = true},
        },
    .why_unavailable = needs_shm,
    .make = make_method<Hybrid, NeighborMethod>,
    .cost = cost_of_hybrid,
    .same_as = "shm_direct",
};

}  // namespace sterna::comm
