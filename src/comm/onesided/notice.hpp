#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sterna::comm {

/// The distance between notices. A notice is a word in a window that one peer writes and that only
/// rises. The cores of a node fetch cache lines in pairs, so notices of different peers are that
/// far apart.
constexpr std::size_t notice_stride = 128;

/// Reads the notice at `word` of this rank's window; all earlier puts of its writer have then
/// arrived.
inline std::uint64_t read_notice(const std::byte* word) {
  return std::atomic_ref(
             // atomic_ref needs a non-const word, but nothing is written
             *reinterpret_cast<std::uint64_t*>(const_cast<std::byte*>(word)))
      .load(std::memory_order_acquire);
}

}  // namespace sterna::comm
