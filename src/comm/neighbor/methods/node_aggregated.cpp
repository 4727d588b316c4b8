// Idea:
//   The ranks of a node share a slab of memory that is registered with the network as a whole.
//   They write what they have for the ranks of another node side by side into one message.
//   The rank that completes it, by an atomic count, puts it into the slab of the other node, so
//     there is no leader and no third step: each rank there reads its part in place.
//   Within the node it is shm_direct.
// Source:
//   Bienz et al. 2019 (arXiv 1612.08060) and MPI Advance join messages in three steps, by leaders:
//     gather, send, spread.
// Cost:
//   A node makes two puts for each other node, whatever the number of its ranks.
//   A rank copies its items once, and adds to a counter for each node.
//   Items that a rank commits as shared cross once for all ranks of the other node.
// Hazards:
//   A message is as late as the last rank of its node, also for ranks that are no peers of it.
//   The slab is in the memory of the rank that made it: where a node has several memories
//     (NUMA), ranks of the others access it more slowly.
//   Each rank with peers beyond the node registers the slab, so an adapter has as many entries.
//   Over TCP a put needs help of the target, which is one rank of the node for each other node.
// Others:
//   rdma_double_buffer wins where few ranks of a node have peers on the same other node, or where
//     messages are so large that their number does not count.

#include <algorithm>
#include <memory>
#include <string_view>

#include "comm/family/requirements.hpp"
#include "comm/neighbor/put_by_node.hpp"
#include "comm/neighbor/table.hpp"
#include "comm/neighbor/two_routes.hpp"
#include "comm/transport/ofi/transport.hpp"
#include "comm/transport/rdma/transport.hpp"

namespace sterna::comm {
namespace {

std::unique_ptr<NeighborMethod> make_beyond_node_aggregated(const NeighborSetting& setting) {
  // On one node there is nothing beyond, and no network is started.
  if (setting.context.node_count == 1) return neighbor_method::shm_direct.make(setting);
  for (const Context::Transport& transport : setting.context.transports) {
    if (transport.name == "rdma" && transport.available) {
      return std::make_unique<PutByNode<rdma::Transport>>(setting);
    }
  }
  return std::make_unique<PutByNode<ofi::Transport>>(setting);
}

class NodeAggregated final : public TwoRoutes {
 public:
  explicit NodeAggregated(const NeighborSetting& setting)
      : TwoRoutes(setting, make_beyond_node_aggregated(setting)) {}
};

CostTerms cost_of_node_aggregated(const PatternShape& shape) {
  const double beyond = shape.peers * shape.off_node_share;
  const double nodes = static_cast<double>(shape.ranks) / shape.ranks_per_node;
  // A rank makes its share of the puts of its node, at most one pair of them for each other node.
  const double pairs = std::min(nodes - 1.0, beyond * shape.ranks_per_node);
  return {.puts = 2.0 * pairs / shape.ranks_per_node,
          .stores = shape.peers - beyond + std::min(nodes - 1.0, beyond),
          .kilobytes = shape.bytes / 1e3,
          .copied = shape.off_node_share * shape.bytes / 1e3};
}

constexpr std::string_view node_aggregated_aliases[] = {
    "node-aware", "locality-aware", "three-step", "message aggregation", "MPI Advance"};

}  // namespace

const NeighborMethodRow neighbor_method::node_aggregated{
    .info =
        {
            .name = "node_aggregated",
            .description = "shared memory in the node, one put for each pair of nodes by the rank "
                           "that completes it",
            .needs = "shm; rdma or ofi between nodes",
            .aliases = node_aggregated_aliases,
            .traits = {.names_late_rank = false,
                       .one_way_takes_notice = true,
                       .ends_together = true},
        },
    .why_unavailable = needs_shm_and_network,
    .make = make_method<NodeAggregated, NeighborMethod>,
    .cost = cost_of_node_aggregated,
    .same_as = "shm_direct",
    .races = Races::between_shared_nodes,
};

}  // namespace sterna::comm
