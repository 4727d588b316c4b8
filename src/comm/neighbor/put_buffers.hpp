#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/context/waiter.hpp"
#include "comm/neighbor/inboxes.hpp"
#include "comm/neighbor/method.hpp"
#include "comm/neighbor/outboxes.hpp"
#include "comm/onesided/window.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {

/// The buffers of a method that puts: inboxes in a window, outboxes in the memory from which
/// `Transport` puts fastest, and remote access to the inboxes of the links' peers. The owner may
/// destroy them only when no put is under way. After a failure it must keep them until the process
/// exits.
template <class Transport>
class PutBuffers {
 public:
  using RemoteMemory = typename Transport::RemoteMemory;

  static MemoryNeed memory_for(std::span<const Link> links, std::size_t item_size,
                               int buffers = 2) {
    MemoryNeed need = Transport::need(Inboxes(links, item_size, buffers).bytes());
    need.plain = sum_of_bytes(need.plain, Outboxes(links, item_size).bytes());
    return need;
  }

  /// Collective over the context. Throws Error on all ranks if one fails. `round` is the last one
  /// that was finished; `buffers` is the number of buffers of each inbox.
  PutBuffers(const NeighborSetting& setting, std::span<const Link> links, std::uint64_t round,
             Transport transport = {}, int buffers = 2)
      : context_(setting.context),
        inboxes_(links, setting.item_size, buffers),
        outboxes_(links, setting.item_size),
        window_(
            setting.context, setting.exchange_name, setting.control_tag, inboxes_.bytes(),
            ranks_of(links),
            [&](std::byte* memory) {
              outgoing_ = std::make_unique<typename Transport::Source>(outboxes_.bytes());
              outboxes_.use(outgoing_->data());
              inboxes_.use(memory, round);
              std::vector<InboxOffsets> offsets;
              for (std::size_t i = 0; i < links.size(); ++i) {
                offsets.push_back(inboxes_.offsets(i));
              }
              return offsets;
            },
            transport) {}

  std::vector<LinkBuffers> link_buffers() const { return make_link_buffers(outboxes_, inboxes_); }
  /// The size of a message with this many items.
  std::size_t bytes_of(std::size_t count) const { return outboxes_.bytes_of(count); }
  /// Begins to write `count` items of the outbox to the peer, for `round`.
  void put(std::size_t link, std::size_t count, std::uint64_t round) {
    const auto message = outboxes_.message(link, count);
    Remote& target = window_.remotes()[link];
    put(target, target.note.count(round), message.data(), message.size());
  }
  /// Sends the notices of a round: `set_notice` once, when the transport has ordered the puts
  /// before it, then `put_notice` for each link, which begins to send it.
  void set_notice(std::uint64_t round) { outboxes_.notice() = round; }
  void put_notice(std::size_t link) {
    const std::uint64_t& round = outboxes_.notice();
    Remote& target = window_.remotes()[link];
    if constexpr (requires(RemoteMemory & peer) { peer.mapped(); }) {
      put(target, target.note.notice(round), reinterpret_cast<const std::byte*>(&round),
          sizeof round);
    } else {
      target.memory.notify(target.note.notice(round), round);
    }
  }
  /// Remote access to the inbox of a link's peer, and this rank's own memory.
  RemoteMemory& peer(std::size_t link) { return window_.remotes()[link].memory; }
  typename Transport::Memory& memory() const { return *window_.memory(); }
  /// True if this process can store into the memory of all peers.
  bool all_mapped() const {
    return std::ranges::all_of(window_.remotes(),
                               [](const Remote& r) { return r.memory.mapped() != nullptr; });
  }
  bool noticed(std::size_t link, std::uint64_t round) const {
    Transport::synchronize(*window_.memory());
    return inboxes_.noticed(link, round);
  }

 private:
  using Remote = typename Window<Transport, InboxOffsets>::Remote;

  void put(Remote& target, std::size_t offset, const std::byte* source, std::size_t bytes) {
    try {
      Transport::put(target.memory, offset, source, bytes, *outgoing_);
    } catch (const Error& error) {
      throw Error(
          fmt::format("rank {}: {}{}", target.rank, error.what(), death_of(context_, target.rank)));
    }
  }

  Context::Implementation& context_;
  Inboxes inboxes_;
  Outboxes outboxes_;
  std::unique_ptr<typename Transport::Source> outgoing_;
  Window<Transport, InboxOffsets> window_;
};

}  // namespace sterna::comm
