#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sterna::comm {

/// Ranks that are known to delay others.
struct LateRanks {
  std::vector<int> ranks;
  std::string reasons;  ///< text such as "; rank 3 (process 4711) is stopped", for each of them

  void add(int rank, std::string_view reason);
};

/// Returns the names of the awaited ranks: "rank 3", "ranks 3, 5", or "the other ranks" if none is
/// named.
std::string name_ranks(const std::vector<int>& ranks);

/// Returns "; the timeout of 300 s has passed", with the state of the late ranks. `named` is true
/// if the wait is for certain ranks.
std::string timeout_passed(double seconds, const LateRanks& late, bool named);

}  // namespace sterna::comm
