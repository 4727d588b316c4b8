#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "sterna/comm/context.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/methods.hpp"
#include "sterna/comm/neighbor_exchange.hpp"
#include "sterna/comm/reduction_batch.hpp"
#include "sterna/comm/sparse_exchange.hpp"
#include "sterna/comm/synchronized_timing.hpp"

using namespace sterna::comm;

namespace {

constexpr double pause_seconds = 0.02;

/// Lets one rank be late for `exchange`: what another waits and communicates then. Of several
/// times the least communication, since on a busy machine a rank loses its core at random.
template <class Exchange>
void check_late_rank(const Context& world, const SynchronizedTiming& timing, int late,
                     Exchange exchange) {
  double waiting = 0.0, communication = pause_seconds;
  for (int repeat = 0; repeat < 5; ++repeat) {
    exchange();  // all are here now
    const auto before = timing.times();
    if (world.rank() == late) {
      std::this_thread::sleep_for(std::chrono::duration<double>(pause_seconds));
    }
    exchange();
    const auto after = timing.times();
    CHECK(after.communication > before.communication);
    if (world.rank() == late) continue;
    waiting = std::max(waiting, after.waiting - before.waiting);
    communication = std::min(communication, after.communication - before.communication);
  }
  if (world.size() == 1) {
    CHECK(timing.times().waiting == 0.0);
    return;
  }
  ReductionBatch(world).max(waiting).min(communication).run();
  CHECK(waiting > 0.9 * pause_seconds);
  CHECK(communication < 0.5 * pause_seconds);
}

}  // namespace

TEST_CASE("waiting for a late rank is told from communication in every neighbor method") {
  const Context world;
  std::vector<NeighborPattern::Peer> peers;
  for (int rank = 0; rank < world.size(); ++rank) {
    if (rank != world.rank() || world.size() == 1) peers.push_back({rank, 4, 4});
  }
  const auto pattern = NeighborPattern::from_peers(world, peers);
  const SynchronizedTiming timing(world);
  for (const MethodInfo& method : neighbor_methods()) {
    if (!why_neighbor_method_unavailable(world, method.name).empty()) continue;
    CAPTURE(std::string(method.name));
    NeighborExchange<std::int64_t> exchange(world, pattern, {std::string(method.name), "ring"});
    std::int64_t round = 0;
    const auto once = [&] {
      ++round;
      for (std::size_t p = 0; p < peers.size(); ++p) {
        const auto peer = static_cast<int>(p);
        exchange.outbox(peer)[0] = 100 * round + world.rank();
        exchange.commit(peer, 1);
      }
      exchange.start();
      std::int64_t faults = 0;
      while (const auto peer = exchange.next()) {
        const auto items = exchange.inbox(*peer);
        const int from = exchange.peers()[static_cast<std::size_t>(*peer)].rank;
        if (items.size() != 1 || items[0] != 100 * round + from) ++faults;
      }
      exchange.finish();
      CHECK(faults == 0);
    };
    const int late = world.size() - 1;
    check_late_rank(world, timing, late, once);
  }
}

TEST_CASE("so it is in sparse exchanges and reductions") {
  const Context world;
  const SynchronizedTiming timing(world);
  SparseOptions options;
  options.method = "nbx";
  SparseExchange<std::int64_t> exchange(world, options);
  const int next = (world.rank() + 1) % world.size();
  const auto send_to_next = [&] {
    const std::vector<int> destinations{next};
    const std::vector<std::size_t> offsets{0, 1};
    const std::vector<std::int64_t> items{world.rank()};
    const auto in = exchange({destinations, offsets, items});
    CHECK(in.items.size() == 1);
    CHECK(in.items[0] == (world.rank() + world.size() - 1) % world.size());
  };
  check_late_rank(world, timing, 0, send_to_next);

  double value = 0.0;
  ReductionBatch batch(world);
  batch.sum(value);
  const auto add = [&] {
    value = 1.0;
    batch.run();
    CHECK(value == world.size());
  };
  check_late_rank(world, timing, 0, add);
}

TEST_CASE("timing is synchronized by one object at a time, and by none after its end") {
  const Context world;
  double value = 1.0;
  ReductionBatch batch(world);
  batch.sum(value);
  {
    const SynchronizedTiming timing(world);
    CHECK_THROWS_WITH_AS(SynchronizedTiming{world},
                         "the timing of this context is synchronized already", Error);
    CHECK(timing.times().communication == 0.0);
    batch.run();
    CHECK(timing.times().communication > 0.0);
  }
  const SynchronizedTiming later(world);
  CHECK(later.times().waiting == 0.0);
  CHECK(later.times().communication == 0.0);
}
