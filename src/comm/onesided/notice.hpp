#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sterna::comm {

/// A notice is a word in a window that one peer writes and that only rises. The cores of a node
/// fetch cache lines in pairs: notices of different peers lie so far apart.
constexpr std::size_t notice_stride = 128;

/// What the notice at `word` of this rank's window says; all that its writer put before is there.
inline std::uint64_t read_notice(const std::byte* word) {
  return std::atomic_ref(
             *reinterpret_cast<std::uint64_t*>(const_cast<std::byte*>(word)))  // no write happens
      .load(std::memory_order_acquire);
}

}  // namespace sterna::comm
