// What the one-sided transports promise: bytes arrive where they were put, gets read them, and
// concurrent additions lose nothing. The same body for each, so that their interfaces stay alike.

#include <doctest/doctest.h>
#include <mpi.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "comm/context/context_implementation.hpp"
#include "comm/context/waiter.hpp"
#include "comm/must_work.hpp"
#include "comm/onesided/barrier.hpp"
#include "comm/onesided/notice.hpp"
#include "comm/onesided/window.hpp"
#include "comm/transport/ofi/probe.hpp"
#include "comm/transport/ofi/transport.hpp"
#include "comm/transport/rdma/transport.hpp"
#include "comm/transport/rma/memory.hpp"
#include "comm/transport/rma/remote_memory.hpp"
#include "comm/transport/shm/transport.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/item_bytes.hpp"

using namespace sterna::comm;

namespace {

constexpr std::size_t words_per_rank = 64;

/// Whether the transport works here; a failure of the test where it has to and does not.
bool works(const Context& world, std::string_view transport) {
  std::string reason = "no such transport";
  for (const auto& row : world.transports()) {
    if (row.name != transport) continue;
    reason = row.available && transport == "ofi" ? ofi::why_unavailable() : row.reason;
  }
  if (reason.empty()) return true;
  const bool may_be_missing = !sterna::test::is_built(transport) || world.node_count() > 1;
  CHECK_MESSAGE(may_be_missing, transport << " has to work here: " << reason);
  MESSAGE(transport << " is left out: " << reason);
  return false;
}

/// A barrier in which this rank helps the others' transports, as any wait of the library does.
void helpful_barrier(const Context& world) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(world.implementation().communicator, &request);
  wait_for_request(world.implementation(), request, "test", "barrier", 0);
}

