#pragma once

#include <cstddef>
#include <limits>

namespace sterna::comm {

inline std::size_t largest_count_now = std::numeric_limits<int>::max();

/// The largest count given to an MPI call. INT_MAX, unless a test lowers it (to the same on all
/// ranks) so that a few bytes take the paths of 2^31.
inline std::size_t largest_count() {
  return largest_count_now;
}
inline void set_largest_count(std::size_t count) {
  largest_count_now = count;
}

}  // namespace sterna::comm
