// Every registered method of the neighbor exchange must do the same on every pattern. Payloads
// identify themselves, so a lost, doubled, mixed up or overwritten item is seen where it is read.

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "comm/context/largest_count.hpp"
#include "comm/context/versions.hpp"
#include "comm/must_work.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/neighbor_exchange.hpp"

using namespace sterna::comm;

namespace {

/// A stall shall name its exchange before the time of the whole test is over.
constexpr std::chrono::duration<double> wait_timeout{100.0};

struct Item {
  std::int32_t sender;
  std::int32_t receiver;
  std::int64_t round;
  std::int64_t index;
  bool operator==(const Item&) const = default;
};

/// The same on every rank, from whatever numbers it is given.
std::uint64_t mixed(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d = 0) {
  std::uint64_t x = a * 0x9E3779B97F4A7C15U ^ b * 0xC2B2AE3D27D4EB4FU ^ c * 0x165667B19E3779F9U ^ d;
  x ^= x >> 31;
  x *= 0xD6E8FEB86659FD93U;
  x ^= x >> 29;
  return x;
}

/// A pattern is a function of sender and receiver: the capacity of that direction.
struct Pattern {
  const char* name;
  std::size_t (*capacity)(int from, int to, int size);
};

const Pattern patterns[] = {
    {"empty", [](int, int, int) -> std::size_t { return 0; }},
    {"self", [](int from, int to, int) -> std::size_t { return from == to ? 20 : 0; }},
    {"ring",
     [](int from, int to, int size) -> std::size_t {
       return to == (from + 1) % size || from == (to + 1) % size ? 30 : 0;
     }},
    {"one-directional ring",
     [](int from, int to, int size) -> std::size_t { return to == (from + 1) % size ? 100 : 0; }},
    {"all to one", [](int, int to, int) -> std::size_t { return to == 0 ? 15 : 0; }},
    {"one to all", [](int from, int, int) -> std::size_t { return from == 0 ? 15 : 0; }},
    {"random",
     [](int from, int to, int) -> std::size_t {
       const auto x = mixed(1, static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to));
       return x % 3 == 0 ? x / 7 % 60 : 0;
     }},
    {"all to all", [](int, int, int) -> std::size_t { return 12; }},
    {"heavy tail",
     [](int from, int to, int size) -> std::size_t {
       return to == (from + 1) % size || from == (to + 1) % size
                  ? (from == 0 && to == 1 % size ? 60000 : 3)
                  : 0;
     }},
};

NeighborPattern make(const Context& world, const Pattern& pattern, std::size_t factor = 1) {
  std::vector<NeighborPattern::Peer> peers;
  for (int other = 0; other < world.size(); ++other) {
    const std::size_t out = factor * pattern.capacity(world.rank(), other, world.size());
    const std::size_t in = factor * pattern.capacity(other, world.rank(), world.size());
    if (out > 0 || in > 0) peers.push_back({other, out, in});
  }
  // The order that a caller lists them in must not matter.
  std::shuffle(peers.begin(), peers.end(), std::mt19937(static_cast<unsigned>(world.rank())));
  return NeighborPattern::from_peers(world, peers);
}

/// Items in this round from one rank to another: 0, some, or all that the capacity allows.
std::size_t count_of(int from, int to, std::int64_t round, std::size_t capacity) {
  if (capacity == 0) return 0;
  const auto x = mixed(static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to),
                       static_cast<std::uint64_t>(round), 5);
  switch (x % 4) {
    case 0:
      return 0;
    case 1:
      return capacity;
    default:
      return x / 4 % (capacity + 1);
  }
}

/// Lets ranks run apart: some sleep now and then, each at other times.
void skew(int rank, std::int64_t round, int every) {
  const auto x = mixed(static_cast<std::uint64_t>(rank), 77, static_cast<std::uint64_t>(round));
  if (every > 0 && x % static_cast<std::uint64_t>(every) == 0) {
    std::this_thread::sleep_for(std::chrono::microseconds(x / 64 % 300));
  }
}

/// One exchange with the payload check; counts faults instead of asserting in the inner loop.
class Checked {
 public:
  Checked(const Context& world, const NeighborPattern& pattern, std::string_view method,
          std::int32_t salt = 0)
      : world_(world),
        salt_(salt),
        exchange_(world, pattern, {.method = std::string(method), .name = "checked"}) {}

  NeighborExchange<Item>& operator*() { return exchange_; }

  void fill(std::int64_t round) {
    const auto peers = exchange_.peers();
    for (int peer = 0; peer < static_cast<int>(peers.size()); ++peer) {
      const auto& p = peers[static_cast<std::size_t>(peer)];
      const std::size_t count = count_of(world_.rank(), p.rank, round, p.send_capacity);
      if (count == 0 && round % 2 == 0) continue;  // start commits zero items
      const auto box = exchange_.outbox(peer);
      for (std::size_t i = 0; i < count; ++i) {
        box[i] = item(world_.rank(), p.rank, round, static_cast<std::int64_t>(i));
      }
      exchange_.commit(peer, count);
    }
  }

