#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "sterna/comm/item_bytes.hpp"

namespace sterna::comm {

/// The notice and the count of a buffer are right before its items, 8 bytes each. So one put
/// carries count and items, and a rank that sees the notice has the cache line of the count and the
/// first items.
constexpr std::size_t count_bytes = sizeof(std::uint64_t);
constexpr std::size_t notice_bytes = count_bytes + sizeof(std::uint64_t);

/// The alignment of buffers is two cache lines, because processors fetch them in pairs.
constexpr std::size_t buffer_alignment = 128;

/// The offset of the items in a buffer; items of 32 or 64 bytes may need this alignment.
constexpr std::size_t header_bytes(std::size_t item_size) {
  return item_size % 64 == 0 ? 64 : item_size % 32 == 0 ? 32 : notice_bytes;
}

/// Returns the size of a buffer for this many items, or `too_many_bytes`.
constexpr std::size_t buffer_bytes(std::size_t items, std::size_t item_size) {
  return padded_bytes(sum_of_bytes(header_bytes(item_size), item_bytes(items, item_size)),
                      buffer_alignment);
}

inline std::uint64_t count_before(const std::byte* items) {
  std::uint64_t count = 0;
  std::memcpy(&count, items - count_bytes, sizeof count);
  return count;
}

inline void set_count_before(std::byte* items, std::uint64_t count) {
  std::memcpy(items - count_bytes, &count, sizeof count);
}

/// Returns the bytes of a count and of the `bytes` of items behind it, from the address of the
/// items.
inline std::span<std::byte> with_count(std::byte* items, std::size_t bytes) {
  return {items - count_bytes, count_bytes + bytes};
}

/// The addresses of a link's items in even and in odd rounds. The count of items that arrived is
/// right before them.
struct LinkBuffers {
  std::array<std::byte*, 2> outbox{};
  std::array<std::byte*, 2> inbox{};
};

}  // namespace sterna::comm
