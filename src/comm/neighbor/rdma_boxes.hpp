#pragma once

#ifdef STERNA_HAVE_UCX

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/neighbor/inboxes.hpp"
#include "comm/neighbor/method.hpp"
#include "comm/neighbor/outboxes.hpp"
#include "comm/transport/rdma/memory.hpp"
#include "comm/transport/rdma/peer.hpp"

namespace sterna::comm {

/// The registered memory that the rdma methods have their boxes in, and the way into the peers'.
/// The owner waits until nothing is under way before it ends this; after a failure it is to be
/// kept until the exit.
class RdmaBoxes {
 public:
  static MemoryNeed memory_for(std::span<const Link> links, std::size_t item_size);
  /// Local; throws Error. `round`: the last that was finished.
  RdmaBoxes(const NeighborSetting& setting, std::span<const Link> links, std::uint64_t round);
  /// What the peer of a link needs to write here.
  std::string letter(std::size_t link) const;
  /// Takes the letter of the next link's peer.
  void connect(const std::string& letter);

  std::vector<BoxPlaces> places() const { return places_of(outboxes_, inboxes_); }
  /// Begins to write `count` items of the outbox to the peer, for `round`.
  void put(std::size_t link, std::size_t count, std::uint64_t round);
  /// Begins to tell the peer that `round` is there; `set_notice` comes before, and a fence.
  void set_notice(std::uint64_t round) { outboxes_.notice() = round; }
  void put_notice(std::size_t link);
  /// Whether all peers are in reach of stores.
  bool all_mapped() const;
  /// The way to a link's memory.
  rdma::Peer& peer(std::size_t link) { return targets_[link].memory; }

  bool noticed(std::size_t link, std::uint64_t round) const {
    return inboxes_.noticed(link, round);
  }

 private:
  struct Target {
    rdma::Peer memory;
    InboxOffsets offsets;
    int rank;
  };
  void put(Target& target, std::size_t offset, const std::byte* source, std::size_t bytes);

  Context::Implementation& context_;
  std::vector<int> ranks_;
  Inboxes inboxes_;
  Outboxes outboxes_;
  rdma::Memory memory_;
  rdma::Memory outgoing_;
  std::vector<Target> targets_;
};

/// Collective over the context: makes the boxes and connects them to those of the links' peers.
/// Throws Error on all ranks where one has failed.
std::shared_ptr<RdmaBoxes> make_rdma_boxes(const NeighborSetting& setting,
                                           std::span<const Link> links, std::uint64_t round);

}  // namespace sterna::comm

#endif
