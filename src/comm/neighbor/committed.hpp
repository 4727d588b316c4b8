#pragma once

#include <cstddef>

namespace sterna::comm {

/// Items of a link that the caller has committed, for methods that may put them later.
struct Committed {
  std::size_t count = 0;
  bool waiting = false;  ///< not put yet

  /// How many are to be put, now.
  std::size_t take() {
    waiting = false;
    return count;
  }
};

/// Whether so many bytes are to leave as soon as they are committed, beside the work on those for
/// other peers. Fewer leave together at the start: MPI copies them, and right behind the stores that
/// filled the outbox each load of the copy waits until these have left the store buffer.
constexpr bool leaves_at_once(std::size_t bytes) {
  return bytes >= 4096;
}

}  // namespace sterna::comm
