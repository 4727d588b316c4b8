#pragma once

#include <cstddef>
#include <limits>

namespace sterna::comm {

inline std::size_t largest_count_now = std::numeric_limits<int>::max();

/// The largest count given to an MPI call. It is INT_MAX, unless a test lowers it (on all ranks
/// alike), so that a few bytes take the code paths of 2^31 bytes.
inline std::size_t largest_count() {
  return largest_count_now;
}
inline void set_largest_count(std::size_t count) {
  largest_count_now = count;
}

}  // namespace sterna::comm
