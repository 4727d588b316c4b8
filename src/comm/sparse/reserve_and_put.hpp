#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "comm/context/agreement.hpp"
#include "comm/context/context_implementation.hpp"
#include "comm/onesided/barrier.hpp"
#include "comm/sparse/network_buffers.hpp"
#include "comm/sparse/node_buffers.hpp"
#include "comm/sparse/round_wait.hpp"
#include "comm/sparse/routed_rows.hpp"
#include "comm/sparse/table.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {

/// True if the ranks of a node share memory.
inline bool shares_memory(const Context& context) {
  for (const Context::Transport& row : context.transports()) {
    if (row.name == "shm") return row.available;
  }
  return false;
}

/// Returns one rank of each group of ranks that share memory.
inline std::vector<int> group_leaders(const Context& context, bool shared_memory) {
  std::vector<int> leaders;
  for (int rank = 0; rank < context.size(); ++rank) {
    // Nodes are numbered by their lowest rank.
    if (!shared_memory || context.node_of(rank) == static_cast<int>(leaders.size())) {
      leaders.push_back(rank);
    }
  }
  return leaders;
}

/// The method of rdma_reserve.cpp, for the transports of a network.
///
/// A receiver knows that all rows have arrived as follows. A rank enters the barrier after it has
/// made all its reservations. So after the barrier the words of this rank's buffers say how much
/// was reserved. Data from the node have arrived by then. Data from beyond may still be under way;
/// their trailers tell when they have arrived.
template <class Transport>
class ReserveAndPut final : public SparseMethod {
 public:
  explicit ReserveAndPut(const SparseSetting& setting) : setting_(setting) {
    const Context& context = setting_.context;
    if (shares_memory(context)) node_ = make_node_buffers(setting_);
    const std::vector<int> leaders = group_leaders(context, node_ != nullptr);
    if (leaders.size() < 2) return;
    network_ = make_network_buffers<Transport>(setting_);
    Context::Implementation& implementation = context.implementation();
    between_nodes_ = std::make_unique<PutBarrier<Transport>>(
        implementation, setting_.exchange_name, implementation.reserve_tags(1), leaders);
    if (!std::ranges::binary_search(leaders, context.rank())) between_nodes_.reset();
  }

  /// Data to this rank have arrived with the last round; data from this rank may still be under
  /// way.
  void end() override {
    if (between_nodes_) await([&] { return between_nodes_->idle(); }, [] { return none; });
  }

  void keep_until_exit() override {
    Context::Implementation& context = setting_.context.implementation();
    context.keep_until_exit(std::shared_ptr<NetworkBuffers>(std::move(network_)));
    context.keep_until_exit(std::shared_ptr<PutBarrier<Transport>>(std::move(between_nodes_)));
  }

  std::size_t exchange(const OutgoingRound& round, IncomingRows& incoming) override {
    round_ = round.number;
    node_rows_.clear();
    network_rows_.clear();
    for (const OutgoingRow& row : round.rows) {
      (node_ && setting_.context.on_my_node(row.destination) ? node_rows_ : network_rows_)
          .push_back(row);
    }
    while (!try_step()) grow();

    arrived_.clear();
    if (node_)
      node_->buffer(parity()).collect(setting_.context.rank(), setting_.item_size, arrived_);
    if (network_) {
      await([&] { return collect_from_network(); }, [] { return none; });
    }
    deliver(arrived_, setting_.item_size, incoming);
    if (node_) node_->buffer(parity()).open();
    if (network_) {
      network_->buffer(parity()).clear_and_open();
      await([&] { return network_->sent(); }, [&] { return network_->late_ranks(); });
    }
    return round.rows.size();
  }

 private:
  /// The list of late ranks if they are not known.
  inline static const std::vector<int> none;

  unsigned parity() const { return static_cast<unsigned>(step_ % 2); }

  template <class Condition, class LateRanks>
  void await(Condition condition, LateRanks late_ranks) {
    wait_in_round(
        setting_, round_,
        [&] {
          if (condition()) return true;
          if (network_) network_->serve();
          return false;
        },
        late_ranks, Watched::memory);
  }

  /// Sends all rows. Returns false if any buffer on any rank was too small.
  bool try_step() {
    ++step_;
    bool overflow = false;
    if (network_) network_->reserve(network_rows_, parity());
    for (const OutgoingRow& row : node_rows_) overflow = !node_->send(row, parity()) || overflow;
    if (network_) {
      await([&] { return network_->reserved(); }, [&] { return network_->late_ranks(); });
      overflow = !network_->send(network_rows_, parity()) || overflow;
    }
    return !any_overflow(overflow);
  }

  /// The barrier of the step. Returns true if any rank met an overflow.
  bool any_overflow(bool overflow) {
    if (node_) {
      node_->arrive(step_, overflow);
      if (!network_ || between_nodes_) {
        await([&] { return node_->all_arrived(step_); }, [&] { return node_->late_ranks(step_); });
        overflow = node_->overflowed(step_);
      }
    }
    if (between_nodes_) {
      between_nodes_->enter(step_, overflow);
      await([&] { return between_nodes_->test(); },
            [&] { return std::vector<int>{between_nodes_->late_rank()}; });
      overflow = between_nodes_->flag();
      if (node_) node_->release(step_, overflow);
    } else if (network_) {
      await([&] { return node_->released(step_); },
            [&] { return std::vector<int>{setting_.context.ranks_on_node().front()}; });
      overflow = node_->overflowed(step_);
    }
    return overflow;
  }

  void grow() {
    if (network_) {
      network_->flush();
      await([&] { return network_->sent(); }, [&] { return network_->late_ranks(); });
    }
    Context::Implementation& context = setting_.context.implementation();
    // after this, no rank writes into a buffer any more
    largest(context, 0, setting_.exchange_name);
    on_all_ranks(context, setting_.exchange_name, [&] {
      if (node_) node_->grow();
      if (network_) network_->grow();
    });
  }

  bool collect_from_network() {
    return network_->buffer(parity()).collect(setting_.context.rank(), setting_.item_size,
                                              arrived_);
  }

  SparseSetting setting_;
  std::unique_ptr<NodeBuffers> node_;                     ///< null if no memory is shared
  std::unique_ptr<NetworkBuffers> network_;               ///< null if all ranks share memory
  std::unique_ptr<PutBarrier<Transport>> between_nodes_;  ///< only on one rank of each node
  std::uint64_t round_ = 0;
  std::uint64_t step_ = 0;  ///< number of steps; a round that met an overflow takes two
  std::vector<OutgoingRow> node_rows_, network_rows_;
  std::vector<RoutedRow> arrived_;
};

/// Its costs.
inline CostTerms cost_of_reserve_and_put(const PatternShape& shape) {
  const double nodes = static_cast<double>(shape.ranks) / shape.ranks_per_node;
  const double far = shape.peers * shape.off_node_share;
  return {.puts = 3.0 * far + (nodes > 1.0 ? global_steps_among(static_cast<int>(nodes)) : 0.0),
          .stores = 2.0 * (shape.peers - far) + 1.0,
          .round_trips = far > 0.0 ? 1.0 : 0.0,
          .global_steps = nodes > 1.0 ? global_steps_among(static_cast<int>(nodes)) + 2.0 : 1.0,
          .kilobytes = shape.bytes / 1e3,
          .copied = 2.0 * shape.bytes / 1e3};
}

}  // namespace sterna::comm
