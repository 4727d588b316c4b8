#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "sterna/comm/item_bytes.hpp"

namespace sterna::comm {

/// Before the items of a buffer lie its notice and then their count, 8 bytes each: one put carries
/// count and items, and who sees the notice has the line of the count and the first items.
constexpr std::size_t count_bytes = sizeof(std::uint64_t);
constexpr std::size_t notice_bytes = count_bytes + sizeof(std::uint64_t);

/// Two cache lines, where each buffer begins: processors fetch them in pairs.
constexpr std::size_t buffer_alignment = 128;

/// From the beginning of a buffer to its items: those of 32 or 64 bytes may have to lie so.
constexpr std::size_t header_bytes(std::size_t item_size) {
  return item_size % 64 == 0 ? 64 : item_size % 32 == 0 ? 32 : notice_bytes;
}

/// The size of a buffer for so many items, or `too_many_bytes`.
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

/// A count and the `bytes` of items behind it, by where the items are.
inline std::span<std::byte> with_count(std::byte* items, std::size_t bytes) {
  return {items - count_bytes, count_bytes + bytes};
}

/// Addresses of the items of a link, in even and in odd rounds. The count of items that arrived
/// lies before them.
struct LinkBuffers {
  std::array<std::byte*, 2> outbox{};
  std::array<std::byte*, 2> inbox{};
};

}  // namespace sterna::comm
