#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "sterna/comm/bulk_exchange.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/methods.hpp"

using namespace sterna::comm;

namespace {

struct Item {
  std::int32_t from, to;
  std::int64_t number;
};

/// Items from one rank to another: nothing, a few, or more than a packet holds.
std::size_t count_of(int from, int to, int round) {
  const int kind = (from + 3 * to + 5 * round) % 5;
  return kind < 2 ? 0 : kind == 2 ? 3 : static_cast<std::size_t>(20000 + 100 * from + to);
}

void check_rounds(const Context& world, const SparseOptions& options) {
  BulkExchange<Item> exchange(world, options);
  std::size_t bytes = 0;
  for (int round = 0; round < 12; ++round) {
    for (int to = world.size() - 1; to >= 0; --to) {
      const std::size_t count = count_of(world.rank(), to, round);
      if (count == 0 && round % 2 == 0) continue;  // or an empty row: the same
      const std::span<Item> row = exchange.row(to, count);
      CHECK(row.size() == count);
      for (std::size_t i = 0; i < count; ++i) {
        row[i] = {world.rank(), to, round * 1000000 + static_cast<std::int64_t>(i)};
      }
      bytes += row.size_bytes();
    }
    int previous = -1;
    std::size_t rows = 0;
    std::size_t wrong = 0;
    for (const auto& row : exchange.exchange()) {
      CHECK(row.source > previous);
      previous = row.source;
      ++rows;
      CHECK(row.items.size() == count_of(row.source, world.rank(), round));
      for (std::size_t i = 0; i < row.items.size(); ++i) {
        const Item& item = row.items[i];
        wrong += item.from != row.source || item.to != world.rank() ||
                         item.number != round * 1000000 + static_cast<std::int64_t>(i)
                     ? 1
                     : 0;
      }
    }
    CHECK(wrong == 0);
    std::size_t expected = 0;
    for (int from = 0; from < world.size(); ++from) {
      expected += count_of(from, world.rank(), round) > 0 ? 1 : 0;
    }
    CHECK(rows == expected);
    if (round % 3 == 0) exchange.release();
  }
  CHECK(exchange.verdict().bytes_sent == bytes);
  std::size_t by_rank = 0;
  for (const auto& sent : exchange.verdict().sent) {
    std::size_t items = 0, rounds = 0;
    for (int round = 0; round < 12; ++round) {
      const std::size_t count = count_of(world.rank(), sent.rank, round);
      items += count;
      rounds += count > 0 ? 1 : 0;
    }
    CHECK(sent.bytes == items * sizeof(Item));
    CHECK(sent.messages == rounds);
    by_rank += sent.bytes;
  }
  CHECK(by_rank == bytes);
  CHECK(exchange.verdict().rounds == 12);
}

}  // namespace

TEST_CASE("rows arrive whole and in order, whichever method tells of them") {
  const Context world;
  std::vector<int> others(static_cast<std::size_t>(world.size()));
  std::iota(others.begin(), others.end(), 0);
  others.erase(others.begin() + world.rank());
  check_rounds(world, {.method = "auto", .name = "bulk", .possible_sources = {}});
  for (const MethodInfo& method : sparse_methods()) {
    CAPTURE(method.name);
    const std::string why_not = why_sparse_method_unavailable(world, method.name);
    if (!why_not.empty()) {
      MESSAGE("left out " << method.name << ": " << why_not);
      continue;
    }
    check_rounds(world,
                 {.method = std::string(method.name), .name = "bulk", .possible_sources = others});
  }
}

TEST_CASE("two exchanges at once do not take each other's rows") {
  const Context world;
  BulkExchange<Item> first(world, {.method = "nbx", .name = "first", .possible_sources = {}});
  BulkExchange<Item> second(world, {.method = "nbx", .name = "second", .possible_sources = {}});
  const int right = (world.rank() + 1) % world.size();
  first.row(right, 1)[0] = {1, 1, 1};
  second.row(right, 1)[0] = {2, 2, 2};
  CHECK(second.exchange()[0].items[0].from == 2);
  CHECK(first.exchange()[0].items[0].from == 1);
}

TEST_CASE("rows that cannot be are refused") {
  const Context world;
  BulkExchange<Item> exchange(world, {.method = "nbx", .name = "bulk", .possible_sources = {}});
  exchange.row(world.rank(), 2)[1] = {0, 0, 0};
  CHECK_THROWS_WITH_AS(exchange.row(world.rank(), 2), doctest::Contains("has a row already"),
                       Error);
  CHECK_THROWS_WITH_AS(exchange.row(world.size(), 2), doctest::Contains("there is no rank"), Error);
  CHECK_THROWS_WITH_AS(exchange.row(-1, 2), doctest::Contains("there is no rank"), Error);
  CHECK(exchange.exchange().size() == 1);
}
