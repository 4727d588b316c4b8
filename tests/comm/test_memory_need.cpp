// Sizes beyond what there is are refused before anything is touched. No test here takes much
// memory: what is asked for is more than any machine has, or than a limit set for the test.

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sterna/comm/bulk_exchange.hpp"
#include "sterna/comm/channel.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/messenger.hpp"
#include "sterna/comm/neighbor_exchange.hpp"
#include "sterna/comm/region.hpp"
#include "sterna/comm/sparse_exchange.hpp"

using namespace sterna::comm;

namespace {

/// A stall shall name its exchange before the time of the whole test is over.
constexpr std::chrono::duration<double> wait_timeout{100.0};

/// Of 8 bytes each: 8 TiB, and two sizes that overflow to a few bytes.
constexpr std::size_t sizes[] = {std::size_t{1} << 40, (std::size_t{1} << 61) + 1,
                                 ~std::size_t{0} / 8 + 2};

/// The text of the MemoryError that `action` throws, or what went wrong instead.
template <class Action>
std::string refusal(Action&& action) {
  try {
    action();
  } catch (const MemoryError& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("another error: ") + error.what();
  }
  return "no error";
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != text.npos;
}

/// On every rank: the same text, which begins with `name` and tells sizes.
void check_refused_alike(const Context& world, const std::string& text, const std::string& name) {
  CAPTURE(text);
  CHECK(text.starts_with(name + ": "));
  CHECK(contains(text, "are wanted"));
  CHECK((contains(text, "are free (") || contains(text, "more than 2^64 bytes")));
  std::string first = text;
  broadcast(world, 0, first);
  CHECK(text == first);
}

std::vector<NeighborPattern::Peer> everybody(const Context& world, std::size_t capacity) {
  std::vector<NeighborPattern::Peer> peers;
  for (int rank = 0; rank < world.size(); ++rank) peers.push_back({rank, capacity, capacity});
  return peers;
}

template <class Body>
void for_each_method(const Context& world, Body body) {
  std::vector<std::string> methods{"auto"};
  for (const MethodInfo& method : neighbor_methods()) {
    if (method.traits.between_nodes || world.node_count() == 1) methods.emplace_back(method.name);
  }
  for (const std::string& method : methods) {
    if (!why_neighbor_method_unavailable(world, method).empty()) continue;
    CAPTURE(method);
    body(method);
  }
}

/// One round of two items to everybody; true where they arrive.
bool round_works(NeighborExchange<double>& exchange) {
  for (int peer = 0; peer < static_cast<int>(exchange.peers().size()); ++peer) {
    exchange.outbox(peer)[1] = 7.0;
    exchange.commit(peer, 2);
  }
  exchange.start();
  bool right = true;
  while (const auto peer = exchange.next()) {
    const auto items = exchange.inbox(*peer);
    right = right && items.size() == 2 && items[1] == 7.0;
  }
  exchange.finish();
  return right;
}

}  // namespace

TEST_CASE("a neighbor exchange for more than there is, is refused on all ranks") {
  const Context world({.timeout = wait_timeout});
  for (const std::size_t size : sizes) {
    CAPTURE(size);
    const auto pattern = NeighborPattern::from_peers(world, everybody(world, size));
    for_each_method(world, [&](const std::string& method) {
      const std::string text = refusal([&] {
        const NeighborExchange<double> exchange(world, pattern, {.method = method, .name = "halo"});
      });
      check_refused_alike(world, text, "halo");
    });
  }
  // One pair of many: ranks with small buffers must get the error, too.
  std::vector<NeighborPattern::Peer> peers = everybody(world, 2);
  const std::size_t last = peers.size() - 1;
  if (world.rank() == 0) peers[last].send_capacity = sizes[0];
  if (world.rank() == static_cast<int>(last)) peers[0].receive_capacity = sizes[0];
  if (last == 0) peers[0].receive_capacity = sizes[0];
  const auto pattern = NeighborPattern::from_peers(world, peers);
  for_each_method(world, [&](const std::string& method) {
    const std::string text = refusal([&] {
      const NeighborExchange<double> exchange(world, pattern, {.method = method, .name = "halo"});
    });
    check_refused_alike(world, text, "halo");
  });
}

TEST_CASE("reserving more than there is leaves the exchange as it was") {
  const Context world({.timeout = wait_timeout});
  const auto pattern = NeighborPattern::from_peers(world, everybody(world, 2));
  for_each_method(world, [&](const std::string& method) {
    NeighborExchange<double> exchange(world, pattern, {.method = method, .name = "halo"});
    CHECK(round_works(exchange));
    for (const std::size_t size : sizes) {
      std::vector<std::size_t> wanted(exchange.peers().size(), 0);
      if (world.rank() == 0) wanted.back() = size;
      check_refused_alike(world, refusal([&] { exchange.reserve(wanted); }), "halo");
      CHECK(exchange.peers().back().send_capacity == 2);
      CHECK(round_works(exchange));
    }
  });
}

