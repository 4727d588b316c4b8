#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "md/core/json.hpp"
#include "md/domain/decomposition.hpp"
#include "sterna/comm/methods.hpp"

namespace sterna::md {

/// What a rank tells of itself at the end of a run.
struct RankAccount {
  std::vector<double> seconds;      ///< of each part of its time, which add up to the whole
  std::vector<bool> communication;  ///< whether a part is communication or waiting
  double particles = 0.0, ghosts = 0.0;
  std::vector<comm::SentToRank> sent;  ///< by destination, ascending, of all exchanges
};

/// Up to this many ranks each has a place in the table of times,
constexpr std::size_t most_ranks_of_times = 64;
/// and up to this many a row and a column in the matrix of who sent how much to whom.
constexpr std::size_t most_ranks_of_traffic = 256;

/// Which ranks the table of times shows, ascending: all where they are few. Of more, those at even
/// places in the order of computing time, from the fastest to the slowest, and of each part of the
/// time the ranks with the least and the most of it, the longest parts first, as far as the
/// table is not full.
std::vector<std::size_t> shown_ranks(std::span<const RankAccount> accounts);

/// The table of times for the log: "rank" names the ranks that it shows, "seconds" has for each
/// name of a part a number for each of these, as have "particles", "ghosts", "bytes_sent" and
/// "messages_sent". Parts of less than a microsecond are left out.
Json times_by_rank(std::span<const RankAccount> accounts, std::span<const std::string> names);

/// The matrix of who sent how much to whom for the log: four lists of equal length, "from", "to",
/// "bytes" and "messages", of the pairs with a message. Null where there is one rank or too many.
Json traffic_between_ranks(std::span<const RankAccount> accounts);

/// The regions of all ranks for the log, as fractions of the edges of the box: [[lower x, y, z],
/// [upper x, y, z]] for each. Null where there are more than the matrix has.
Json regions_of_ranks(const Decomposition& decomposition);

}  // namespace sterna::md
