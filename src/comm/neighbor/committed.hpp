#pragma once

#include <cstddef>

namespace sterna::comm {

/// The items of a link that the caller has committed, for methods that may put them later.
struct Committed {
  std::size_t count = 0;
  bool waiting = false;  ///< true if they were not put yet

  /// Returns the number of items that are to be put now.
  std::size_t take() {
    waiting = false;
    return count;
  }
};

/// True if this many bytes leave as soon as they are committed, while the caller fills other
/// outboxes. Smaller messages leave together at the start: MPI copies them, and right after the
/// stores that filled the outbox each load of the copy would wait until the store buffer is empty.
constexpr bool leaves_at_once(std::size_t bytes) {
  return bytes >= 4096;
}

}  // namespace sterna::comm
