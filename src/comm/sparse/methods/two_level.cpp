// Idea:
//   In the node, rows are collected for each other node.
//   One message goes from node to node and is split there.
// Source:
//   It is the locality-aware exchange of Geyko et al. (arXiv 2308.13869).
//   YGM routes alike (Priest et al. 2019).
// Cost:
//   A round takes at most one message to each other node, and three hops.
//   Memory grows with the ranks per node and with the nodes.
// Hazards:
//   Items are packed and copied twice on the way, by ranks that may be busy.
// Others:
//   A direct method wins where few ranks share a node, or rows are long.

#include <algorithm>
#include <vector>

#include "comm/family/requirements.hpp"
#include "comm/sparse/routed_rows.hpp"
#include "comm/sparse/table.hpp"

namespace sterna::comm {

namespace {

class TwoLevel final : public SparseMethod {
 public:
  explicit TwoLevel(const SparseSetting& setting)
      : context_(setting.context),
        rank_(context_.rank()),
        item_size_(setting.item_size),
        packers_{RowPacker(item_size_), RowPacker(item_size_), RowPacker(item_size_)} {
    SparseSetting stage = setting;
    stage.item_size = 1;
    if (context_.node_count() > 1) between_nodes_ = sparse_method::nbx.make(stage);
    const std::span<const int> here = context_.ranks_on_node();
    stage.possible_sources.emplace();
    for (const int rank : here) {
      if (rank != rank_) stage.possible_sources->push_back(rank);
    }
    in_node_ = sparse_method::superset.make(stage);

    // The traffic with other nodes is divided among the ranks of a node, at both ends.
    const int nodes = context_.node_count();
    const int my_node = context_.node_of(rank_);
    std::vector<int> ranks_on(nodes, 0);
    for (int rank = 0; rank < context_.size(); ++rank) ++ranks_on[context_.node_of(rank)];
    std::vector<int> seen(nodes, 0);
    receiver_.resize(nodes);
    for (int rank = 0; rank < context_.size(); ++rank) {
      const int node = context_.node_of(rank);
      if (seen[node]++ == my_node % ranks_on[node]) receiver_[node] = rank;
    }
    for (int node = 0; node < nodes; ++node) {
      sender_.push_back(here[static_cast<std::size_t>(node) % here.size()]);
    }
  }

  std::size_t exchange(const OutgoingRound& round, IncomingRows& incoming) override {
    for (RowPacker& packer : packers_) packer.clear();
    arrived_.clear();
    for (const OutgoingRow& row : round.rows) {
      pass_on({{row.destination, rank_, row.count}, row.items}, first);
    }
    std::size_t messages = run(*in_node_, first, round);
    if (between_nodes_) {
      messages += run(*between_nodes_, between, round);
      messages += run(*in_node_, last, round);
    }
    deliver(arrived_, item_size_, incoming);
    return messages;
  }

 private:
  enum Stage : std::size_t { first, between, last };

  std::size_t run(SparseMethod& method, Stage stage, const OutgoingRound& round) {
    stages_[stage].clear();
    const std::size_t messages =
        method.exchange({round.number, packers_[stage].pack(), 0}, stages_[stage]);
    for_each_routed_row(stages_[stage], item_size_,
                        [&](const RoutedRow& row) { pass_on(row, static_cast<Stage>(stage + 1)); });
    return messages;
  }

  /// Passes a row on. `stage` is the earliest stage in which the row can leave this rank.
  void pass_on(const RoutedRow& row, Stage stage) {
    const int destination = row.head.destination;
    if (destination == rank_) {
      arrived_.push_back(row);
    } else if (context_.on_my_node(destination)) {
      packers_[stage].add(destination, row);
    } else if (const int node = context_.node_of(destination);
               stage == first && sender_[node] != rank_) {
      packers_[first].add(sender_[node], row);
    } else {
      packers_[between].add(receiver_[node], row);
    }
  }

  Context context_;
  int rank_;
  std::size_t item_size_;
  std::vector<int> sender_;    ///< by node: the rank of this node that sends to it
  std::vector<int> receiver_;  ///< by node: its rank that receives from this node
  std::unique_ptr<SparseMethod> in_node_, between_nodes_;
  RowPacker packers_[3];
  IncomingRows stages_[3]{IncomingRows(1), IncomingRows(1), IncomingRows(1)};
  std::vector<RoutedRow> arrived_;
};

CostTerms cost_of_two_level(const PatternShape& shape) {
  const double nodes = static_cast<double>(shape.ranks) / shape.ranks_per_node;
  if (nodes <= 1.0) {
    return {.messages = shape.ranks_per_node - 1.0,
            .global_steps = 1.0,
            .kilobytes = shape.bytes / 1e3,
            .copied = 3.0 * shape.bytes / 1e3};
  }
  // Three steps: a message from each rank of the node, nbx with the other nodes, and again a
  // message from each rank of the node.
  const double from_nodes =
      std::min((nodes - 1.0) / shape.ranks_per_node, shape.peers * shape.off_node_share);
  return {.messages = 2.0 * (shape.ranks_per_node - 1.0) + from_nodes,
          .round_trips = 1.0,
          .global_steps = global_steps_among(shape.ranks) + 2.0,
          .kilobytes = (1.0 + 2.0 * shape.off_node_share) * shape.bytes / 1e3,
          .copied = (3.0 + 4.0 * shape.off_node_share) * shape.bytes / 1e3};
}

constexpr std::string_view two_level_aliases[] = {"locality-aware", "two-step", "node-aware",
                                                  "YGM"};

}  // namespace

const SparseMethodRow sparse_method::two_level{
    .info =
        {
            .name = "two_level",
            .description =
                "collected in the node, one message for each pair of nodes, spread in the node",
            .needs = "two_sided",
            .aliases = two_level_aliases,
        },
    .why_unavailable = needs_messages,
    .make = make_method<TwoLevel, SparseMethod>,
    .cost = cost_of_two_level,
};

}  // namespace sterna::comm
