#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "md/fmm/tree_partition.hpp"
#include "sterna/comm/neighbor_exchange.hpp"

namespace sterna::md {

/// Brings expansions of cells to the ranks that want them, each round the same blocks: one message
/// for each pair of ranks.
template <class Real>
class ExpansionExchange {
 public:
  /// Collective where there is a context; without one all blocks stay on this rank.
  ExpansionExchange(const comm::Context* context, CellTransfers transfers, std::size_t coefficients,
                    const comm::NeighborOptions& options)
      : transfers_(std::move(transfers)), coefficients_(coefficients) {
    if (context == nullptr) return;
    rank_ = context->rank();
    std::vector<comm::NeighborPattern::Peer> peers;
    const auto peer_of = [&](int rank) -> comm::NeighborPattern::Peer& {
      for (auto& peer : peers) {
        if (peer.rank == rank) return peer;
      }
      return peers.emplace_back(comm::NeighborPattern::Peer{rank, 0, 0});
    };
    for (const CellBlock& block : transfers_.sends) {
      if (block.rank != rank_) peer_of(block.rank).send_capacity += size(block);
    }
    for (const CellBlock& block : transfers_.receives) {
      if (block.rank != rank_) peer_of(block.rank).receive_capacity += size(block);
    }
    exchange_.emplace(*context, comm::NeighborPattern::from_peers(*context, peers), options);
  }

  /// `read(box of cells, out)` writes the coefficients of the cells to `out`. What stays on this
  /// rank goes through `add` at once, while the rest is on its way.
  template <class Read, class Add>
  void start(Read read, Add add) {
    if (exchange_) send(read);
    for (const CellBlock& block : transfers_.sends) {
      if (block.rank != rank_) continue;
      own_.resize(std::max(own_.size(), size(block)));
      read(block.source, own_.data());
      add(block.target(), static_cast<const Real*>(own_.data()));
    }
  }

  /// `add(box of cells, in)`: in the order of the ranks, whoever comes first, so that sums have the
  /// same bits with every method of exchange.
  template <class Add>
  void finish(Add add) {
    if (!exchange_) return;
    exchange_->take_in_order([&](int peer, std::span<const Real> items) {
      const Real* in = items.data();
      for (const CellBlock& block : transfers_.receives) {
        if (block.rank != exchange_->peers()[static_cast<std::size_t>(peer)].rank) continue;
        add(block.target(), in);
        in += size(block);
      }
    });
    exchange_->finish();
  }

  std::optional<comm::Verdict> verdict() const {
    if (!exchange_) return std::nullopt;
    return exchange_->verdict();
  }

 private:
  std::size_t size(const CellBlock& block) const { return block.source.count() * coefficients_; }

  template <class Read>
  void send(Read read) {
    for (std::size_t p = 0; p < exchange_->peers().size(); ++p) {
      const auto peer = static_cast<int>(p);
      if (exchange_->peers()[p].send_capacity == 0) continue;
      Real* out = exchange_->outbox(peer).data();
      std::size_t count = 0;
      for (const CellBlock& block : transfers_.sends) {
        if (block.rank != exchange_->peers()[p].rank) continue;
        read(block.source, out + count);
        count += size(block);
      }
      exchange_->commit(peer, count);
    }
    exchange_->start();
  }

  CellTransfers transfers_;
  std::size_t coefficients_;
  int rank_ = 0;
  std::vector<Real> own_;  ///< a block that stays
  std::optional<comm::NeighborExchange<Real>> exchange_;
};

}  // namespace sterna::md