  void take(std::int64_t round) {
    const auto peers = exchange_.peers();
    std::vector<int> seen;
    while (const auto peer = exchange_.next()) {
      seen.push_back(*peer);
      check_inbox(*peer, round);
    }
    std::sort(seen.begin(), seen.end());
    std::vector<int> expected;
    for (int peer = 0; peer < static_cast<int>(peers.size()); ++peer) {
      if (peers[static_cast<std::size_t>(peer)].receive_capacity > 0) expected.push_back(peer);
    }
    if (seen != expected) ++faults;
  }

  /// What arrived in `round` must still be there until the next start.
  void check_all_inboxes(std::int64_t round) {
    for (int peer = 0; peer < static_cast<int>(exchange_.peers().size()); ++peer) {
      check_inbox(peer, round);
    }
  }

  void round(std::int64_t round, int skew_every) {
    fill(round);
    exchange_.start();
    skew(world_.rank(), round, skew_every);
    take(round);
    exchange_.finish();
  }

  std::int64_t faults = 0;

 private:
  Item item(int from, int to, std::int64_t round, std::int64_t index) const {
    return {from, to, round, index + (std::int64_t{salt_} << 40)};
  }

  void check_inbox(int peer, std::int64_t round) {
    const auto& p = exchange_.peers()[static_cast<std::size_t>(peer)];
    const auto box = exchange_.inbox(peer);
    if (box.size() != count_of(p.rank, world_.rank(), round, p.receive_capacity)) ++faults;
    for (std::size_t i = 0; i < box.size(); ++i) {
      if (box[i] != item(p.rank, world_.rank(), round, static_cast<std::int64_t>(i))) ++faults;
    }
  }

  const Context& world_;
  std::int32_t salt_;
  NeighborExchange<Item> exchange_;
};

/// Runs `body(method)` for each method that works here; those that have to work must.
template <class Body>
void for_each_method(const Context& world, Body body) {
  const char* const only = std::getenv("STERNA_TEST_METHOD");
  if (only != nullptr) REQUIRE(methods_called(neighbor_methods(), only).size() == 1);
  for (const MethodInfo& method : neighbor_methods()) {
    if (only != nullptr && method.name != only) continue;
    if (!sterna::test::works(world, method, why_neighbor_method_unavailable(world, method.name))) {
      continue;
    }
    CAPTURE(std::string(method.name));
    body(method.name);
  }
}

/// The verdict tells by destination what was sent in that many rounds of `Checked`.
void check_sent(const Context& world, const NeighborPattern& pattern, std::int64_t rounds,
                const Verdict& verdict) {
  std::size_t bytes = 0, found = 0;
  for (const NeighborPattern::Peer& peer : pattern.peers()) {
    if (peer.rank == world.rank() || peer.send_capacity == 0) continue;
    std::size_t items = 0;
    for (std::int64_t round = 1; round <= rounds; ++round) {
      items += count_of(world.rank(), peer.rank, round, peer.send_capacity);
    }
    REQUIRE(found < verdict.sent.size());
    CHECK(verdict.sent[found].rank == peer.rank);
    CHECK(verdict.sent[found].bytes == items * sizeof(Item));
    CHECK(verdict.sent[found].messages == static_cast<std::size_t>(rounds));
    bytes += items * sizeof(Item);
    ++found;
  }
  CHECK(found == verdict.sent.size());
  CHECK(verdict.bytes_sent == bytes);
}

MethodTraits traits_of(std::string_view method) {
  return methods_called(neighbor_methods(), method).front().traits;
}

}  // namespace

TEST_CASE("the table has lost no method") {
  sterna::test::check_names(
      neighbor_methods(), {"p2p", "p2p_persistent", "neighbor_collective", "rma_fence", "rma_pscw",
                           "rma_double_buffer", "rdma_barrier", "rdma_double_buffer", "ofi_barrier",
                           "ofi_double_buffer", "shm_direct", "hybrid", "node_aggregated"});
}

TEST_CASE("every method delivers every pattern") {
  const Context world({.timeout = wait_timeout});
  for (const Pattern& pattern : patterns) {
    CAPTURE(pattern.name);
    const NeighborPattern made = make(world, pattern);
    for_each_method(world, [&](std::string_view method) {
      Checked exchange(world, made, method);
      for (std::int64_t round = 1; round <= 12; ++round) {
        exchange.round(round, 10);
        exchange.check_all_inboxes(round);
      }
      CHECK(exchange.faults == 0);
      const Verdict verdict = (*exchange).verdict();
      CHECK(verdict.method == method);
      CHECK(verdict.exchange == "checked");
      CHECK(verdict.rounds == 12);
      check_sent(world, made, 12, verdict);
    });
  }
}

