#pragma once

#ifdef STERNA_HAVE_RMA

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "comm/neighbor/inboxes.hpp"
#include "comm/neighbor/method.hpp"
#include "comm/neighbor/outboxes.hpp"
#include "comm/transport/rma/memory.hpp"
#include "comm/transport/rma/peer.hpp"
#include "comm/transport/two_sided/memory.hpp"

namespace sterna::comm {

/// The window that the rma methods have their inboxes in, and the way into the peers'. Made and
/// ended collectively over the context; after a failure it is to be kept until the exit.
class WindowBoxes {
 public:
  static MemoryNeed memory_for(std::span<const Link> links, std::size_t item_size, int buffers = 2);
  /// `round`: the last that was finished; `buffers`: of each inbox.
  WindowBoxes(const NeighborSetting& setting, std::span<const Link> links, rma::Epoch epoch,
              std::uint64_t round, int buffers = 2);

  MPI_Win window() const { return memory_.window(); }
  std::vector<BoxPlaces> places() const { return places_of(outboxes_, inboxes_); }
  /// Whether so many items are to leave as soon as they are committed, beside the work on those for
  /// other peers. Fewer leave together at the start: MPI copies them, and right behind the stores
  /// that filled the outbox each load of the copy waits until these have left the store buffer.
  bool leave_at_once(std::size_t count) const { return outboxes_.bytes_of(count) >= 4096; }
  /// Begins to write `count` items of the outbox to the peer, for `round`.
  void put(std::size_t link, std::size_t count, std::uint64_t round) {
    const auto message = outboxes_.message(link, count);
    Target& target = targets_[link];
    target.peer.put(target.offsets.count(round), message.data(), message.size());
  }
  /// Begins to tell the peer that `round` is there; `set_notice` comes before.
  void set_notice(std::uint64_t round) { outboxes_.notice() = round; }
  void put_notice(std::size_t link) {
    const std::uint64_t& round = outboxes_.notice();
    targets_[link].peer.notify(targets_[link].offsets.notice(round), round);
  }
  void flush(std::size_t link) { targets_[link].peer.flush(); }

  bool noticed(std::size_t link, std::uint64_t round) const {
    memory_.synchronize();
    return inboxes_.noticed(link, round);
  }

 private:
  struct Target {
    rma::Peer peer;
    InboxOffsets offsets;
  };

  Inboxes inboxes_;
  Outboxes outboxes_;
  two_sided::Memory outgoing_;
  rma::Memory memory_;
  std::vector<Target> targets_;  ///< by link
};

}  // namespace sterna::comm

#endif
