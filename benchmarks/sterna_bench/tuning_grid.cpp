#include "tuning_grid.hpp"

#include <fmt/format.h>

#include <Random123/philox.h>
#include <algorithm>
#include <numeric>
#include <set>
#include <span>

#include "departure.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/neighbor_exchange.hpp"
#include "sterna/comm/sparse_exchange.hpp"

namespace sterna::bench {
namespace {

/// The ranks up to `steps` to the left and to the right.
std::vector<int> near_ranks(const comm::Context& world, int steps) {
  std::set<int> ranks;
  for (int step = 1; step <= steps; ++step) {
    for (const int signed_step : {step, -step}) {
      ranks.insert(((world.rank() + signed_step) % world.size() + world.size()) % world.size());
    }
  }
  ranks.erase(world.rank());
  return {ranks.begin(), ranks.end()};
}

class NeighborRounds final : public Exchange {
 public:
  NeighborRounds(const comm::Context& world, const comm::NeighborPattern& pattern,
                 std::size_t doubles, const std::string& method)
      : exchange_(world, pattern, {.method = method, .name = "tuned halo"}), doubles_(doubles) {}

  void round() override {
    ++round_;
    const int peers = static_cast<int>(exchange_.peers().size());
    for (int peer = 0; peer < peers; ++peer) {
      std::ranges::fill(exchange_.outbox(peer), round_);
      exchange_.commit(peer, doubles_);
    }
    exchange_.start();
    while (const auto peer = exchange_.next()) {
      const auto inbox = exchange_.inbox(*peer);
      if (std::reduce(inbox.begin(), inbox.end()) != round_ * static_cast<double>(doubles_)) {
        throw comm::Error("tuned halo: wrong data");
      }
    }
    exchange_.finish();
  }
  comm::Verdict verdict() const override { return exchange_.verdict(); }

 private:
  comm::NeighborExchange<double> exchange_;
  std::size_t doubles_;
  double round_ = 0.0;
};

class NeighborRing final : public TuningPattern {
 public:
  NeighborRing(const comm::Context& world, int steps, std::size_t doubles)
      : world_(world), ranks_(near_ranks(world, steps)), doubles_(doubles) {}
  std::string family() const override { return "neighbor"; }
  std::string name() const override {
    return fmt::format("{} neighbors, {} doubles", peers(), doubles_);
  }
  std::size_t peers() const override { return ranks_.size(); }
  std::size_t bytes() const override { return peers() * doubles_ * sizeof(double); }
  std::unique_ptr<Exchange> make(const std::string& method) const override {
    std::vector<comm::NeighborPattern::Peer> list;
    for (const int rank : ranks_) list.push_back({rank, doubles_, doubles_});
    return std::make_unique<NeighborRounds>(world_, comm::NeighborPattern::from_peers(world_, list),
                                            doubles_, method);
  }

 private:
  const comm::Context& world_;
  std::vector<int> ranks_;
  std::size_t doubles_;
};

struct Particle {
  double numbers[10];
};

/// The departures are repeated.
class SparseRounds final : public Exchange {
 public:
  SparseRounds(const comm::Context& world, std::span<const Departure> departures,
               const comm::SparseOptions& options)
      : exchange_(world, options), departures_(departures) {
    std::size_t most = 0;
    for (const Departure& d : departures_) most = std::max(most, d.offsets.back());
    items_.resize(most);
  }
  void round() override {
    const Departure& d = departures_[round_++ % departures_.size()];
    exchange_({d.destinations, d.offsets, items_});
  }
  comm::Verdict verdict() const override { return exchange_.verdict(); }

 private:
  comm::SparseExchange<Particle> exchange_;
  std::span<const Departure> departures_;
  std::vector<Particle> items_;
  std::size_t round_ = 0;
};

class SparseGraph final : public TuningPattern {
 public:
  /// Each round, half of `candidates` are destinations, of `particles` on average.
  SparseGraph(const comm::Context& world, std::vector<int> candidates, bool known, int particles)
      : world_(world), known_(known), particles_(particles) {
    for (std::uint32_t round = 0; round < 64; ++round) {
      Departure& departure = departures_.emplace_back();
      for (const int to : candidates) {
        const auto draw = r123::Philox4x32{}(
            {{round, static_cast<std::uint32_t>(world.rank()), static_cast<std::uint32_t>(to), 0}},
            {{5, 8}});
        if (draw[0] % 2 == 0) continue;
        departure.destinations.push_back(to);
        departure.offsets.push_back(departure.offsets.back() + 1 +
                                    draw[1] % static_cast<std::uint32_t>(2 * particles - 1));
      }
    }
    if (known) sources_ = std::move(candidates);
  }
  std::string family() const override { return "sparse"; }
  std::string name() const override {
    return fmt::format("{}, {} particles", known_ ? "known neighbors" : "anybody", particles_);
  }
  std::size_t peers() const override {
    return mean([](const Departure& d) { return d.destinations.size(); });
  }
  std::size_t bytes() const override {
    return sizeof(Particle) * mean([](const Departure& d) { return d.offsets.back(); });
  }
  std::unique_ptr<Exchange> make(const std::string& method) const override {
    return std::make_unique<SparseRounds>(
        world_, departures_,
        comm::SparseOptions{
            .method = method, .name = "tuned migration", .possible_sources = sources_});
  }

 private:
  template <class Of>
  std::size_t mean(Of of) const {
    std::size_t sum = 0;
    for (const Departure& d : departures_) sum += of(d);
    return (sum + departures_.size() / 2) / departures_.size();
  }
  const comm::Context& world_;
  bool known_;
  int particles_;
  std::vector<Departure> departures_;
  std::optional<std::vector<int>> sources_;
};

}  // namespace

std::vector<std::unique_ptr<TuningPattern>> tuning_grid(const comm::Context& world) {
  std::vector<std::unique_ptr<TuningPattern>> grid;
  std::size_t known_peers = 0;
  for (const int steps : {1, 3}) {
    if (near_ranks(world, steps).size() <= known_peers) continue;
    known_peers = near_ranks(world, steps).size();
    for (const std::size_t doubles : {10, 32, 100, 316, 1000}) {
      grid.push_back(std::make_unique<NeighborRing>(world, steps, doubles));
    }
  }
  for (const int particles : {4, 40}) {
    grid.push_back(std::make_unique<SparseGraph>(world, near_ranks(world, 3), true, particles));
    grid.push_back(std::make_unique<SparseGraph>(
        world, near_ranks(world, std::min(world.size(), 8)), false, particles));
  }
  return grid;
}

comm::Verdict run_until_chosen(Exchange& exchange, std::size_t rounds) {
  for (std::size_t round = 1; round <= rounds; ++round) {
    exchange.round();
    if (round % 32 != 0) continue;
    const comm::Verdict verdict = exchange.verdict();
    if (verdict.times_decided > 0) return verdict;
  }
  return exchange.verdict();
}

}  // namespace sterna::bench