TEST_CASE("what was sent goes on being counted when capacities grow") {
  const Context world({.timeout = wait_timeout});
  const auto ring = std::ranges::find(patterns, std::string_view("ring"), &Pattern::name);
  const NeighborPattern made = make(world, *ring);
  Checked exchange(world, made, "p2p");
  std::vector<std::size_t> capacities, items;
  for (const NeighborPattern::Peer& peer : made.peers()) {
    capacities.push_back(2 * peer.send_capacity);
    items.push_back(0);
  }
  for (std::int64_t round = 1; round <= 4; ++round) {
    if (round == 3) (*exchange).reserve(capacities);
    const auto peers = (*exchange).peers();
    for (std::size_t peer = 0; peer < peers.size(); ++peer) {
      items[peer] += count_of(world.rank(), peers[peer].rank, round, peers[peer].send_capacity);
    }
    exchange.round(round, 0);
  }
  CHECK(exchange.faults == 0);
  const Verdict verdict = (*exchange).verdict();
  std::size_t found = 0;
  for (std::size_t peer = 0; peer < made.peers().size(); ++peer) {
    if (made.peers()[peer].rank == world.rank()) continue;
    REQUIRE(found < verdict.sent.size());
    CHECK(verdict.sent[found].rank == made.peers()[peer].rank);
    CHECK(verdict.sent[found].bytes == items[peer] * sizeof(Item));
    CHECK(verdict.sent[found].messages == 4);
    ++found;
  }
  CHECK(found == verdict.sent.size());
}

TEST_CASE("messages beyond the counts of MPI") {
  // A lowered largest count sends the messages of a few items down the paths of 2^31 bytes.
  const Context world({.timeout = wait_timeout});
  set_largest_count(40);
  for (const Pattern& pattern : patterns) {
    CAPTURE(pattern.name);
    const NeighborPattern made = make(world, pattern);
    for (const std::string_view method : {"p2p", "p2p_persistent"}) {
      CAPTURE(std::string(method));
      Checked exchange(world, made, method);
      for (std::int64_t round = 1; round <= 6; ++round) exchange.round(round, 3);
      CHECK(exchange.faults == 0);
    }
  }
  set_largest_count(std::numeric_limits<int>::max());
}

TEST_CASE("inboxes stay readable while the next outboxes are filled and committed") {
  const Context world({.timeout = wait_timeout});
  for (const char* name : {"ring", "one-directional ring", "all to all"}) {
    const Pattern* pattern =
        std::find_if(std::begin(patterns), std::end(patterns),
                     [&](const Pattern& p) { return p.name == std::string(name); });
    const NeighborPattern made = make(world, *pattern);
    for_each_method(world, [&](std::string_view method) {
      Checked exchange(world, made, method);
      for (std::int64_t round = 1; round <= 40; ++round) {
        exchange.fill(round);
        if (round > 1) {
          skew(world.rank(), round, 8);
          exchange.check_all_inboxes(round - 1);
        }
        (*exchange).start();
        exchange.take(round);
        (*exchange).finish();
      }
      CHECK(exchange.faults == 0);
    });
  }
}

TEST_CASE("hundreds of rounds of skewed ranks lose and mix up nothing") {
  const Context world({.timeout = wait_timeout});
  const int rounds = 500;
  for (const char* name : {"one-directional ring", "random"}) {
    CAPTURE(name);
    const Pattern* pattern =
        std::find_if(std::begin(patterns), std::end(patterns),
                     [&](const Pattern& p) { return p.name == std::string(name); });
    const NeighborPattern made = make(world, *pattern);
    for_each_method(world, [&](std::string_view method) {
      Checked exchange(world, made, method);
      for (std::int64_t round = 1; round <= rounds; ++round) exchange.round(round, 60);
      CHECK(exchange.faults == 0);
    });
  }
}

TEST_CASE("two exchanges under way on the same pairs keep apart") {
  const Context world({.timeout = wait_timeout});
  const NeighborPattern made = make(world, patterns[2]);
  for_each_method(world, [&](std::string_view method) {
    Checked first(world, made, method, 1);
    Checked second(world, made, method, 2);
    for (std::int64_t round = 1; round <= 100; ++round) {
      first.fill(round);
      second.fill(round + 1000);
      // What blocks for all ranks must be the same exchange on all.
      if (world.rank() % 2 == 0 || traits_of(method).blocks_in_mpi == BlocksInMpi::always) {
        (*first).start();
        (*second).start();
        second.take(round + 1000);
        first.take(round);
      } else {
        (*second).start();
        (*first).start();
        first.take(round);
        second.take(round + 1000);
      }
      (*first).finish();
      (*second).finish();
    }
    CHECK(first.faults == 0);
    CHECK(second.faults == 0);
  });
}

