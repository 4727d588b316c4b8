#pragma once

#include <cstddef>
#include <limits>

namespace sterna::comm {

/// The size that stands for any overflow of std::size_t. It exceeds every memory, so that checks of
/// sizes refuse it as too large.
inline constexpr std::size_t too_many_bytes = std::numeric_limits<std::size_t>::max();

/// Returns the bytes of `count` items of `item_size` bytes, or `too_many_bytes`.
constexpr std::size_t item_bytes(std::size_t count, std::size_t item_size) {
  return item_size != 0 && count > too_many_bytes / item_size ? too_many_bytes : count * item_size;
}

/// Returns the sum, or `too_many_bytes`.
constexpr std::size_t sum_of_bytes(std::size_t a, std::size_t b) {
  return a > too_many_bytes - b ? too_many_bytes : a + b;
}

/// Rounds `bytes` up to a multiple of `unit`, a power of two, or returns `too_many_bytes`.
constexpr std::size_t padded_bytes(std::size_t bytes, std::size_t unit) {
  const std::size_t padded = sum_of_bytes(bytes, unit - 1);
  return padded == too_many_bytes ? too_many_bytes : padded / unit * unit;
}

}  // namespace sterna::comm