std::vector<int> all_ranks(const Context& world) {
  std::vector<int> ranks(static_cast<std::size_t>(world.size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

/// `peers[r]`: rank r's memory; `complete(peer)`: until all that was begun there has happened.
template <class Peer, class Complete>
void check_transport(const Context& world, std::byte* memory, std::vector<Peer>& peers,
                     Complete complete) {
  const auto size = static_cast<std::size_t>(world.size());
  const auto rank = static_cast<std::size_t>(world.rank());
  auto* const words = reinterpret_cast<std::uint64_t*>(memory);
  // Word 0 counts; each rank has a block of its own behind it.
  const auto block_of = [](std::size_t r) { return (1 + r * words_per_rank) * 8; };

  std::vector<std::uint64_t> mine(words_per_rank);
  for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = 1000 * rank + i;
  for (Peer& peer : peers) {
    peer.put(block_of(rank), reinterpret_cast<const std::byte*>(mine.data()), mine.size() * 8);
  }
  for (Peer& peer : peers) complete(peer);
  helpful_barrier(world);
  bool all_here = true;
  for (std::size_t r = 0; r < size; ++r) {
    for (std::size_t i = 0; i < words_per_rank; ++i) {
      all_here = all_here && words[1 + r * words_per_rank + i] == 1000 * r + i;
    }
  }
  CHECK(all_here);

  const std::size_t next = (rank + 1) % size;
  std::vector<std::uint64_t> theirs(words_per_rank);
  peers[next].get(block_of(rank), reinterpret_cast<std::byte*>(theirs.data()), theirs.size() * 8);
  complete(peers[next]);
  CHECK(theirs == mine);

  std::vector<std::uint64_t> seen;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const std::uint64_t value = 3;
    std::uint64_t before = 1;
    peers[0].fetch_add(0, value, before);
    complete(peers[0]);
    CHECK(before % 3 == 0);
    seen.push_back(before);
  }
  for (std::size_t i = 1; i < seen.size(); ++i) CHECK(seen[i] > seen[i - 1]);
  helpful_barrier(world);
  if (rank == 0) CHECK(words[0] == 300 * size);
  helpful_barrier(world);
}

std::size_t bytes_for(const Context& world) {
  return (1 + static_cast<std::size_t>(world.size()) * words_per_rank) * 8;
}

}  // namespace

TEST_CASE("rma: put, get and fetch_add") {
  const Context world;
  if (!works(world, "rma")) return;
  rma::Memory memory(world.implementation(), bytes_for(world));
  std::vector<rma::RemoteMemory> peers;
  for (const int rank : all_ranks(world)) peers.emplace_back(memory, rank);
  check_transport(world, memory.data(), peers, [](rma::RemoteMemory& peer) { peer.flush(); });
  // A notice follows its data where both are flushed in turn.
  const int next = (world.rank() + 1) % world.size();
  auto& peer = peers[static_cast<std::size_t>(next)];
  std::vector<std::uint64_t> block(words_per_rank - 1);
  auto* const words = reinterpret_cast<volatile std::uint64_t*>(memory.data()) + 1;
  bool in_order = true;
  for (std::uint64_t round = 1; round <= 100; ++round) {
    std::fill(block.begin(), block.end(), round + 100000);
    const std::uint64_t notice = round + 100000;
    peer.put(16, reinterpret_cast<const std::byte*>(block.data()), block.size() * 8);
    peer.flush();
    peer.notify(8, notice);
    peer.flush();
    Waiter(world.implementation())
        .wait(
            [&] {
              memory.synchronize();
              return words[0] == notice;
            },
            [&] {
              return Awaited{"test", "rma", round, {}};
            });
    for (std::size_t i = 1; i < words_per_rank; ++i) in_order = in_order && words[i] == notice;
    helpful_barrier(world);
  }
  CHECK(in_order);
}

template <class Transport>
void check_window(std::string_view transport) {
  const Context world;
  if (!works(world, transport)) return;
  const std::vector<int> ranks = all_ranks(world);
  Window<Transport, int> window(world.implementation(), "test", 1, bytes_for(world), ranks,
                                [&](std::byte* memory) {
                                  CHECK(memory != nullptr);
                                  return std::vector<int>(ranks.size(), 100 + world.rank());
                                });
  std::vector<typename Transport::RemoteMemory> peers;
  for (auto& remote : window.remotes()) {
    CHECK(remote.note == 100 + remote.rank);
    peers.push_back(std::move(remote.memory));
  }
  REQUIRE(peers.size() == ranks.size());
  check_transport(world, window.data(), peers, [&](auto& peer) {
    peer.flush();
    while (!peer.sent()) make_progress(world.implementation());
  });
}

TEST_CASE("rdma: put, get and fetch_add through a window") {
  check_window<rdma::Transport>("rdma");
}

TEST_CASE("ofi: put, get and fetch_add through a window") {
  check_window<ofi::Transport>("ofi");
}

TEST_CASE("shm: put, get and fetch_add through a window") {
  if (Context().node_count() == 1) check_window<shm::Transport>("shm");
}

TEST_CASE("ranks without memory of their own write into that of others") {
  const Context world;
  if (!works(world, "shm") || world.node_count() > 1) return;
  const bool first = world.rank() == 0;
  std::vector<int> partners = all_ranks(world);
  partners.erase(partners.begin());
  if (!first) partners = {0};
  Window<shm::Transport> window(world.implementation(), "test", 1,
                                first ? 8 * static_cast<std::size_t>(world.size()) : 0, partners,
                                [&](std::byte*) { return std::vector<NoNote>(partners.size()); });
  CHECK((window.memory() != nullptr) == first);
  CHECK(window.remotes().size() == (first ? 0 : 1));
  if (!first) {
    window.remotes().front().memory.notify(8 * static_cast<std::size_t>(world.rank()), 7);
  }
  helpful_barrier(world);
  for (int rank = 1; first && rank < world.size(); ++rank) {
    CHECK(read_notice(window.data() + 8 * rank) == 7);
  }
}

TEST_CASE("an error of one rank that connects is an error of all") {
  const Context world;
  const auto fail_on_last = [&](std::byte*) -> std::vector<NoNote> {
    if (world.rank() == world.size() - 1) throw Error("no memory of the test");
    return std::vector<NoNote>(static_cast<std::size_t>(world.size()));
  };
  CHECK_THROWS_WITH_AS(
      Window<shm::Transport>(world.implementation(), "test", 1, 64, all_ranks(world), fail_on_last),
      doctest::Contains("no memory of the test"), Error);
}

TEST_CASE_TEMPLATE("a barrier of puts: nobody leaves before all have entered, and flags are seen",
                   Transport, rdma::Transport, ofi::Transport) {
  const Context world;
  if (!works(world, std::is_same_v<Transport, ofi::Transport> ? "ofi" : "rdma")) return;
  Context::Implementation& context = world.implementation();
  PutBarrier<Transport> barrier(context, "test", 1, all_ranks(world));
  for (std::uint64_t round = 1; round <= 200; ++round) {
    const auto raises = static_cast<int>(round % 7);
    barrier.enter(round, world.rank() == raises);
    Waiter(context, Watched::memory)
        .wait(
            [&] {
              make_progress(context);
              return barrier.test();
            },
            [&] {
              return Awaited{"test", "barrier", round, {barrier.late_rank()}};
            });
    CHECK(barrier.flag() == (raises < world.size()));
  }
  helpful_barrier(world);
  while (!barrier.idle()) make_progress(context);
  helpful_barrier(world);
}

// The data are long and many beside the notice, so that it would overtake them if it could.
TEST_CASE("ofi: a notice behind a fence is seen only after all data before it") {
  const Context world;
  if (!works(world, "ofi")) return;
  Context::Implementation& context = world.implementation();
  const std::size_t lengths[] = {1, 7, 8, 200, 4096, 40'000, 1'000'000};
  std::size_t data = 0;
  for (const std::size_t length : lengths) data += padded_bytes(length, 64);
  const auto to = static_cast<std::size_t>((world.rank() + 1) % world.size());
  const int from = (world.rank() + world.size() - 1) % world.size();
  Window<ofi::Transport> window(
      context, "test", 1, notice_stride + data, all_ranks(world),
      [&](std::byte*) { return std::vector<NoNote>(static_cast<std::size_t>(world.size())); });
  ofi::RemoteMemory& peer = window.remotes()[to].memory;
  ofi::Memory registered(data);
  std::vector<std::byte> plain(data);
  bool in_order = true;
  std::uint64_t notice = 0;
  for (std::uint64_t round = 1; round <= 60; ++round) {
    const auto fill = static_cast<std::byte>(round);
    const bool from_registered = round % 2 == 0;
    std::byte* const source = from_registered ? registered.data() : plain.data();
    std::fill(source, source + data, fill);
    std::size_t offset = 0;
    for (const std::size_t length : lengths) {
      peer.put(notice_stride + offset, source + offset, length,
               from_registered ? &registered : nullptr);
      offset += padded_bytes(length, 64);
    }
    ofi::Transport::fence();
    // Each half of the word tells what it is.
    notice = round << 32 | round;
    peer.notify(0, notice);
    Waiter(context, Watched::memory)
        .wait(
            [&] {
              make_progress(context);
              return read_notice(window.data()) == notice;
            },
            [&] {
              return Awaited{"test", "ofi", round, {from}};
            });
    offset = 0;
    for (const std::size_t length : lengths) {
      for (std::size_t i : {std::size_t{0}, length / 2, length - 1}) {
        in_order = in_order && window.data()[notice_stride + offset + i] == fill;
      }
      offset += padded_bytes(length, 64);
    }
    while (!peer.sent()) make_progress(context);
    helpful_barrier(world);
  }
  CHECK(in_order);
}

TEST_CASE("ofi: ranks with different providers say so") {
  const Context world;
  if (!works(world, "ofi")) return;
  const std::size_t cut = ofi::Worker::instance().address().find('\0');
  const std::string elsewhere = "no_such_provider" + ofi::Worker::instance().address().substr(cut);
  CHECK_THROWS_WITH_AS(ofi::Worker::instance().peer(elsewhere),
                       doctest::Contains("a peer uses libfabric's provider no_such_provider"),
                       Error);
}
