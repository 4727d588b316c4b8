#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sterna::comm {

/// Ranks of which it is known that others wait for them.
struct LateRanks {
  std::vector<int> ranks;
  std::string reasons;  ///< "; rank 3 (process 4711) is stopped" for each of them

  void add(int rank, std::string_view reason);
};

/// Whom a wait is for: "rank 3", "ranks 3, 5", or "the other ranks" where there is none.
std::string name_ranks(const std::vector<int>& ranks);

/// "; the timeout of 300 s has passed", and what is known of the ranks that are late. `named`: the
/// wait is for certain ranks.
std::string timeout_passed(double seconds, const LateRanks& late, bool named);

}  // namespace sterna::comm
