#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "comm/context/memory_need.hpp"
#include "comm/context/waiter.hpp"
#include "comm/neighbor/buffer_layout.hpp"
#include "comm/neighbor/link.hpp"
#include "comm/transport/two_sided/memory.hpp"

namespace sterna::comm {

class LinkRequests;

/// What a method is made from.
struct NeighborSetting {
  Context::Implementation& context;
  std::string exchange_name;     ///< name in errors
  std::string_view method_name;  ///< name in errors
  std::size_t item_size;         ///< bytes
  int data_tag;                  ///< used by no other exchange
  int control_tag;
};

/// A method to move the bytes of a static pattern. Links are named by their index. The exchange
/// that owns the method has checked the order of calls and the counts:
///   prepare, then rounds of: outbox, commit (each link that sends, once) - start - take_arrived
///   until every link that receives has arrived - finish.
/// Rounds are numbered from 1. What arrived stays where `inbox` says until the next `start`;
/// an outbox is filled between the `finish` before and its `commit`.
class NeighborMethod {
 public:
  explicit NeighborMethod(const NeighborSetting& setting) : setting_(setting) {}
  virtual ~NeighborMethod() = default;
  NeighborMethod(const NeighborMethod&) = delete;
  NeighborMethod& operator=(const NeighborMethod&) = delete;

  /// The memory that `prepare` takes for `links`. Here that of messages: an inbox and an outbox of
  /// one buffer for each link.
  virtual MemoryNeed memory_for(std::span<const Link> links) const;
  /// Collective over the context. Allocates buffers for `links`, in place of those before; `round`
  /// is the last that was finished. The exchange has made sure that there is memory.
  virtual void prepare(std::vector<Link> links, std::uint64_t round) = 0;
  /// The inbox and outbox of each link, since `prepare`.
  const std::vector<LinkBuffers>& link_buffers() const { return link_buffers_; }
  /// Where the items for a link are to be put in this round; to be awaited where it `may_wait`.
  std::byte* outbox(std::size_t link, std::uint64_t round) const {
    return link_buffers_[link].outbox[round % 2];
  }
  bool outbox_may_wait() const { return outbox_may_wait_; }
  virtual void await_outbox(std::size_t, std::uint64_t) {}
  /// `count` items lie in the outbox and may leave.
  virtual void commit(std::size_t link, std::size_t count, std::uint64_t round) = 0;
  virtual void start(std::uint64_t round) = 0;
  /// Lets what is under way move. Puts those of the `missing` links whose items of this round are
  /// here before the others, and returns how many they are.
  virtual std::size_t take_arrived(std::span<std::size_t> missing, std::uint64_t round) = 0;
  /// Valid for a link that has arrived in this round.
  std::span<const std::byte> inbox(std::size_t link, std::uint64_t round) const {
    const std::byte* const items = link_buffers_[link].inbox[round % 2];
    return {items, count_before(items) * setting_.item_size};
  }
  /// Waits until the outboxes may be changed.
  virtual void finish(std::uint64_t round) = 0;
  /// The exchange ends in the middle of `round`: does what other ranks need to finish theirs.
  virtual void abandon(std::uint64_t) {}
  /// One round without items.
  void run_empty(std::uint64_t round);
  /// Collective, after the same rounds of all ranks, and only of methods whose row says so: ends
  /// what only all ranks together can end.
  virtual void end() {}
  /// In place of `end` after a failure: keeps memory that others may write into until the exit.
  virtual void keep_until_exit() {}
  /// What `take_arrived` looks at.
  virtual Watched watched() const { return Watched::messages; }

 protected:
  /// For methods that send messages: an inbox and an outbox of one buffer for each of `links_`, in
  /// plain memory.
  std::shared_ptr<two_sided::Memory> allocate_buffers(std::uint64_t round);
  /// Waits until all sends have ended.
  void await_sends(LinkRequests& requests, std::uint64_t round);
  /// Lets what is under way move, while this rank waits for something else than items.
  virtual void progress() {}

  /// Brings those of the links that have arrived to the front; returns how many they are. Looks at
  /// all in one go, so that the processor fetches the lines that others wrote side by side.
  template <class Arrived>
  static std::size_t bring_forward(std::span<std::size_t> links, Arrived&& arrived) {
    std::size_t here = 0;
    for (std::size_t& link : links) {
      if (arrived(link)) std::swap(link, links[here++]);
    }
    return here;
  }

  /// Waits for `condition`, with progress, for the sake of round `round` and of `ranks`.
  template <class Condition>
  void await(Condition&& condition, std::uint64_t round, const std::vector<int>& ranks) {
    if (condition()) return;
    Waiter(setting_.context, watched())
        .wait(
            [&] {
              progress();
              return condition();
            },
            [&] {
              return Awaited{setting_.exchange_name, setting_.method_name, round, ranks};
            });
  }

  NeighborSetting setting_;
  std::vector<Link> links_;
  std::vector<LinkBuffers> link_buffers_;
  bool outbox_may_wait_ = false;
};

}  // namespace sterna::comm
