// neighbor: adjacent exchange, the experiment of seed 4. In one dimension each rank has the same
// number of neighbors to its left and right on a ring and sends each the same number of doubles;
// in three dimensions the ranks form a periodic grid and the sizes are drawn at random.

#include <fmt/format.h>

#include <Random123/philox.h>
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bare/neighbor.h"
#include "process_grid.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/neighbor_exchange.hpp"
#include "sterna/comm/reduction_batch.hpp"
#include "verb.hpp"

namespace sterna::bench {
namespace {

using comm::NeighborPattern;

/// A round as an application makes it: fills the outboxes, exchanges, looks at what arrived.
class LibraryRound {
 public:
  LibraryRound(const comm::Context& world, const NeighborPattern& pattern,
               const std::string& method)
      : exchange_(world, pattern, {.method = method, .name = "neighbor benchmark"}),
        rank_(world.rank()) {}

  void operator()() {
    ++round_;
    const auto peers = exchange_.peers();
    for (std::size_t peer = 0; peer < peers.size(); ++peer) {
      const auto box = exchange_.outbox(static_cast<int>(peer));
      std::ranges::fill(box, value_of(rank_));
      exchange_.commit(static_cast<int>(peer), box.size());
    }
    exchange_.start();
    while (const auto peer = exchange_.next()) {
      const auto& [rank, sent, expected] = peers[static_cast<std::size_t>(*peer)];
      const auto items = exchange_.inbox(*peer);
      if (items.size() != expected || items.front() != value_of(rank) ||
          items.back() != value_of(rank)) {
        throw comm::Error(fmt::format("neighbor benchmark: wrong data from rank {}", rank));
      }
    }
    exchange_.finish();
  }

 private:
  double value_of(int rank) const { return static_cast<double>(round_) + 1e-6 * rank; }

  comm::NeighborExchange<double> exchange_;
  int rank_;
  std::uint64_t round_ = 0;
};

/// The method as one writes it by hand; the round of the application is the same.
template <class Exchange, Exchange* (*make)(const bare_neighbors*), void (*free)(Exchange*),
          double* (*outbox)(Exchange*, int), const double* (*inbox)(const Exchange*, int),
          void (*run)(Exchange*)>
class BareRound {
 public:
  BareRound(const comm::Context& world, const std::vector<NeighborPattern::Peer>& peers)
      : rank_(world.rank()) {
    MPI_Comm_dup(MPI_COMM_WORLD, &communicator_);
    for (const auto& peer : peers) {
      ranks_.push_back(peer.rank);
      sends_.push_back(static_cast<int>(peer.send_capacity));
      receives_.push_back(static_cast<int>(peer.receive_capacity));
    }
    const bare_neighbors neighbors{communicator_, static_cast<int>(peers.size()), ranks_.data(),
                                   sends_.data(), receives_.data()};
    exchange_ = make(&neighbors);
  }
  BareRound(const BareRound&) = delete;
  BareRound& operator=(const BareRound&) = delete;
  ~BareRound() {
    free(exchange_);
    MPI_Comm_free(&communicator_);
  }

  void operator()() {
    ++round_;
    const int peers = static_cast<int>(ranks_.size());
    for (int peer = 0; peer < peers; ++peer) {
      std::fill_n(outbox(exchange_, peer), sends_[static_cast<std::size_t>(peer)], value_of(rank_));
    }
    run(exchange_);
    for (int peer = 0; peer < peers; ++peer) {
      const auto i = static_cast<std::size_t>(peer);
      const double* const items = inbox(exchange_, peer);
      if (items[0] != value_of(ranks_[i]) || items[receives_[i] - 1] != value_of(ranks_[i])) {
        throw comm::Error(fmt::format("neighbor benchmark: wrong data from rank {}", ranks_[i]));
      }
    }
  }

 private:
  double value_of(int rank) const { return static_cast<double>(round_) + 1e-6 * rank; }