TEST_CASE("reserve grows both sides and later rounds use the larger capacity") {
  const Context world({.timeout = wait_timeout});
  for (const Pattern& pattern : patterns) {
    if (std::string(pattern.name) == "heavy tail") continue;
    CAPTURE(pattern.name);
    const NeighborPattern made = make(world, pattern);
    for_each_method(world, [&](std::string_view method) {
      Checked exchange(world, made, method);
      for (std::int64_t round = 1; round <= 24; ++round) {
        if (round % 6 == 0) {
          std::vector<std::size_t> wanted;
          for (const auto& peer : (*exchange).peers()) {
            // Some directions grow, some do not, some begin to carry something.
            const auto x =
                mixed(static_cast<std::uint64_t>(world.rank()),
                      static_cast<std::uint64_t>(peer.rank), static_cast<std::uint64_t>(round));
            wanted.push_back(x % 2 == 0 ? peer.send_capacity + x / 2 % 50 : 0);
          }
          (*exchange).reserve(wanted);
          for (std::size_t i = 0; i < wanted.size(); ++i) {
            CHECK((*exchange).peers()[i].send_capacity >= wanted[i]);
          }
        }
        exchange.round(round, 12);
      }
      CHECK(exchange.faults == 0);
    });
  }
}

TEST_CASE("items of zero bytes' value arrive like any others") {
  const Context world({.timeout = wait_timeout});
  const NeighborPattern made = make(world, patterns[7]);
  for_each_method(world, [&](std::string_view method) {
    NeighborExchange<std::uint8_t> exchange(world, made, {.method = std::string(method)});
    for (int round = 0; round < 20; ++round) {
      for (int peer = 0; peer < static_cast<int>(exchange.peers().size()); ++peer) {
        const auto box = exchange.outbox(peer);
        std::fill(box.begin(), box.end(), std::uint8_t(round % 2));
        exchange.commit(peer, static_cast<std::size_t>(round % 13));
      }
      exchange.start();
      while (const auto peer = exchange.next()) {
        const auto box = exchange.inbox(*peer);
        CHECK(box.size() == static_cast<std::size_t>(round % 13));
        CHECK(std::all_of(box.begin(), box.end(), [&](auto b) { return b == round % 2; }));
      }
      exchange.finish();
    }
  });
}

TEST_CASE("inboxes and outboxes have the alignment that items need") {
  const Context world({.timeout = wait_timeout});
  const NeighborPattern made = make(world, patterns[7]);
  const auto check = [&]<class T>(const T&) {
    const auto misaligned = [](const T* items) {
      return reinterpret_cast<std::uintptr_t>(items) % alignof(T) != 0;
    };
    CAPTURE(alignof(T));
    for_each_method(world, [&](std::string_view method) {
      NeighborExchange<T> exchange(world, made, {.method = std::string(method)});
      for (int round = 0; round < 3; ++round) {
        for (int peer = 0; peer < static_cast<int>(exchange.peers().size()); ++peer) {
          CHECK_FALSE(misaligned(exchange.outbox(peer).data()));
        }
        exchange.start();
        while (const auto peer = exchange.next()) {
          CHECK_FALSE(misaligned(exchange.inbox(*peer).data()));
        }
        exchange.finish();
      }
    });
  };
  struct alignas(16) Sixteen {
    double values[6];
  };
  struct alignas(32) ThirtyTwo {
    double values[4];
  };
  struct alignas(64) SixtyFour {
    double values[8];
  };
  check(Sixteen{});
  check(ThirtyTwo{});
  check(SixtyFour{});
}

