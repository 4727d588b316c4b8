#pragma once

#include <cstddef>
#include <vector>

namespace sterna::bench {

/// What a rank sends in a round of a sparse exchange: items [offsets[k], offsets[k + 1]) to
/// destinations[k].
struct Departure {
  std::vector<int> destinations;
  std::vector<std::size_t> offsets{0};
};

}  // namespace sterna::bench
