#include "md/simulation/ending/rank_tables.hpp"
#include "md/core/json.hpp"
#include "md/core/sort_by.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

namespace sterna::md {

namespace {

constexpr double least_shown = 1e-6;  // s
/// The number of shown ranks that are chosen at even distances in the order of computing time.
constexpr std::size_t even_places = most_ranks_of_times / 2;

double computing(const RankAccount& account) {
  double sum = 0.0;
  for (std::size_t k = 0; k < account.seconds.size(); ++k) {
    if (!account.communication[k]) sum += account.seconds[k];
  }
  return sum;
}

/// Rounds to microseconds, because further digits would make the log several times as long.
double rounded(double seconds) {
  return std::round(seconds * 1e6) * 1e-6;
}

}  // namespace

std::vector<std::size_t> shown_ranks(std::span<const RankAccount> accounts) {
  std::vector<std::size_t> order(accounts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (accounts.size() <= most_ranks_of_times) return order;
  std::vector<double> times;
  for (const RankAccount& account : accounts) times.push_back(computing(account));
  sort_by(order, [&](std::size_t rank) { return times[rank]; });
  std::set<std::size_t> shown;
  for (std::size_t k = 0; k < even_places; ++k) {
    shown.insert(order[k * (order.size() - 1) / (even_places - 1)]);
  }
  struct Extremes {
    std::size_t least, most;
    double seconds;
  };
  std::vector<Extremes> parts;
  for (std::size_t part = 0; part < accounts.front().seconds.size(); ++part) {
    const auto seconds = [&](const RankAccount& account) { return account.seconds[part]; };
    const auto [least, most] = std::ranges::minmax_element(accounts, {}, seconds);
    parts.push_back({static_cast<std::size_t>(least - accounts.begin()),
                     static_cast<std::size_t>(most - accounts.begin()), seconds(*most)});
  }
  sort_by(parts, [](const Extremes& part) { return -part.seconds; });
  for (const Extremes& part : parts) {
    if (shown.size() + 2 > most_ranks_of_times) break;
    shown.insert({part.least, part.most});
  }
  return {shown.begin(), shown.end()};
}

Json times_by_rank(std::span<const RankAccount> accounts, std::span<const std::string> names) {
  Json table;
  const std::vector<std::size_t> shown = shown_ranks(accounts);
  table["rank"] = shown;
  table["seconds"] = Json::object();
  for (std::size_t part = 0; part < names.size(); ++part) {
    std::vector<double> seconds;
    for (const std::size_t rank : shown) seconds.push_back(rounded(accounts[rank].seconds[part]));
    if (std::ranges::max(seconds) >= least_shown) table["seconds"][names[part]] = seconds;
  }
  for (const std::size_t rank : shown) {
    const RankAccount& account = accounts[rank];
    std::size_t bytes = 0, messages = 0;
    for (const comm::SentToRank& sent : account.sent) {
      bytes += sent.bytes;
      messages += sent.messages;
    }
    table["particles"].push_back(static_cast<std::int64_t>(account.particles));
    table["ghosts"].push_back(static_cast<std::int64_t>(account.ghosts));
    table["bytes_sent"].push_back(bytes);
    table["messages_sent"].push_back(messages);
  }
  return table;
}

Json traffic_between_ranks(std::span<const RankAccount> accounts) {
  if (accounts.size() == 1 || accounts.size() > most_ranks_of_traffic) return nullptr;
  Json matrix;
  for (const char* name : {"from", "to", "bytes", "messages"}) {
    matrix[name] = Json::array();
  }
  for (std::size_t rank = 0; rank < accounts.size(); ++rank) {
    for (const comm::SentToRank& sent : accounts[rank].sent) {
      matrix["from"].push_back(rank);
      matrix["to"].push_back(sent.rank);
      matrix["bytes"].push_back(sent.bytes);
      matrix["messages"].push_back(sent.messages);
    }
  }
  return matrix;
}

Json regions_of_ranks(const Decomposition& decomposition) {
  const int count = decomposition.rank_count();
  if (std::cmp_greater(count, most_ranks_of_traffic)) return nullptr;
  const Vec3 length = decomposition.box().length;
  const auto fractions = [&](const Vec3& corner) {
    return std::array{corner.x / length.x, corner.y / length.y, corner.z / length.z};
  };
  Json regions = Json::array();
  for (int rank = 0; rank < count; ++rank) {
    const Region region = decomposition.region(rank);
    regions.push_back({fractions(region.lower), fractions(region.upper)});
  }
  return regions;
}

}  // namespace sterna::md
