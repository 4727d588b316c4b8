// What the log says of each rank, and of each pair of ranks.

#include "md/simulation/ending/rank_tables.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "md/domain/regular_grid.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

const std::vector<std::string> names{"pair forces", "halo exchange", "pair list", "output"};

/// So many ranks that compute ever longer, in an order that is not that of their numbers.
std::vector<RankAccount> accounts_of(std::size_t count) {
  std::vector<RankAccount> accounts;
  for (std::size_t rank = 0; rank < count; ++rank) {
    const double place = static_cast<double>(rank * 7919 % count) / static_cast<double>(count);
    RankAccount account;
    account.seconds = {2.0 + place, 3.0 - place, 0.25, 4e-7};
    account.communication = {false, true, false, false};
    account.particles = 1000.0 + static_cast<double>(rank);
    account.ghosts = 400.0;
    const auto next = static_cast<int>((rank + 1) % count);
    account.sent = {{next, 800 * (rank + 1), 20}};
    accounts.push_back(account);
  }
  return accounts;
}

}  // namespace

TEST_CASE("few ranks are all in the table, with their numbers") {
  const auto accounts = accounts_of(8);
  const auto table = times_by_rank(accounts, names);
  CHECK(table["rank"] == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
  for (std::size_t rank = 0; rank < 8; ++rank) {
    double sum = 0.0;
    for (const auto& [name, seconds] : table["seconds"].items()) sum += seconds[rank].get<double>();
    CHECK(sum == doctest::Approx(5.25).epsilon(1e-6));
    CHECK(table["particles"][rank] == 1000 + rank);
    CHECK(table["bytes_sent"][rank] == 800 * (rank + 1));
    CHECK(table["messages_sent"][rank] == 20);
  }
  // Less than a microsecond on every rank.
  CHECK(!table["seconds"].contains("output"));
}

TEST_CASE("of many ranks the table has a bounded part with the extremes of each phase") {
  for (const std::size_t count : {65, 1000, 20000}) {
    CAPTURE(count);
    auto accounts = accounts_of(count);
    // The least and the most of a phase that hardly differs otherwise.
    accounts[17].seconds[2] = 0.3;
    accounts[43].seconds[2] = 0.2;
    const auto shown = shown_ranks(accounts);
    CHECK(shown.size() <= most_ranks_of_times);
    CHECK(shown.size() >= most_ranks_of_times / 2);
    CHECK(std::ranges::is_sorted(shown));
    CHECK(std::ranges::adjacent_find(shown) == shown.end());
    const auto has = [&](std::size_t rank) { return std::ranges::binary_search(shown, rank); };
    CHECK(has(17));
    CHECK(has(43));
    const auto computes = [](const RankAccount& a) { return a.seconds[0] + a.seconds[2]; };
    std::vector<double> all, some;
    for (const RankAccount& account : accounts) all.push_back(computes(account));
    for (const std::size_t rank : shown) some.push_back(all[rank]);
    std::ranges::sort(all);
    std::ranges::sort(some);
    CHECK(some.front() == all.front());
    CHECK(some.back() == all.back());
    // The median is there, too: places are even.
    CHECK(some[some.size() / 2] == doctest::Approx(all[count / 2]).epsilon(0.05));
  }
}

TEST_CASE("the matrix has the pairs that sent, and nothing where ranks are too many or one") {
  const auto matrix = traffic_between_ranks(accounts_of(5));
  CHECK(matrix["from"] == std::vector<int>{0, 1, 2, 3, 4});
  CHECK(matrix["to"] == std::vector<int>{1, 2, 3, 4, 0});
  CHECK(matrix["bytes"] == std::vector<int>{800, 1600, 2400, 3200, 4000});
  CHECK(matrix["messages"] == std::vector<int>{20, 20, 20, 20, 20});
  CHECK(traffic_between_ranks(accounts_of(1)).is_null());
  CHECK(!traffic_between_ranks(accounts_of(most_ranks_of_traffic)).is_null());
  CHECK(traffic_between_ranks(accounts_of(most_ranks_of_traffic + 1)).is_null());
}

TEST_CASE("regions are fractions of the box, which they fill") {
  const RegularGrid grid({{4.0, 6.0, 10.0}, {1.0, 0.0, 0.5}}, 6);
  const auto regions = regions_of_ranks(grid);
  REQUIRE(regions.size() == 6);
  double volume = 0.0;
  for (const auto& region : regions) {
    double part = 1.0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      part *= region[1][axis].get<double>() - region[0][axis].get<double>();
    }
    volume += part;
  }
  CHECK(volume == doctest::Approx(1.0).epsilon(1e-12));
}

TEST_CASE("what several exchanges sent is added by rank") {
  std::vector<comm::SentToRank> sum;
  comm::add_sent(sum, std::vector<comm::SentToRank>{{3, 10, 1}, {7, 20, 2}});
  comm::add_sent(sum, std::vector<comm::SentToRank>{{0, 5, 1}, {7, 1, 1}, {9, 4, 4}});
  REQUIRE(sum.size() == 4);
  const int ranks[] = {0, 3, 7, 9};
  const std::size_t bytes[] = {5, 10, 21, 4}, messages[] = {1, 1, 3, 4};
  for (std::size_t k = 0; k < 4; ++k) {
    CHECK(sum[k].rank == ranks[k]);
    CHECK(sum[k].bytes == bytes[k]);
    CHECK(sum[k].messages == messages[k]);
  }
}
