#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sterna/comm/context.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/region.hpp"

using namespace sterna::comm;

namespace {

std::vector<int> everybody_else(const Context& world) {
  std::vector<int> ranks;
  for (int rank = 0; rank < world.size(); ++rank) {
    if (rank != world.rank()) ranks.push_back(rank);
  }
  return ranks;
}

template <class Body>
void for_each_transport(const Context& world, Body body) {
  for (const auto& transport : world.transports()) {
    if (transport.name == "two_sided" || transport.name == "rma") continue;
    if (!transport.available) {
      MESSAGE("skipped " << std::string(transport.name) << ": " << transport.reason);
      continue;
    }
    CAPTURE(std::string(transport.name));
    body(std::string(transport.name));
  }
}

}  // namespace

TEST_CASE("a notice is seen only after the data that were put before it") {
  const Context world;
  const std::vector<int> peers = everybody_else(world);
  constexpr std::size_t block = 50;
  const auto check = [&](const std::string& transport, bool own) {
    CAPTURE(own);
    // For each rank two blocks in turn, as the exchanges have them.
    const std::size_t count = 2 * block * static_cast<std::size_t>(world.size());
    std::vector<std::int64_t> memory(count);
    Region<std::int64_t> region =
        own ? Region<std::int64_t>(world, memory, peers, {.transport = transport})
            : Region<std::int64_t>(world, count, peers, {.transport = transport});
    CHECK(region.transport() == transport);
    std::vector<std::int64_t> source(block);
    std::int64_t faults = 0;
    for (std::int64_t round = 1; round <= 200; ++round) {
      const std::size_t half = static_cast<std::size_t>(round % 2) * block;
      for (std::size_t i = 0; i < block; ++i) {
        source[i] = 1000 * round + world.rank() * 10 + static_cast<std::int64_t>(i % 7);
      }
      for (const int peer : peers) {
        region.put(peer, 2 * block * static_cast<std::size_t>(world.rank()) + half, source);
        region.notify(peer);
      }
      for (const int peer : peers) {
        region.wait(peer, static_cast<std::uint64_t>(round));
        CHECK(region.notices(peer) >= static_cast<std::uint64_t>(round));
        const auto arrived =
            region.items().subspan(2 * block * static_cast<std::size_t>(peer) + half, block);
        for (std::size_t i = 0; i < block; ++i) {
          if (arrived[i] != 1000 * round + peer * 10 + static_cast<std::int64_t>(i % 7)) ++faults;
        }
      }
      region.flush();
    }
    CHECK(faults == 0);
  };
  for_each_transport(world, [&](const std::string& transport) {
    check(transport, false);
    if (transport != "shm") check(transport, true);  // memory of the caller's
  });
}

TEST_CASE("what a rank puts, gets and adds, at every peer and at itself") {
  const Context world;
  const auto size = static_cast<std::size_t>(world.size());
  const auto self = static_cast<std::size_t>(world.rank());
  std::vector<int> everybody = everybody_else(world);
  everybody.push_back(world.rank());
  // Own memory goes by a network only; where no rank has it, all transports serve.
  for (const bool own : {false, true}) {
    for_each_transport(world, [&](const std::string& transport) {
      if (own && transport == "shm") return;
      CAPTURE(own);
      std::vector<std::int64_t> memory(size + 1, -1);
      Region<std::int64_t> region =
          own ? Region<std::int64_t>(world, memory, everybody, {.transport = transport})
              : Region<std::int64_t>(world, size + 1, everybody, {.transport = transport});
      if (own) {
        CHECK(region.items().data() == memory.data());
        CHECK(memory.back() == -1);  // stays as it is
      }
      // Each rank has a word for each, and one that all add to.
      region.items()[size] = 0;
      for (const int peer : everybody) region.notify(peer);
      for (const int peer : everybody) region.wait(peer, 1);
      for (std::int64_t round = 1; round <= 20; ++round) {
        const std::int64_t mine = 100 * round + world.rank();
        for (const int peer : everybody) {
          region.put(peer, self, {&mine, 1});
          region.notify(peer);
        }
        for (const int peer : everybody) {
          region.wait(peer, static_cast<std::uint64_t>(2 * round));
          CHECK(region.items()[static_cast<std::size_t>(peer)] == 100 * round + peer);
        }
        std::vector<std::int64_t> theirs(size * size);
        for (const int peer : everybody) {
          region.get(peer, 0,
                     std::span(theirs).subspan(static_cast<std::size_t>(peer) * size, size));
        }
        region.flush();
        // The others may be a round ahead in what they have put elsewhere, but not here.
        for (const int peer : everybody) {
          CHECK(theirs[static_cast<std::size_t>(peer) * size + self] == mine);
        }
        for (const int peer : everybody) region.notify(peer);
        for (const int peer : everybody)
          region.wait(peer, static_cast<std::uint64_t>(2 * round + 1));
      }
      std::int64_t largest = -1;
      for (int i = 0; i < 50; ++i) {
        for (const int peer : everybody) {
          const std::int64_t before = region.fetch_add(peer, size, 3);
          CHECK(before % 3 == 0);
          if (peer == world.rank()) {
            CHECK(before > largest);
            largest = before;
          }
        }
      }
      region.flush();
      for (const int peer : everybody) region.notify(peer);
      for (const int peer : everybody) region.wait(peer, 42);
      CHECK(region.items()[size] == 150 * world.size());
      CHECK_THROWS_WITH_AS(region.fetch_add(world.rank(), size + 1, 1),
                           doctest::Contains("fetch_add of 8 bytes"), Error);
      if (own && world.size() > 1) {
        CHECK_THROWS_WITH_AS(Region<std::int64_t>(world, memory, everybody, {.transport = "shm"}),
                             doctest::Contains("memory that the caller has made"), Error);
      }
    });
  }
}

TEST_CASE("parts may differ in size, and puts outside of them are errors") {
  const Context world;
  const std::vector<int> peers = everybody_else(world);
  for_each_transport(world, [&](const std::string& transport) {
    Region<double> region(world, static_cast<std::size_t>(world.rank()), peers,
                          {.transport = transport, .name = "forces"});
    CHECK(region.items().size() == static_cast<std::size_t>(world.rank()));
    for (const double x : region.items()) CHECK(x == 0.0);
    for (const int peer : peers) {
      CHECK(region.size_at(peer) == static_cast<std::size_t>(peer));
      const std::vector<double> source(static_cast<std::size_t>(peer) + 1, 1.0);
      CHECK_THROWS_WITH_AS(region.put(peer, 0, source), doctest::Contains("forces: put of"), Error);
      region.put(peer, static_cast<std::size_t>(peer), {});
    }
    CHECK_THROWS_WITH_AS(region.notify(world.rank()), doctest::Contains("is no peer"), Error);
    CHECK_THROWS_WITH_AS(region.notify(-1), doctest::Contains("is no peer"), Error);
  });
}

TEST_CASE("wrong options and lists are errors on all ranks") {
  const Context world;
  CHECK_THROWS_WITH_AS(Region<double>(world, 1, {}, {.transport = "rmda"}),
                       doctest::Contains("did you mean \"rdma\"?"), Error);
  const std::vector<int> nobody{world.size()};
  CHECK_THROWS_WITH_AS(Region<double>(world, 1, nobody), doctest::Contains("is no rank"), Error);
}
