#pragma once

#include <cstddef>

namespace sterna::comm {

/// A pattern's peer as methods see it: another rank with which bytes move in at least one
/// direction.
struct Link {
  int rank;
  std::size_t send_items;     ///< capacity
  std::size_t receive_items;  ///< capacity
};

}  // namespace sterna::comm
