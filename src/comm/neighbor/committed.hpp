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

}  // namespace sterna::comm
