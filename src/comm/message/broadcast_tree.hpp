#pragma once

#include <span>
#include <vector>

namespace sterna::comm {

/// To whom `rank` passes on what `root` broadcasts: a binomial tree over the nodes, whose first
/// ranks (on the root's node: the root) pass it on in a binomial tree over their node. So data
/// cross to each node once. `node_of`: by rank, nodes numbered by their lowest rank.
std::vector<int> broadcast_children(std::span<const int> node_of, int root, int rank);

}  // namespace sterna::comm
