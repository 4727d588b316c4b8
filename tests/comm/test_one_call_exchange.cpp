#include <doctest/doctest.h>

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sterna/comm/context.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/exchange.hpp"

using namespace sterna::comm;

namespace {

struct Item {
  int from;
  int number;
  double value;
};

}  // namespace

TEST_CASE("each item arrives at its rank, in the order in which it was sent") {
  const Context world;
  const int n = world.size();
  for (int round = 0; round < 30; ++round) {
    // Item i goes to rank (rank + i * i + round) mod n; rank 0 sends nothing in every third round.
    const auto destination_of = [&](int rank, int i) { return (rank + i * i + round) % n; };
    const auto count_of = [&](int rank) { return rank == 0 && round % 3 == 0 ? 0 : 7 + rank; };
    std::vector<Item> send;
    std::vector<int> to;
    for (int i = 0; i < count_of(world.rank()); ++i) {
      send.push_back({world.rank(), i, 0.5 * i});
      to.push_back(destination_of(world.rank(), i));
    }
    const Received<Item> received = exchange(world, send, to);
    std::vector<std::pair<int, int>> expected;
    for (int rank = 0; rank < n; ++rank) {
      for (int i = 0; i < count_of(rank); ++i) {
        if (destination_of(rank, i) == world.rank()) expected.push_back({rank, i});
      }
    }
    REQUIRE(received.items().size() == expected.size());
    std::size_t place = 0;
    int before = -1;
    for (const auto& [source, items] : received) {
      REQUIRE(source > before);
      before = source;
      for (const Item& item : items) {
        REQUIRE(item.from == source);
        REQUIRE(std::pair(item.from, item.number) == expected[place++]);
        REQUIRE(item.value == 0.5 * item.number);
      }
    }
    REQUIRE(place == expected.size());
  }
}

TEST_CASE("rows of a map arrive as rows, and results outlive the next call") {
  const Context world;
  const int next = (world.rank() + 1) % world.size();
  const int previous = (world.rank() + world.size() - 1) % world.size();
  const auto ring = [&](int first) {
    return exchange(world, std::map<int, std::vector<int>>{{next, {first, world.rank()}}});
  };
  const Received<int> one = ring(100);
  const Received<int> two = ring(200);
  for (const auto& [received, first] : {std::pair(&one, 100), std::pair(&two, 200)}) {
    REQUIRE(received->size() == 1);
    CHECK((*received)[0].source == previous);
    CHECK(received->items() == std::vector<int>{first, previous});
  }
  CHECK(exchange(world, std::map<int, std::vector<int>>{}).empty());
}

TEST_CASE("wrong arguments are refused before anything is sent") {
  const Context world;
  const std::vector<double> send{1.0, 2.0};
  CHECK_THROWS_WITH_AS(exchange(world, send, std::vector<int>{0}),
                       "exchange: there are 2 items, but 1 destinations: each item needs one",
                       Error);
  const std::string beyond = std::to_string(world.size());
  CHECK_THROWS_WITH_AS(exchange(world, send, std::vector<int>{0, world.size()}),
                       ("exchange: destination " + beyond + " of item 1 is no rank; there are " +
                        "ranks 0 to " + std::to_string(world.size() - 1))
                           .c_str(),
                       Error);
  CHECK(exchange(world, send, std::vector<int>{world.rank(), world.rank()}).items() == send);
}

TEST_CASE("a context that ends takes its exchanges along") {
  for (int turn = 0; turn < 3; ++turn) {
    const Context world;
    const Context part = world.split(world.rank() % 2);
    CHECK(exchange(part, std::vector<char>{'a'}, std::vector<int>{0}).items().size() ==
          (part.rank() == 0 ? static_cast<std::size_t>(part.size()) : 0));
  }
}
