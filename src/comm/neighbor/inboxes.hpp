#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "comm/neighbor/buffer_layout.hpp"
#include "comm/neighbor/link.hpp"

namespace sterna::comm {

/// The place of a link's part in the memory that its peer writes into.
struct InboxOffsets {
  std::array<std::size_t, 2> items{};  ///< offsets in even and odd rounds

  std::size_t count(std::uint64_t round) const { return items[round % 2] - count_bytes; }
  std::size_t notice(std::uint64_t round) const { return items[round % 2] - notice_bytes; }
};

/// The memory that the peers of one-sided methods write into. Each link has two buffers, used in
/// turn, each with a notice: the number of the last round that the peer has started for it. With
/// one buffer and no notices it is also the memory of methods that send messages.
///
/// Why two buffers without acknowledgments are enough: notice r says that the peer has called
/// start(r), and by then it has given up its inbox of round r-1. A rank writes the items of round r
/// into the buffer of round r-2. It does so only after it has seen notice r-1 of that peer, so the
/// inbox of round r-2 has been given up. If items flow in both directions, finish(r-1) has waited
/// for that notice anyway, and it costs nothing. If they flow in one direction only, the receiver
/// sends the notice alone. This is the sender's credit, which it awaits one round later than it was
/// sent. Without it, a sender would overwrite items that are still being read. Nor can the waits
/// form a cycle: a wait in round r is for a rank's start(r-1) or start(r), and a rank arrives at
/// start(r) by waits for rounds below r only.
class Inboxes {
 public:
  /// `buffers` is 1 if something else keeps the rounds apart; both offsets are then the same.
  Inboxes(std::span<const Link> links, std::size_t item_size, int buffers = 2);

  /// The size of all inboxes, or `too_many_bytes`.
  std::size_t bytes() const { return bytes_; }
  const InboxOffsets& offsets(std::size_t link) const { return offsets_[link]; }
  /// Begins to use `memory` as if all ranks had just finished round `round`.
  void use(std::byte* memory, std::uint64_t round);

  /// True if notice `round` has arrived.
  bool noticed(std::size_t link, std::uint64_t round) const {
    std::byte* const notice = memory_ + offsets_[link].notice(round);
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(notice))
               .load(std::memory_order_acquire) >= round;
  }
  /// The address of a link's items, valid once notice `round` has arrived.
  std::byte* items(std::size_t link, std::uint64_t round) const {
    return memory_ + offsets_[link].items[round % 2];
  }

 private:
  std::size_t bytes_ = 0;
  std::vector<InboxOffsets> offsets_;
  std::byte* memory_ = nullptr;
};

}  // namespace sterna::comm
