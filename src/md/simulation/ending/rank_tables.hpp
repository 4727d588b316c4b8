#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "md/core/json.hpp"
#include "md/domain/decomposition.hpp"
#include "sterna/comm/methods.hpp"

namespace sterna::md {

/// The measurements of one rank at the end of a run.
struct RankAccount {
  std::vector<double> seconds;      ///< of each part; the sum is the whole time
  std::vector<bool> communication;  ///< by part: is it communication or waiting
  double particles = 0.0, ghosts = 0.0;
  std::vector<comm::SentToRank> sent;  ///< bytes and messages by destination, ascending
};

/// With at most this many ranks, the table of times shows all of them.
constexpr std::size_t most_ranks_of_times = 64;
/// With at most this many ranks, the log has the matrix of traffic between ranks.
constexpr std::size_t most_ranks_of_traffic = 256;

/// The ranks that the table of times shows, ascending. If there are too many ranks, it shows some
/// at even distances in the order of computing time, from the fastest to the slowest. The rest of
/// the table are the ranks with the least and the most of each part of the time, longest parts
/// first.
std::vector<std::size_t> shown_ranks(std::span<const RankAccount> accounts);

/// The table of times for the log. "rank" lists the ranks that it shows; "seconds" has a list for
/// each part with an entry for each of these ranks, as have "particles", "ghosts", "bytes_sent" and
/// "messages_sent". Parts of less than a microsecond are left out.
Json times_by_rank(std::span<const RankAccount> accounts, std::span<const std::string> names);

/// The matrix of traffic between ranks for the log: four lists of equal length, "from", "to",
/// "bytes" and "messages", with an entry for each pair that exchanged a message. Null if there is
/// one rank or too many.
Json traffic_between_ranks(std::span<const RankAccount> accounts);

/// The regions of all ranks for the log, as fractions of the edges of the box: [[lower x, y, z],
/// [upper x, y, z]] for each. Null if there are more ranks than the matrix shows.
Json regions_of_ranks(const Decomposition& decomposition);

}  // namespace sterna::md
