// What the one-sided transports promise: bytes arrive where they were put, gets read them, and
// concurrent additions lose nothing. The same body for each, so that their interfaces stay alike.

#include <doctest/doctest.h>
#include <mpi.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "comm/context/context_implementation.hpp"
#include "comm/context/handshake.hpp"
#include "comm/context/waiter.hpp"
#include "comm/transport/rdma/memory.hpp"
#include "comm/transport/rdma/peer.hpp"
#include "comm/transport/rma/memory.hpp"
#include "comm/transport/rma/peer.hpp"
#include "comm/transport/shm/memory.hpp"
#include "comm/transport/shm/peer.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/context.hpp"

using namespace sterna::comm;

namespace {

constexpr std::size_t words_per_rank = 64;

bool works(const Context& world, std::string_view transport) {
  for (const auto& row : world.transports()) {
    if (row.name != transport) continue;
    if (!row.available) MESSAGE("skipped: " << row.reason);
    return row.available;
  }
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
    if constexpr (requires { peers[0].fetch_add(std::size_t{0}, value, before); }) {
      peers[0].fetch_add(0, value, before);
    } else {
      before = peers[0].fetch_add(0, value);
    }
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

#ifdef STERNA_HAVE_RMA
TEST_CASE("rma: put, get and fetch_add") {
  const Context world;
  if (!works(world, "rma")) return;
  rma::Memory memory(world.implementation(), bytes_for(world));
  std::vector<rma::Peer> peers;
  for (const int rank : all_ranks(world)) peers.emplace_back(memory, rank);
  check_transport(world, memory.data(), peers, [](rma::Peer& peer) { peer.flush(); });
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
#endif

#ifdef STERNA_HAVE_UCX
TEST_CASE("rdma: put, get and fetch_add") {
  const Context world;
  if (!works(world, "rdma")) return;
  auto& worker = rdma::Worker::instance();
  rdma::Memory memory(bytes_for(world));
  std::vector<std::string> letters(static_cast<std::size_t>(world.size()), worker.address());
  const auto addresses =
      exchange_letters(world.implementation(), "test", 1, all_ranks(world), letters);
  std::fill(letters.begin(), letters.end(), memory.handle());
  const auto handles =
      exchange_letters(world.implementation(), "test", 1, all_ranks(world), letters);
  std::vector<rdma::Peer> peers;
  for (std::size_t r = 0; r < addresses.size(); ++r) peers.emplace_back(addresses[r], handles[r]);
  check_transport(world, memory.data(), peers, [&](rdma::Peer& peer) {
    peer.flush();
    while (!peer.arrived()) make_progress(world.implementation());
  });
}
#endif

#ifdef STERNA_HAVE_SHM
TEST_CASE("shm: put, get and fetch_add") {
  const Context world;
  if (!works(world, "shm") || world.node_count() > 1) return;
  shm::Memory memory(bytes_for(world));
  const std::string letter(reinterpret_cast<const char*>(&memory.handle()), sizeof(shm::Handle));
  const std::vector<std::string> letters(static_cast<std::size_t>(world.size()), letter);
  std::vector<shm::Peer> peers;
  for (const auto& other :
       exchange_letters(world.implementation(), "test", 1, all_ranks(world), letters)) {
    shm::Handle handle;
    std::memcpy(&handle, other.data(), sizeof handle);
    peers.emplace_back(handle);
  }
  check_transport(world, memory.data(), peers, [](shm::Peer&) {});
}
#endif
