#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "comm/neighbor/inboxes.hpp"
#include "comm/neighbor/link.hpp"

namespace sterna::comm {

/// The memory from which one-sided methods put. Each link has its items, with their count right
/// before them, as in the inbox of the peer, and a word for the notice.
class Outboxes {
 public:
  Outboxes(std::span<const Link> links, std::size_t item_size) : item_size_(item_size) {
    for (const Link& link : links) {
      offsets_.push_back(bytes_ + header_bytes(item_size));
      bytes_ = sum_of_bytes(bytes_, buffer_bytes(link.send_items, item_size));
    }
  }

  /// The size of all outboxes, or `too_many_bytes`.
  std::size_t bytes() const { return bytes_; }
  std::size_t link_count() const { return offsets_.size(); }
  void use(std::byte* memory) { memory_ = memory; }
  std::byte* items(std::size_t link) const { return memory_ + offsets_[link]; }
  std::size_t bytes_of(std::size_t count) const { return count * item_size_; }
  /// The bytes to put: the count and then the items.
  std::span<std::byte> message(std::size_t link, std::size_t count) const {
    std::byte* const begin = items(link);
    // The count is written only if it has changed, because a store right before the copy would
    // delay the copy.
    if (count_before(begin) != count) set_count_before(begin, count);
    return with_count(begin, bytes_of(count));
  }
  std::uint64_t& notice() const { return *reinterpret_cast<std::uint64_t*>(memory_); }

 private:
  std::size_t item_size_;
  std::size_t bytes_ = buffer_alignment;  ///< the notice comes first
  std::vector<std::size_t> offsets_;
  std::byte* memory_ = nullptr;
};

inline std::vector<LinkBuffers> make_link_buffers(const Outboxes& outboxes,
                                                  const Inboxes& inboxes) {
  std::vector<LinkBuffers> buffers;
  for (std::size_t i = 0; i < outboxes.link_count(); ++i) {
    buffers.push_back({.outbox = {outboxes.items(i), outboxes.items(i)},
                       .inbox = {inboxes.items(i, 0), inboxes.items(i, 1)}});
  }
  return buffers;
}

}  // namespace sterna::comm