TEST_CASE("items that are shared by several peers arrive like any others") {
  const Context world({.timeout = wait_timeout});
  using Ranges = std::vector<ItemRange>;
  constexpr std::size_t capacity = 12;
  // What the sender has for receiver k: every third one has items of its own, the next two have
  // some of those, in up to three ranges that may overlap.
  const auto ranges_of = [](int k, std::int64_t round, std::size_t there) -> Ranges {
    const auto x = mixed(static_cast<std::uint64_t>(k), 31, static_cast<std::uint64_t>(round));
    const std::size_t half = there / 2;
    switch (x % 5) {
      case 0:
        return {};
      case 1:
        return {{0, there}};
      case 2:
        return {{half, there - half}};
      case 3:
        return {{half, there - half}, {0, half}};
      default:
        return {{std::min<std::size_t>(there, 1), there / 3},
                {0, std::min<std::size_t>(there, 2)},
                {there / 2, there / 4}};
    }
  };
  const auto items_of = [&](int from, int k, std::int64_t round) {
    std::vector<Item> own;
    for (std::int64_t i = 0; i < std::int64_t{capacity}; ++i)
      own.push_back({from, k - k % 3, round, i});
    if (k % 3 == 0) return own;
    std::vector<Item> some;
    for (const auto& [first, count] : ranges_of(k, round, own.size())) {
      const auto begin = own.begin() + static_cast<std::ptrdiff_t>(first);
      some.insert(some.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
    }
    return some;
  };
  // In one direction only the receivers' notices are late, so that commits wait.
  for (const bool both_ways : {true, false}) {
    CAPTURE(both_ways);
    std::vector<NeighborPattern::Peer> peers;
    for (int other = 0; other < world.size(); ++other) {
      const bool sends = both_ways || world.rank() <= other;
      const bool receives = both_ways || other <= world.rank();
      peers.push_back({other, sends ? capacity : 0, receives ? capacity : 0});
    }
    const NeighborPattern made = NeighborPattern::from_peers(world, peers);
    for_each_method(world, [&](std::string_view method) {
      NeighborExchange<Item> exchange(world, made, {.method = std::string(method)});
      std::int64_t faults = 0;
      for (std::int64_t round = 1; round <= 60; ++round) {
        for (int k = 0; k < world.size(); ++k) {
          if (peers[static_cast<std::size_t>(k)].send_capacity == 0) continue;
          const std::vector<Item> items = items_of(world.rank(), k, round);
          const int origin = k - k % 3;
          if (k != origin && peers[static_cast<std::size_t>(origin)].send_capacity > 0) {
            exchange.commit_shared(k, origin, ranges_of(k, round, capacity));
          } else {
            std::ranges::copy(items, exchange.outbox(k).begin());
            exchange.commit(k, items.size());
          }
        }
        exchange.start();
        skew(world.rank(), round, 20);
        while (const auto peer = exchange.next()) {
          const auto box = exchange.inbox(*peer);
          const std::vector<Item> expected = items_of(*peer, world.rank(), round);
          if (!std::ranges::equal(box, expected)) ++faults;
          if (!std::ranges::equal(exchange.inbox(*peer), expected)) ++faults;
        }
        exchange.finish();
      }
      CHECK(faults == 0);
      const Verdict verdict = exchange.verdict();
      std::size_t bytes = 0;
      for (const NeighborPattern::Peer& peer : peers) {
        if (peer.send_capacity == 0 || peer.rank == world.rank()) continue;
        for (std::int64_t round = 1; round <= 60; ++round) {
          bytes += sizeof(Item) * items_of(world.rank(), peer.rank, round).size();
        }
      }
      CHECK(verdict.bytes_sent == bytes);
    });
  }
}

TEST_CASE("results are the same bit for bit whichever method is used") {
  const Context world({.timeout = wait_timeout});
  const NeighborPattern made = make(world, patterns[6]);
  std::vector<std::vector<double>> of_method;
  for_each_method(world, [&](std::string_view method) {
    NeighborExchange<double> exchange(world, made, {.method = std::string(method)});
    std::vector<double> sums(exchange.peers().size(), world.rank() + 0.1);
    for (int round = 0; round < 50; ++round) {
      for (int peer = 0; peer < static_cast<int>(exchange.peers().size()); ++peer) {
        const auto box = exchange.outbox(peer);
        for (std::size_t i = 0; i < box.size(); ++i) {
          box[i] = sums[static_cast<std::size_t>(peer)] * (1.0 + 0.001 * static_cast<double>(i));
        }
        exchange.commit(peer, box.size());
      }
      exchange.start();
      while (exchange.next()) {
      }
      for (int peer = 0; peer < static_cast<int>(exchange.peers().size()); ++peer) {
        for (const double x : exchange.inbox(peer)) {
          sums[static_cast<std::size_t>(peer)] =
              0.7 * sums[static_cast<std::size_t>(peer)] + 0.1 * x;
        }
      }
      exchange.finish();
    }
    of_method.push_back(sums);
  });
  for (const auto& sums : of_method) CHECK(sums == of_method.front());
}

TEST_CASE("forces go back the way that positions came, and sums of them are repeatable") {
  const Context world({.timeout = wait_timeout});
  for (const char* name : {"one-directional ring", "random", "all to one"}) {
    CAPTURE(name);
    const Pattern* pattern =
        std::find_if(std::begin(patterns), std::end(patterns),
                     [&](const Pattern& p) { return p.name == std::string(name); });
    const NeighborPattern forward = make(world, *pattern);
    const NeighborPattern back = forward.reversed();
    for (std::size_t i = 0; i < forward.peers().size(); ++i) {
      CHECK(back.peers()[i].rank == forward.peers()[i].rank);
      CHECK(back.peers()[i].send_capacity == forward.peers()[i].receive_capacity);
      CHECK(back.peers()[i].receive_capacity == forward.peers()[i].send_capacity);
    }
    std::vector<std::vector<double>> of_method;
    for_each_method(world, [&](std::string_view method) {
      NeighborExchange<double> positions(world, forward, {.method = std::string(method)});
      NeighborExchange<double> forces(world, back, {.method = std::string(method)});
      std::vector<double> total(60, 0.1 * world.rank());
      for (int round = 1; round <= 10; ++round) {
        for (int peer = 0; peer < static_cast<int>(positions.peers().size()); ++peer) {
          const auto box = positions.outbox(peer);
          for (std::size_t i = 0; i < box.size(); ++i) box[i] = total[i % total.size()];
          positions.commit(peer, box.size());
        }
        positions.start();
        skew(world.rank(), round, 4);
        positions.take_in_order([&](int peer, std::span<const double> ghosts) {
          const auto box = forces.outbox(peer);
          CHECK(box.size() == ghosts.size());
          // Sums of these depend on their order in the last bits.
          for (std::size_t i = 0; i < ghosts.size(); ++i) {
            box[i] = 1.0 / (3.0 + world.rank() + ghosts[i] * ghosts[i]);
          }
          forces.commit(peer, ghosts.size());
        });
        positions.finish();
        forces.start();
        skew(world.rank(), round + 100, 4);
        int last = -1;
        forces.take_in_order([&](int peer, std::span<const double> given) {
          CHECK(peer > last);
          last = peer;
          for (std::size_t i = 0; i < given.size(); ++i) total[i % total.size()] += given[i];
        });
        forces.finish();
      }
      of_method.push_back(total);
    });
    for (const auto& total : of_method) CHECK(total == of_method.front());
  }
}

TEST_CASE("several fields travel in one message") {
  const Context world({.timeout = wait_timeout});
  struct Vector {
    double x, y, z;
  };
  const NeighborPattern made = make(world, patterns[6]);
  for_each_method(world, [&](std::string_view method) {
    NeighborFields<Vector, std::int32_t, char> exchange(world, made,
                                                        {.method = std::string(method)});
    std::int64_t faults = 0;
    for (std::int64_t round = 1; round <= 10; ++round) {
      for (int peer = 0; peer < static_cast<int>(exchange.peers().size()); ++peer) {
        const auto& p = exchange.peers()[static_cast<std::size_t>(peer)];
        if (p.send_capacity == 0) continue;
        const std::size_t count = count_of(world.rank(), p.rank, round, p.send_capacity);
        const auto [positions, types, flags] = exchange.outbox(peer, count);
        for (std::size_t i = 0; i < count; ++i) {
          const double x = world.rank() + 0.01 * static_cast<double>(i);
          positions[i] = {x, -x, static_cast<double>(round)};
          types[i] = static_cast<std::int32_t>(i) + p.rank;
          flags[i] = static_cast<char>(i % 100);
        }
        exchange.commit(peer, count);
      }
      exchange.start();
      while (const auto peer = exchange.next()) {
        const auto& p = exchange.peers()[static_cast<std::size_t>(*peer)];
        const auto [positions, types, flags] = exchange.inbox(*peer);
        const std::size_t count = count_of(p.rank, world.rank(), round, p.receive_capacity);
        if (positions.size() != count || types.size() != count || flags.size() != count) ++faults;
        for (std::size_t i = 0; i < positions.size(); ++i) {
          const double x = p.rank + 0.01 * static_cast<double>(i);
          if (positions[i].x != x || positions[i].y != -x ||
              positions[i].z != static_cast<double>(round) ||
              types[i] != static_cast<std::int32_t>(i) + world.rank() ||
              flags[i] != static_cast<char>(i % 100)) {
            ++faults;
          }
        }
      }
      exchange.finish();
    }
    CHECK(faults == 0);
  });
}

TEST_CASE("auto picks a method and says why") {
  const Context world({.timeout = wait_timeout});
  const NeighborPattern made = make(world, patterns[2]);
  Checked exchange(world, made, "auto");
  exchange.round(1, 0);
  CHECK(exchange.faults == 0);
  const Verdict verdict = (*exchange).verdict();
  CHECK(verdict.text.find("auto: ") != std::string::npos);
  CHECK(verdict.text.find("not measured") != std::string::npos);
  CHECK(std::any_of(neighbor_methods().begin(), neighbor_methods().end(),
                    [&](const MethodInfo& m) { return m.name == verdict.method; }));
}

TEST_CASE("an exchange that never ran a round, or is moved, ends cleanly") {
  const Context world({.timeout = wait_timeout});
  const NeighborPattern made = make(world, patterns[3]);
  for_each_method(world, [&](std::string_view method) {
    { NeighborExchange<Item> unused(world, made, {.method = std::string(method)}); }
    NeighborExchange<Item> first(world, made, {.method = std::string(method)});
    NeighborExchange<Item> second = std::move(first);
    second.start();
    second.finish();
  });
}

TEST_CASE("parts of the world exchange on their own") {
  const Context world({.timeout = wait_timeout});
  const Context part = world.split(world.rank() % 2);
  const NeighborPattern made = make(part, patterns[2]);
  for_each_method(part, [&](std::string_view method) {
    Checked exchange(part, made, method);
    for (std::int64_t round = 1; round <= 20; ++round) exchange.round(round, 0);
    CHECK(exchange.faults == 0);
  });
}

// ------------------------------------------------------------------------------------- ends

/// Known defect: between hosts over TCP, after a round that not all ranks have started, the next
/// exchange by `rma_double_buffer` never returns from Open MPI's MPI_Accumulate.
bool stalls_after_a_broken_round(std::string_view method) {
  return method == "rma_double_buffer" && std::getenv("STERNA_TWO_HOSTS") != nullptr;
}

TEST_CASE("exchanges end in any order, half-way through a round, and after an exception") {
  const Context world({.timeout = wait_timeout});
  const NeighborPattern made = make(world, patterns[7]);
  const bool odd = world.rank() % 2 == 1;
  for_each_method(world, [&](std::string_view method) {
    if (stalls_after_a_broken_round(method)) return;
    const auto fresh = [&] { return std::make_unique<Checked>(world, made, method); };
    // Two exchanges after their rounds, in another order on each second rank.
    for (int repetition = 0; repetition < 3; ++repetition) {
      auto first = fresh();
      auto second = fresh();
      first->round(1, 0);
      second->round(1, 0);
      (odd ? second : first).reset();
      (odd ? first : second).reset();
    }
    // The same with a round of both under way on all ranks.
    {
      auto first = fresh();
      auto second = fresh();
      for (auto* const exchange : {&first, &second}) {
        (*exchange)->fill(1);
        (***exchange).start();
      }
      (odd ? second : first).reset();
      (odd ? first : second).reset();
    }
    // Filled, but not started.
    {
      const auto filled = fresh();
      filled->fill(1);
    }
    // One rank is thrown out of a round that the others finish.
    try {
      const auto exchange = fresh();
      exchange->round(1, 0);
      exchange->fill(2);
      (**exchange).start();
      if (world.rank() == 0) throw std::runtime_error("of the caller");
      exchange->take(2);
      (**exchange).finish();
      CHECK(exchange->faults == 0);
    } catch (const std::runtime_error& error) {
      CHECK(std::string(error.what()) == "of the caller");
    }
    // All ranks are.
    try {
      const auto exchange = fresh();
      exchange->fill(1);
      (**exchange).start();
      throw std::runtime_error("of the caller");
    } catch (const std::runtime_error& error) {
      CHECK(std::string(error.what()) == "of the caller");
    }
    // And everything works as before.
    barrier(world);
    Checked last(world, made, method);
    for (std::int64_t round = 1; round <= 5; ++round) last.round(round, 0);
    CHECK(last.faults == 0);
  });
}

TEST_CASE("a rank that never started the round that others gave up goes on, too") {
  const Context world({.timeout = wait_timeout});
  const NeighborPattern made = make(world, patterns[7]);
  for_each_method(world, [&](std::string_view method) {
    // A rank that begins a round which takes all ranks waits for the others.
    if (traits_of(method).blocks_in_mpi == BlocksInMpi::always ||
        stalls_after_a_broken_round(method)) {
      return;
    }
    {
      Checked exchange(world, made, method);
      exchange.round(1, 0);
      if (world.rank() == 0) (*exchange).start();
    }
    Checked last(world, made, method);
    last.round(1, 0);
    CHECK(last.faults == 0);
  });
}

// ---------------------------------------------------------------------------------- errors

TEST_CASE("an unknown method names the nearest valid one") {
  const Context world({.timeout = wait_timeout});
  const NeighborPattern made = make(world, patterns[2]);
  CHECK_THROWS_WITH_AS(
      NeighborExchange<Item>(world, made, {.method = "shm_driect", .name = "halo"}),
      doctest::Contains(
          "halo: unknown neighbor method \"shm_driect\"; did you mean \"shm_direct\"? Valid "
          "are: auto, p2p, p2p_persistent, "),
      Error);
  CHECK_THROWS_AS(why_neighbor_method_unavailable(world, "p3p"), Error);
  // What the literature calls a method leads to it.
  CHECK_THROWS_WITH_AS(NeighborExchange<Item>(world, made, {.method = "PSCW", .name = "halo"}),
                       doctest::Contains("unknown neighbor method \"PSCW\"; did you mean "
                                         "\"rma_pscw\"?"),
                       Error);
}

TEST_CASE("one rank's mistake is an error of all ranks") {
  const Context world({.timeout = wait_timeout});
  const NeighborPattern made = make(world, patterns[2]);
  const bool odd_one = world.rank() == world.size() - 1;
  CHECK_THROWS_AS(NeighborExchange<Item>(world, made, {.method = odd_one ? "nothing" : "p2p"}),
                  Error);
  if (world.size() > 1) {
    CHECK_THROWS_AS(NeighborExchange<Item>(world, made, {.method = odd_one ? "auto" : "p2p"}),
                    Error);
  }
}

TEST_CASE("the two sides of a pair must agree") {
  const Context world({.timeout = wait_timeout});
  const int right = (world.rank() + 1) % world.size();
  const int left = (world.rank() + world.size() - 1) % world.size();
  if (world.size() > 2) {
    CHECK_THROWS_WITH_AS(
        NeighborPattern::from_peers(world, {{right, 5, 0}}),
        "neighbor pattern: rank 0: lists rank 1 as a peer, but rank 1 does not list it", Error);
    const std::size_t mine = world.rank() == 1 ? 7 : 5;
    CHECK_THROWS_WITH_AS(NeighborPattern::from_peers(world, {{right, mine, 0}, {left, 0, 5}}),
                         "neighbor pattern: rank 1: may send 7 items to rank 2, which receives up "
                         "to 5 from it",
                         Error);
  }
  CHECK_THROWS_WITH_AS(NeighborPattern::from_peers(world, {{world.size(), 1, 1}}),
                       doctest::Contains("is no rank"), Error);
  CHECK_THROWS_WITH_AS(NeighborPattern::from_peers(world, {{0, 1, 1}, {0, 1, 1}}),
                       "neighbor pattern: rank 0: peer 0 is listed twice", Error);
}

TEST_CASE("calls out of order are errors that name the exchange") {
  const Context world({.timeout = wait_timeout});
  const NeighborPattern made = make(world, patterns[7]);
  for_each_method(world, [&](std::string_view method) {
    NeighborExchange<Item> exchange(world, made, {.method = std::string(method), .name = "halo"});
    CHECK_THROWS_WITH_AS(exchange.next(), "halo: next called outside of start and finish", Error);
    CHECK_THROWS_WITH_AS(exchange.finish(), "halo: finished without start", Error);
    CHECK_THROWS_WITH_AS(exchange.commit(world.size(), 1), doctest::Contains("there is no peer"),
                         Error);
    CHECK_THROWS_WITH_AS(
        exchange.commit(0, 13),
        "halo: 13 items committed for rank 0, but its outbox holds 12; reserve more", Error);
    exchange.commit(0, 1);
    CHECK_THROWS_WITH_AS(exchange.commit(0, 1), "halo: rank 0 committed twice", Error);
    const ItemRange too_many[] = {{0, 1}, {0, 2}};
    CHECK_THROWS_WITH_AS(exchange.commit_shared(world.size() - 1, 0, too_many),
                         doctest::Contains("halo: 2 items from item 0 of the outbox of rank 0 "
                                           "shared with rank "),
                         Error);
    if (world.size() > 2) {
      exchange.commit_shared(1, 0, std::span(too_many).first(1));
      CHECK_THROWS_WITH_AS(exchange.commit_shared(2, 1, {}),
                           "halo: the items of rank 1, shared with rank 2, are those of another "
                           "rank; name the rank whose outbox has them",
                           Error);
    }
    exchange.start();
    CHECK_THROWS_WITH_AS(exchange.start(), "halo: started twice without finish", Error);
    CHECK_THROWS_AS(exchange.reserve({}), Error);
    CHECK_THROWS_AS(exchange.outbox(0), Error);
    exchange.finish();
  });
}

TEST_CASE("a peer that never comes is named within the timeout") {
  Context world({.timeout = wait_timeout});
  // Each method waits, so only on the rank counts that also run as several nodes.
  if (world.size() != 2 && world.size() != 5) return;
  for_each_method(world, [&](std::string_view method) {
    // What blocks in MPI ends the job instead (test_killed_rank): always, or where data move only
    // with the target's help, which is between nodes and in MPICH also in a node.
    const bool takes_help = world.node_count() > 1 || mpi_version().starts_with("MPICH");
    const MethodTraits traits = traits_of(method);
    if (traits.blocks_in_mpi == BlocksInMpi::always) return;
    if (traits.blocks_in_mpi == BlocksInMpi::for_help && takes_help) return;
    const bool knows_who = traits.names_late_rank;
    // The context is used up by the failure, so each method has its own.
    const Context impatient;
    impatient.set_timeout(std::chrono::duration<double>(0.3));
    const NeighborPattern made = make(impatient, patterns[7]);
    {
      NeighborExchange<Item> exchange(impatient, made,
                                      {.method = std::string(method), .name = "halo positions"});
      exchange.start();
      exchange.finish();
      barrier(impatient);
      const int missing = world.size() - 1;
      if (world.rank() != missing) {
        std::string text;
        try {
          exchange.start();
          exchange.finish();
        } catch (const Error& error) {
          text = error.what();
        }
        CAPTURE(text);
        CHECK(text.starts_with("halo positions: waited "));
        const std::string who = knows_who ? "rank " + std::to_string(missing) : "";
        CHECK(text.find(" s in method " + std::string(method) + ", round 2, for " + who) !=
              std::string::npos);
        CHECK(text.find("the timeout of 0.3 s has passed") != std::string::npos);
        CHECK_THROWS_WITH_AS(exchange.start(), doctest::Contains("cannot be used any more"), Error);
      } else {
        impatient.on_idle({});
        std::this_thread::sleep_for(std::chrono::milliseconds(900));
        // Only so that its end does not wait for the others.
        CHECK_THROWS_AS((exchange.start(), barrier(impatient)), Error);
      }
    }
    barrier(world);
  });
}
