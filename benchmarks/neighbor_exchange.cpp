// Time of a round of every neighbor method that works here, on a ring: each rank exchanges the same
// number of doubles with its left and its right neighbor. The methods take turns in blocks, so that
// drift of the machine hits all alike. Arguments: doubles per message, rounds per block, blocks.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "sterna/comm/collective.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/environment.hpp"
#include "sterna/comm/neighbor_exchange.hpp"

using namespace sterna::comm;

namespace {

using Clock = std::chrono::steady_clock;

double round_us(NeighborExchange<double>& exchange, std::size_t doubles) {
  const auto start = Clock::now();
  const int peers = static_cast<int>(exchange.peers().size());
  for (int peer = 0; peer < peers; ++peer) {
    const auto box = exchange.outbox(peer);
    std::fill_n(box.begin(), doubles, 1.0);
    exchange.commit(peer, doubles);
  }
  exchange.start();
  while (exchange.next()) {
  }
  exchange.finish();
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

double quantile(std::vector<double>& sorted, double fraction) {
  return sorted[static_cast<std::size_t>(fraction * static_cast<double>(sorted.size() - 1))];
}

}  // namespace

int main(int argc, char** argv) {
  Environment environment(argc, argv);
  const Context world;
  const auto argument = [&](int index, const char* otherwise) {
    return std::stoul(argc > index ? argv[index] : otherwise);
  };
  const std::size_t doubles = argument(1, "100");
  const std::size_t rounds = argument(2, "2000");
  const std::size_t blocks = argument(3, "10");

  std::vector<NeighborPattern::Peer> peers;
  for (const int step : {1, world.size() - 1}) {
    const int rank = (world.rank() + step) % world.size();
    if (peers.empty() || peers.front().rank != rank) peers.push_back({rank, doubles, doubles});
  }
  const auto pattern = NeighborPattern::from_peers(world, peers);
  struct Candidate {
    std::string method;
    std::unique_ptr<NeighborExchange<double>> exchange;
    std::vector<double> times;
  };
  std::vector<Candidate> candidates;
  for (const MethodInfo& method : neighbor_methods()) {
    const std::string why_not = why_neighbor_method_unavailable(world, method.name);
    if (why_not.empty()) {
      candidates.push_back(
          {std::string(method.name),
           std::make_unique<NeighborExchange<double>>(
               world, pattern, NeighborOptions{.method = std::string(method.name)}),
           {}});
    } else if (world.rank() == 0) {
      fmt::print("{}: {}\n", method.name, why_not);
    }
  }
  for (std::size_t block = 0; block < blocks; ++block) {
    for (Candidate& candidate : candidates) {
      barrier(world);
      for (std::size_t round = 0; round < rounds / 10; ++round) {
        round_us(*candidate.exchange, doubles);
      }
      for (std::size_t round = 0; round < rounds; ++round) {
        candidate.times.push_back(round_us(*candidate.exchange, doubles));
      }
    }
  }
  if (world.rank() != 0) return 0;
  fmt::print("{}; {} ranks, {} peers, {} doubles per message; rank 0, us per round\n",
             world.description(), world.size(), peers.size(), doubles);
  fmt::print("{:<24}{:>10}{:>10}{:>10}\n", "method", "p10", "median", "p90");
  for (Candidate& candidate : candidates) {
    std::ranges::sort(candidate.times);
    fmt::print("{:<24}{:>10.2f}{:>10.2f}{:>10.2f}\n", candidate.method,
               quantile(candidate.times, 0.1), quantile(candidate.times, 0.5),
               quantile(candidate.times, 0.9));
  }
}
