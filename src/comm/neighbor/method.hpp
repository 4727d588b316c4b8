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
#include "sterna/comm/neighbor_exchange.hpp"

namespace sterna::comm {

class LinkRequests;

/// The arguments from which a method is made.
struct NeighborSetting {
  Context::Implementation& context;
  std::string exchange_name;     ///< name in errors
  std::string_view method_name;  ///< name in errors
  std::size_t item_size;         ///< bytes
  int data_tag;                  ///< a tag that no other exchange uses
  int control_tag;
};

/// A method to move the bytes of a static pattern. Links are named by their index. The exchange
/// that owns the method has checked the order of calls and the counts. It calls prepare, and then
/// in each round: outbox, commit (once for each link that sends), start, take_arrived until every
/// link that receives has arrived, finish. Rounds are numbered from 1. Received items stay at the
/// address of `inbox` until the next `start`. An outbox is filled between the `finish` of the
/// previous round and its `commit`.
class NeighborMethod {
 public:
  explicit NeighborMethod(const NeighborSetting& setting) : setting_(setting) {}
  virtual ~NeighborMethod() = default;
  NeighborMethod(const NeighborMethod&) = delete;
  NeighborMethod& operator=(const NeighborMethod&) = delete;

  /// Returns the memory that `prepare` takes for `links`. This default is for methods that send
  /// messages: an inbox and an outbox of one buffer for each link.
  virtual MemoryNeed memory_for(std::span<const Link> links) const;
  /// Allocates buffers for `links`, in place of the previous ones; `round` is the last one that was
  /// finished. The exchange has made sure that memory suffices. Collective over the context.
  virtual void prepare(std::vector<Link> links, std::uint64_t round) = 0;
  /// The inbox and outbox of each link; valid after `prepare`.
  const std::vector<LinkBuffers>& link_buffers() const { return link_buffers_; }
  /// The address at which the items for a link are to be put in this round. If the outbox
  /// `may_wait`, it must be awaited before.
  std::byte* outbox(std::size_t link, std::uint64_t round) const {
    return link_buffers_[link].outbox[round % 2];
  }
  bool outbox_may_wait() const { return outbox_may_wait_; }
  virtual void await_outbox(std::size_t, std::uint64_t) {}
  /// Declares that the outbox has `count` items; they may leave at once.
  virtual void commit(std::size_t link, std::size_t count, std::uint64_t round) = 0;
  /// In place of `commit`: declares that the items for `link` are those `ranges` of the items that
  /// are committed for `other`, `count` in all. Returns false, with nothing done, if the method
  /// would have to send them twice.
  virtual bool commit_shared(std::size_t, std::size_t, std::span<const ItemRange>, std::size_t,
                             std::uint64_t) {
    return false;
  }
  virtual void start(std::uint64_t round) = 0;
  /// Advances transfers that are under way. Moves those of the `missing` links whose items of this
  /// round have arrived to the front, and returns their number.
  virtual std::size_t take_arrived(std::span<std::size_t> missing, std::uint64_t round) = 0;
  /// The items of a link that has arrived in this round.
  virtual std::span<const std::byte> inbox(std::size_t link, std::uint64_t round) const {
    const std::byte* const items = link_buffers_[link].inbox[round % 2];
    return {items, count_before(items) * setting_.item_size};
  }
  /// Adds the ranks that hold up the round although they are no peers of this rank.
  virtual void add_late(std::vector<int>&, std::uint64_t) const {}
  /// Waits until the outboxes may be changed.
  virtual void finish(std::uint64_t round) = 0;
  /// Ends the method in the middle of `round`: does what other ranks need to finish theirs.
  virtual void abandon(std::uint64_t) {}
  /// Runs one round without items.
  void run_empty(std::uint64_t round);
  /// Ends the method collectively, after the same number of rounds on all ranks. Called only for
  /// methods whose row says so (`ends_together`).
  virtual void end() {}
  /// Replaces `end` after a failure: keeps memory that others may write into until the process
  /// exits.
  virtual void keep_until_exit() {}
  /// The state that `take_arrived` reads.
  virtual Watched watched() const { return Watched::messages; }

 protected:
  /// Allocates an inbox and an outbox of one buffer for each of `links_`, in plain memory, for
  /// methods that send messages.
  std::shared_ptr<two_sided::Memory> allocate_buffers(std::uint64_t round);
  /// Waits until all sends have ended.
  void await_sends(LinkRequests& requests, std::uint64_t round);
  /// Advances transfers while this rank waits for something other than items.
  virtual void progress() {}

  /// Moves the links that have arrived to the front and returns their number. Reads all notices in
  /// one pass, so that the processor fetches the cache lines of different writers side by side.
  template <class Arrived>
  static std::size_t bring_forward(std::span<std::size_t> links, Arrived&& arrived) {
    std::size_t here = 0;
    for (std::size_t& link : links) {
      if (arrived(link)) std::swap(link, links[here++]);
    }
    return here;
  }

  /// Waits for `condition` and makes progress; errors name round `round` and `ranks`.
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
