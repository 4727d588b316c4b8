#pragma once

#include <span>
#include <vector>

namespace sterna::comm {

/// Returns the ranks to which `rank` passes a broadcast of `root`. A binomial tree over the nodes
/// connects the first rank of each node (on the root's node: the root), and each of these passes
/// the broadcast on in a binomial tree over its node. So data cross to each node once. `node_of`:
/// by rank, nodes numbered by their lowest rank.
std::vector<int> broadcast_children(std::span<const int> node_of, int root, int rank);

}  // namespace sterna::comm
