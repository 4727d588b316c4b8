#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "comm/neighbor/inboxes.hpp"
#include "comm/neighbor/link.hpp"

namespace sterna::comm {

/// The memory that one-sided methods put from: for each link its items, with their count right
/// before them, as the inbox of the peer has it; and a word for the notice.
class Outboxes {
 public:
  Outboxes(std::span<const Link> links, std::size_t item_size) : item_size_(item_size) {
    for (const Link& link : links) {
      offsets_.push_back(bytes_ + line);
      bytes_ += line + (link.send_items * item_size + line - 1) / line * line;
    }
  }

  std::size_t bytes() const { return bytes_; }
  void use(std::byte* memory) { memory_ = memory; }
  std::byte* items(std::size_t link) const { return memory_ + offsets_[link]; }
  /// The count and then the items: what is to be put.
  std::span<std::byte> message(std::size_t link, std::size_t count) const {
    std::byte* const begin = items(link) - count_bytes;
    const std::uint64_t header = count;
    std::memcpy(begin, &header, sizeof header);
    return {begin, count_bytes + count * item_size_};
  }
  std::uint64_t& notice() const { return *reinterpret_cast<std::uint64_t*>(memory_); }

 private:
  static constexpr std::size_t line = 128;
  std::size_t item_size_;
  std::size_t bytes_ = line;  ///< the notice lies first
  std::vector<std::size_t> offsets_;
  std::byte* memory_ = nullptr;
};

}  // namespace sterna::comm