TEST_CASE("a region of more than there is, is refused on all ranks") {
  const Context world({.timeout = wait_timeout});
  std::vector<int> peers;
  for (int rank = 0; rank < world.size(); ++rank) peers.push_back(rank);
  for (const auto& transport : world.transports()) {
    if (!transport.available || transport.name == "two_sided" || transport.name == "rma") continue;
    if (transport.name == "shm" && world.node_count() > 1) continue;
    const RegionOptions options{std::string(transport.name), "table"};
    CAPTURE(options.transport);
    for (const std::size_t size : sizes) {
      const std::size_t mine = world.rank() == 0 ? size : 10;
      const std::string text =
          refusal([&] { const Region<double> region(world, mine, peers, options); });
      check_refused_alike(world, text, "table");
    }
    Region<double> region(world, 10, peers, options);
    const std::vector<double> items(3, 1.0);
    for (const std::size_t at : {std::size_t{8}, sizes[1], sizes[2]}) {
      CHECK_THROWS_WITH_AS(region.put(0, at, items), doctest::Contains("whose part has 80"), Error);
    }
  }
}

TEST_CASE("messages: buffers, rows and channels of more than there is") {
  const Context world({.timeout = wait_timeout});
  for (const auto& transport : world.transports()) {
    if (!transport.available || transport.name == "rma" || transport.name == "ofi") continue;
    if (transport.name == "shm" && world.node_count() > 1) continue;
    CAPTURE(std::string(transport.name));
    Messenger messenger(world, {.transport = std::string(transport.name)});
    ChannelOptions options;
    for (const std::size_t size : {sizes[0], sizes[1], sizes[2], std::size_t{1} << 60}) {
      CAPTURE(size);
      ++options.key;
      CHECK(contains(refusal([&] { messenger.buffer<double>(size); }), "are wanted"));
      const int right = (world.rank() + 1) % world.size();
      CHECK(
          contains(refusal([&] { const Channel<double> channel(messenger, right, size, options); }),
                   "are wanted"));
      if (world.size() > 2) continue;
      // The setup message of the channel that failed is gone: one under the same key works.
      Channel<double> channel(messenger, right, 4, options);
      const std::vector<double> items{1.0, 2.0};
      channel.send(items);
      CHECK(channel.wait()[1] == 2.0);
      channel.release();
      channel.wait_sent();
      CHECK_THROWS_AS(channel.commit(sizes[1]), Error);
    }
    CHECK(messenger.buffer<double>(100).size() == 100);
    messenger.finish();
  }
  BulkExchange<double> rows(world);
  for (const std::size_t size : sizes) {
    CHECK(contains(refusal([&] { rows.row(0, size); }), "are wanted"));
  }
  rows.row(0, 3);
  CHECK(rows.exchange().size() == (world.rank() == 0 ? world.size() : 0));
}

TEST_CASE("a sparse exchange of more items than can be counted in bytes is refused") {
  const Context world({.timeout = wait_timeout});
  for (const MethodInfo& method : sparse_methods()) {
    if (!why_sparse_method_unavailable(world, method.name).empty()) continue;
    if (method.traits.needs_possible_sources) continue;
    CAPTURE(std::string(method.name));
    SparseExchangeBytes exchange(world, 8, {std::string(method.name), "particles", {}});
    const int everywhere[] = {0};
    const std::size_t offsets[] = {0, sizes[1]};
    const std::byte item[8]{};
    CHECK_THROWS_WITH_AS(exchange.exchange(everywhere, offsets, item),
                         doctest::Contains("which no memory has"), Error);
    const std::size_t small[] = {0, 1};
    exchange.exchange(everywhere, small, item);
    CHECK(exchange.sources().size() ==
          (world.rank() == 0 ? static_cast<std::size_t>(world.size()) : 0));
  }
}

namespace {

/// A limit of this process, as long as it lives.
class Limit {
 public:
  Limit(decltype(RLIMIT_FSIZE) which, rlim_t value) : which_(which) {
    ::getrlimit(which, &before_);
    rlimit limit = before_;
    limit.rlim_cur = value;
    ::setrlimit(which, &limit);
  }
  ~Limit() { ::setrlimit(which_, &before_); }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;

 private:
  decltype(RLIMIT_FSIZE) which_;
  rlimit before_{};
};

}  // namespace

TEST_CASE("a file longer than ulimit -f, for which the kernel ends programs, is refused") {
  const Context world({.timeout = wait_timeout});
  std::string text;
  {
    Messenger messenger(world, {.name = "calls", .transport = "shm"});
    const Limit limit(RLIMIT_FSIZE, rlim_t{1} << 20U);
    text = refusal([&] { messenger.buffer<double>(1 << 20); });
  }
  CAPTURE(text);
  CHECK(contains(text, "messages: 8.0 MiB"));
  CHECK(contains(text, "only 1.0 MiB are free (ulimit -f)"));
}
