#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "md/forces/coulomb/fmm/tree_partition.hpp"
#include "sterna/comm/neighbor_exchange.hpp"

namespace sterna::md {

/// Sends expansions of cells to the ranks that want them, each round the same cells. There is one
/// message for each pair of ranks, with each cell once, even if several of its images are wanted.
template <class Real>
class ExpansionExchange {
 public:
  /// The place of a cell's first coefficient. Coefficient a lies a * `stride` behind it.
  using PlaceOf = std::function<std::size_t(const Cells&)>;
  struct Coefficients {
    Real* begin;
    std::size_t stride;
  };

  /// Collective if there is a context; without one all cells stay on this rank. `source` and
  /// `target`: the places of cells that are sent and received.
  ExpansionExchange(const comm::Context* context, const CellTransfers& transfers,
                    std::size_t coefficients, const PlaceOf& source, const PlaceOf& target,
                    const comm::NeighborOptions& options)
      : coefficients_(coefficients) {
    const int own = context == nullptr ? 0 : context->rank();
    std::map<int, Cargo> cargos;
    for (const CellBlock& block : transfers.sends) {
      if (block.rank != own) cargos[block.rank].sent.add(block.source);
    }
    for (const CellBlock& block : transfers.receives) {
      if (block.rank == own) {
        block.source.for_each([&](const Cells& cell) {
          kept_.push_back({source(cell), target(shifted(cell, block.shift))});
        });
        continue;
      }
      Cargo& cargo = cargos[block.rank];
      cargo.received.add(block.source);
      block.source.for_each([&](const Cells& cell) {
        cargo.arrivals.push_back({cargo.received.index(cell), target(shifted(cell, block.shift))});
      });
    }
    if (context == nullptr) return;
    std::vector<comm::NeighborPattern::Peer> peers;
    for (const auto& [rank, cargo] : cargos) {
      Route& route = routes_.emplace_back();
      for (const Cells& cell : cargo.sent.cells) route.departures.push_back(source(cell));
      route.arrivals = cargo.arrivals;
      route.arriving = cargo.received.cells.size();
      peers.push_back(
          {rank, route.departures.size() * coefficients_, route.arriving * coefficients_});
    }
    exchange_.emplace(*context, comm::NeighborPattern::from_peers(*context, peers), options);
  }

  /// Starts the messages, and meanwhile adds the cells that stay on this rank.
  void start(const Coefficients& source, const Coefficients& target) {
    for (std::size_t p = 0; p < routes_.size(); ++p) {
      const auto& departures = routes_[p].departures;
      if (departures.empty()) continue;
      Real* out = exchange_->outbox(static_cast<int>(p)).data();
      for (std::size_t a = 0; a < coefficients_; ++a, out += departures.size()) {
        const Real* from = source.begin + a * source.stride;
        for (std::size_t i = 0; i < departures.size(); ++i) out[i] = from[departures[i]];
      }
      exchange_->commit(static_cast<int>(p), departures.size() * coefficients_);
    }
    if (exchange_) exchange_->start();
    add(kept_, source.begin, source.stride, target);
  }

  /// Adds received cells in the order of the ranks, so that sums have the same bits with every
  /// method and order of arrival.
  void finish(const Coefficients& target) {
    if (!exchange_) return;
    exchange_->take_in_order([&](int peer, std::span<const Real> items) {
      const Route& route = routes_[static_cast<std::size_t>(peer)];
      add(route.arrivals, items.data(), route.arriving, target);
    });
    exchange_->finish();
  }

  std::optional<comm::Verdict> verdict() const {
    if (!exchange_) return std::nullopt;
    return exchange_->verdict();
  }

 private:
  struct Pair {
    std::size_t from, to;
  };
  /// Distinct cells in the order of their first occurrence, which is the same on both ranks.
  struct UniqueCells {
    std::vector<Cells> cells;
    std::map<Cells, std::size_t> indices;
    void add(const CellBox& block) {
      block.for_each([&](const Cells& cell) {
        if (indices.emplace(cell, cells.size()).second) cells.push_back(cell);
      });
    }
    std::size_t index(const Cells& cell) const { return indices.at(cell); }
  };
  struct Cargo {
    UniqueCells sent, received;
    std::vector<Pair> arrivals;
  };
  struct Route {
    std::vector<std::size_t> departures;  ///< places of the cells in the message to this peer
    std::vector<Pair> arrivals;           ///< from indices in the received message to places
    std::size_t arriving = 0;
  };

  static Cells shifted(const Cells& cell, const Cells& by) {
    return {cell[0] + by[0], cell[1] + by[1], cell[2] + by[2]};
  }

  void add(const std::vector<Pair>& pairs, const Real* source, std::size_t stride,
           const Coefficients& target) const {
    // So many cells that their places stay in the first-level cache while coefficients are copied.
    constexpr std::size_t together = 512;
    for (std::size_t begin = 0; begin < pairs.size(); begin += together) {
      const std::size_t end = std::min(begin + together, pairs.size());
      for (std::size_t a = 0; a < coefficients_; ++a) {
        const Real* from = source + a * stride;
        Real* to = target.begin + a * target.stride;
        for (std::size_t i = begin; i < end; ++i) to[pairs[i].to] += from[pairs[i].from];
      }
    }
  }

  std::size_t coefficients_;
  std::vector<Pair> kept_;
  std::vector<Route> routes_;  ///< to and from each peer
  std::optional<comm::NeighborExchange<Real>> exchange_;
};

}  // namespace sterna::md
