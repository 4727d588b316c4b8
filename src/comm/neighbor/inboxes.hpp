#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "comm/neighbor/link.hpp"

namespace sterna::comm {

/// Where a link's part lies in the memory that its peer writes into.
struct InboxOffsets {
  std::size_t notice = 0;              ///< of the last round that the peer has started
  std::array<std::size_t, 2> items{};  ///< buffers of even and odd rounds; the count lies before
};

/// The count of items (8 bytes) lies right before them, so that one put carries both.
constexpr std::size_t count_bytes = sizeof(std::uint64_t);

/// The memory that the peers of one-sided methods write into: for each link a notice and two
/// buffers, used in turn.
///
/// Why two buffers and no acknowledgement are enough. Notice r tells that the peer has called
/// start(r), and by then it has given up its inbox of round r-1. A rank writes items of round r
/// (into the buffer of round r-2) only after it has seen notice r-1 of that peer, so the inbox of
/// round r-2 has been given up. Where items flow in both directions, finish(r-1) has waited for
/// that notice anyway, and it costs nothing. Where they flow in one direction only, the receiver
/// sends the notice alone: the sender's credit, which it awaits one round later than it was sent.
/// Without it, a sender overwrites what is still being read. Nor can the waits form a circle:
/// a wait in round r is for a rank's start(r-1) or start(r), and a rank reaches start(r) by waits
/// for rounds below r only.
class Inboxes {
 public:
  /// `buffers`: 1 where something else keeps the rounds apart, then both names mean the same.
  Inboxes(std::span<const Link> links, std::size_t item_size, int buffers = 2);

  std::size_t bytes() const { return bytes_; }
  const InboxOffsets& offsets(std::size_t link) const { return offsets_[link]; }
  /// Begins to use `memory` as if round `round` had just been finished by everybody.
  void use(std::byte* memory, std::uint64_t round);

  std::uint64_t notice(std::size_t link) const {
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(memory_ + offsets_[link].notice))
        .load(std::memory_order_acquire);
  }
  /// Whether notice `round` was seen. Then also begins to fetch what came with it.
  bool arrived(std::size_t link, std::uint64_t round) const {
    if (notice(link) < round) return false;
    fetch(link, round);
    return true;
  }
  /// Begins to fetch the count and the first items, which the reader turns to next: they lie in the
  /// cache of the core that wrote them.
  void fetch(std::size_t link, std::uint64_t round) const {
    const std::byte* const items = memory_ + offsets_[link].items[round % 2];
    __builtin_prefetch(items - count_bytes);
    __builtin_prefetch(items);
  }
  /// Valid once notice `round` was seen.
  std::span<const std::byte> items(std::size_t link, std::uint64_t round) const;

 private:
  std::size_t item_size_;
  std::size_t bytes_ = 0;
  std::vector<InboxOffsets> offsets_;
  std::byte* memory_ = nullptr;
};

}  // namespace sterna::comm
