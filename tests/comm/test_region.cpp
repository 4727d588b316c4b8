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
    if (transport.name == "two_sided") continue;
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
  for_each_transport(world, [&](const std::string& transport) {
    // For each rank two blocks in turn, as the exchanges have them.
    Region<std::int64_t> region(world, 2 * block * static_cast<std::size_t>(world.size()), peers,
                                {.transport = transport});
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
  });
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
  });
}

TEST_CASE("wrong options and lists are errors on all ranks") {
  const Context world;
  CHECK_THROWS_WITH_AS(Region<double>(world, 1, {}, {.transport = "rmda"}),
                       doctest::Contains("did you mean \"rdma\"?"), Error);
  const std::vector<int> self{world.rank()};
  CHECK_THROWS_WITH_AS(Region<double>(world, 1, self), doctest::Contains("no peer of itself"),
                       Error);
  const std::vector<int> nobody{world.size()};
  CHECK_THROWS_WITH_AS(Region<double>(world, 1, nobody), doctest::Contains("is no rank"), Error);
}