  int rank_;
  MPI_Comm communicator_ = MPI_COMM_NULL;
  std::vector<int> ranks_;
  std::vector<int> sends_;
  std::vector<int> receives_;
  Exchange* exchange_ = nullptr;
  std::uint64_t round_ = 0;
};
using BareP2p = BareRound<bare_p2p, bare_p2p_new, bare_p2p_free, bare_p2p_outbox, bare_p2p_inbox,
                          bare_p2p_round>;
using BareFence = BareRound<bare_rma_fence, bare_rma_fence_new, bare_rma_fence_free,
                            bare_rma_fence_outbox, bare_rma_fence_inbox, bare_rma_fence_round>;

/// The ranks up to half of `adjacent` steps to the left and to the right on the ring of all ranks.
std::vector<NeighborPattern::Peer> ring_peers(const comm::Context& world, int adjacent,
                                              std::size_t doubles) {
  std::set<int> ranks;
  for (int step = 1; step <= adjacent / 2; ++step) {
    for (const int signed_step : {step, -step}) {
      ranks.insert(((world.rank() + signed_step) % world.size() + world.size()) % world.size());
    }
  }
  ranks.erase(world.rank());
  std::vector<NeighborPattern::Peer> peers;
  for (const int rank : ranks) peers.push_back({rank, doubles, doubles});
  return peers;
}

/// The ranks at the faces (6), also the edges (18), also the corners (26) on the periodic grid of
/// all ranks, with 10 to 100 doubles drawn from the seed and the two ranks.
std::vector<NeighborPattern::Peer> grid_peers(const comm::Context& world, int adjacent,
                                              std::uint32_t seed) {
  const auto size_of = [&](int from, int to) {
    const auto draw = r123::Philox4x32{}(
        {{static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), seed, 0}}, {{4, 3}});
    return std::size_t{10} + draw[0] % 91;
  };
  const int axes = adjacent <= 6 ? 1 : adjacent <= 18 ? 2 : 3;
  std::vector<NeighborPattern::Peer> peers;
  for (const int rank : grid_neighbors(world.rank(), process_grid(world.size()), axes)) {
    peers.push_back({rank, size_of(world.rank(), rank), size_of(rank, world.rank())});
  }
  return peers;
}

class Neighbor final : public Verb {
 public:
  void add_options(CLI::App& command) override {
    add_methods_option(command, methods_, comm::neighbor_methods());
    command.add_option("--topology", topologies_, "1d, 3d")
        ->delimiter(',')
        ->check(CLI::IsMember({"1d", "3d"}))
        ->capture_default_str();
    command
        .add_option("--peers", adjacent_,
                    "adjacent ranks: even numbers in 1d (default: 2, 4, 8, 16, 32 as far as there "
                    "are ranks); 6, 18 or 26 in 3d")
        ->delimiter(',')
        ->check(CLI::Range(2, 1 << 20));
    command.add_option("--doubles", doubles_, "doubles in a message of 1d")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command.add_flag("!--no-bare", bare_, "leave out what is written by hand");
    command.add_option("--seed", seed_, "of the sizes in 3d")->capture_default_str();
  }

  void run(const comm::Context& world, const Sampling& sampling, Report& report) override {
    for (const std::string& topology : topologies_) {
      std::vector<int> numbers = adjacent_;
      if (numbers.empty()) {
        numbers = topology == "1d" ? std::vector{2, 4, 8, 16, 32} : std::vector{6, 18, 26};
      }
      std::size_t measured = 0;
      for (const int adjacent : numbers) {
        const auto peers = topology == "1d" ? ring_peers(world, adjacent, doubles_)
                                            : grid_peers(world, adjacent, seed_);
        // On a few ranks the same ones are met again in more steps; all ranks have equally many.
        if (peers.empty() || (adjacent_.empty() && peers.size() <= measured)) continue;
        measured = peers.size();
        compare(world, sampling, topology, adjacent, peers, report);
      }
    }
  }

 private:
  void compare(const comm::Context& world, const Sampling& sampling, const std::string& topology,
               int adjacent, const std::vector<NeighborPattern::Peer>& peers, Report& report) {
    const auto pattern = NeighborPattern::from_peers(world, peers);
    std::vector<Candidate> candidates;
    for (const std::string& method : methods_) {
      const std::string why_not = comm::why_neighbor_method_unavailable(world, method);
      if (!why_not.empty()) {
        if (noted_.insert(method).second) report.note(fmt::format("{}: {}", method, why_not));
        continue;
      }
      const auto round = std::make_shared<LibraryRound>(world, pattern, method);
      candidates.push_back({method, [round] { (*round)(); }});
    }
    for (const std::string& method : methods_) {
      if (bare_ && method == "p2p") add_bare<BareP2p>(method, world, peers, candidates);
      if (bare_ && method == "rma_fence") add_bare<BareFence>(method, world, peers, candidates);
    }
    const std::vector<Timing> timings = measure(world, candidates, sampling);
    std::map<std::string, double> medians;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      medians[candidates[i].method] = timings[i].median_us;
    }
    std::int64_t bytes = 0;
    for (const auto& peer : peers) bytes += static_cast<std::int64_t>(8 * peer.send_capacity);
    comm::ReductionBatch(world).max(bytes).run();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      Row row = row_of(candidates[i].method, world, peers.size(), static_cast<std::size_t>(bytes),
                       timings[i]);
      row["topology"] = topology;
      row["adjacent"] = adjacent;
      row["over_bare_percent"] = nullptr;
      if (const auto bare = medians.find("bare " + candidates[i].method); bare != medians.end()) {
        row["over_bare_percent"] = 100.0 * (timings[i].median_us / bare->second - 1.0);
      }
      report.add(std::move(row));
    }
  }

  /// Only where the library's own version can run.
  template <class Bare>
  static void add_bare(const std::string& method, const comm::Context& world,
                       const std::vector<NeighborPattern::Peer>& peers,
                       std::vector<Candidate>& candidates) {
    if (!comm::why_neighbor_method_unavailable(world, method).empty()) return;
    candidates.push_back(
        {"bare " + method, [round = std::make_shared<Bare>(world, peers)] { (*round)(); }});
  }

  std::vector<std::string> methods_;
  std::vector<std::string> topologies_{"1d", "3d"};
  std::vector<int> adjacent_;
  std::size_t doubles_ = 100;
  std::uint32_t seed_ = 1;
  bool bare_ = true;
  std::set<std::string> noted_;
};

}  // namespace

std::unique_ptr<Verb> make_neighbor() {
  return std::make_unique<Neighbor>();
}

}  // namespace sterna::bench
