#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "comm/context/progress.hpp"
#include "comm/neighbor/committed.hpp"
#include "comm/neighbor/method.hpp"
#include "comm/neighbor/node_slab.hpp"
#include "comm/neighbor/outboxes.hpp"
#include "comm/onesided/connect.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {

/// The part of node_aggregated.cpp between nodes, for the transports of a network. All links must
/// be with ranks of other nodes.
///
/// Round r of a pair of nodes uses the messages of parity r % 2. A rank takes part in it, at either
/// end and in either direction, once it has seen notice r-1 of the other node: all ranks there have
/// then started round r-1. So they have given up what they received in round r-2, whose place the
/// message of round r takes. They had also seen notice r-2 of this node, which means that its
/// message of that round is complete and has arrived: its place may be filled, and the counters of
/// that parity are at rest. A rank with items for one direction only waits for the same notice.
/// As in neighbor/inboxes.hpp, each wait of round r is for starts of rounds r-1 and r, so there are
/// no cycles.
///
/// Where a transport needs the target's help, a process of that node stores what arrives. The other
/// ranks of the node see its stores in order only on processors that promise that (x86). Elsewhere
/// this process, the receiver, reads the notice and relays it to them behind a fence.
template <class Transport>
class PutByNode final : public NeighborMethod, ProgressHelper {
 public:
  explicit PutByNode(const NeighborSetting& setting) : NeighborMethod(setting) {
    setting_.context.rdma_in_use = true;
  }

  MemoryNeed memory_for(std::span<const Link> links) const override {
    return {.plain = Outboxes(links, setting_.item_size).bytes(),
            .shared = NodeSlab::bytes_for(links, setting_.item_size)};
  }

  void prepare(std::vector<Link> links, std::uint64_t round) override {
    end();
    state_.reset();
    round_ = round;
    links_ = std::move(links);
    Outboxes outboxes(links_, setting_.item_size);
    state_ = std::make_shared<State>(setting_, links_, round);
    state_->outgoing = std::make_unique<two_sided::Memory>(outboxes.bytes());
    outboxes.use(state_->outgoing->data());
    link_buffers_.clear();
    places_.clear();
    for (std::size_t i = 0; i < links_.size(); ++i) {
      link_buffers_.push_back({.outbox = {outboxes.items(i), outboxes.items(i)}, .inbox = {}});
      const std::size_t mine = pair_with(links_[i].rank);
      const NodePair& pair = *state_->pairs[mine].layout;
      places_.push_back({mine, pair.out.index_of(setting_.context.rank, links_[i].rank),
                         pair.in.index_of(links_[i].rank, setting_.context.rank)});
    }
    committed_.assign(links_.size(), {});
    origins_.assign(links_.size(), {});
    pieces_.clear();
    pieces_.resize(links_.size());
  }

  void commit(std::size_t link, std::size_t count, std::uint64_t round) override {
    committed_[link] = {count, true};
    origins_[link] = {};
    place_with_credit(link, round);
  }

  bool commit_shared(std::size_t link, std::size_t other, std::span<const ItemRange> ranges,
                     std::size_t count, std::uint64_t round) override {
    if (places_[link].pair != places_[other].pair) return false;
    // A list that is longer than the items would not fit in their place.
    if (ranges.size() > 1 && ranges.size() * sizeof(SliceEntry) > count * setting_.item_size) {
      return false;
    }
    committed_[link] = {count, true};
    origins_[link].link = other;
    origins_[link].ranges.assign(ranges.begin(), ranges.end());
    place_with_credit(link, round);
    return true;
  }

  void start(std::uint64_t round) override {
    round_ = round;
    if (state_->pairs.empty()) return;
    for (Pair& pair : state_->pairs) {
      if (has_credit(pair, round)) continue;
      await([&] { return has_credit(pair, round); }, round, late_ranks(pair, round));
    }
    for (std::size_t i = 0; i < links_.size(); ++i) place(i, round);
    state_->slab.started(setting_.context.rank).store(round, std::memory_order_relaxed);
    bool any = false;
    for (Pair& pair : state_->pairs) {
      pair.completed = arrive(*pair.layout, round);
      if (!pair.completed) continue;
      put_message(pair, round);
      any = true;
    }
    if (!any) return;
    Transport::fence();
    for (Pair& pair : state_->pairs) {
      if (pair.completed) put_notice(pair, round);
    }
  }

  std::size_t take_arrived(std::span<std::size_t> missing, std::uint64_t round) override {
    const auto arrived = [&](std::size_t link) {
      return noticed(state_->pairs[places_[link].pair], round);
    };
    help();
    const std::size_t here = bring_forward(missing, arrived);
    if (here > 0) return here;
    progress();
    return bring_forward(missing, arrived);
  }

  std::span<const std::byte> inbox(std::size_t link, std::uint64_t round) const override {
    const Place& place = places_[link];
    const std::size_t message = state_->pairs[place.pair].layout->receive[round % 2];
    const SliceEntry entry = state_->slab.entry(message, place.in);
    if ((entry.count & is_list) != 0) return joined(link, round, message);
    return {state_->slab.data() + message + entry.offset, entry.count * setting_.item_size};
  }

  /// A message is late as long as a rank of the other node has not started the round. Such a rank
  /// may wait for ranks of this node that have not started the round before.
  void add_late(std::vector<int>& ranks, std::uint64_t round) const override {
    for (const Pair& pair : state_->pairs) {
      if (noticed(pair, round)) continue;
      ranks.insert(ranks.end(), pair.layout->there.begin(), pair.layout->there.end());
      for (const int rank : pair.layout->here) {
        if (state_->slab.started(rank).load(std::memory_order_relaxed) + 1 < round) {
          ranks.push_back(rank);
        }
      }
    }
  }

  /// Waits until what this rank has put for its node has left.
  void finish(std::uint64_t round) override {
    for (Pair& pair : state_->pairs) {
      if (!pair.completed || pair.remote->sent()) continue;
      await([&] { return pair.remote->sent(); }, round, pair.layout->there);
    }
  }

  /// Waits until no transfer is under way to or from this rank. The notice of a round is the last
  /// word that another node writes in it.
  void end() override {
    if (state_ == nullptr) return;
    for (Pair& pair : state_->pairs) {
      pair.remote->flush();
      await([&] { return noticed(pair, round_) && pair.remote->arrived(); }, round_,
            late_ranks(pair, round_));
    }
    help();
  }

  void keep_until_exit() override { setting_.context.keep_until_exit(state_); }

  Watched watched() const override { return Watched::memory; }

 private:
  using RemoteMemory = typename Transport::RemoteMemory;

  /// Where a node takes messages from another one, in its slab.
  struct Target {
    std::array<std::size_t, 2> messages;
    std::size_t notice;
  };

  /// Another node with which this rank has links.
  struct Pair {
    const NodePair* layout;
    std::unique_ptr<RemoteMemory> remote;  ///< its slab
    Target target;
    bool completed = false;  ///< true if this rank has put the message of this round
  };

  /// All memory that others may write into.
  struct State {
    State(const NeighborSetting& setting, std::span<const Link> links, std::uint64_t round)
        : slab(setting, links, round) {
      const int rank = setting.context.rank;
      std::vector<int> partners;
      for (const NodePair& layout : slab.pairs()) {
        if (!std::ranges::binary_search(layout.here, rank)) continue;
        pairs.push_back({&layout, nullptr, {}});
        partners.push_back(layout.target);
        if (layout.receiver == rank) {
          partners.insert(partners.end(), layout.there.begin(), layout.there.end());
        }
      }
      std::ranges::sort(partners);
      partners.erase(std::ranges::unique(partners).begin(), partners.end());
      const auto pair_with = [&](int other) {
        const int node = setting.context.node_of[static_cast<std::size_t>(other)];
        return std::ranges::find(pairs, node, [](const Pair& pair) { return pair.layout->node; });
      };
      connect(
          setting.context, setting.exchange_name, setting.control_tag, partners,
          [&] {
            std::vector<std::string> descriptions;
            if (!pairs.empty()) registered.emplace(slab.data(), slab.size());
            for (const int other : partners) {
              const NodePair& layout = *pair_with(other)->layout;
              const std::string handle = layout.receiver == rank ? registered->handle() : "";
              descriptions.push_back(describe(Target{layout.receive, layout.notice}, handle));
            }
            return descriptions;
          },
          [&](std::size_t i, const std::string& description) {
            const auto [target, handle] = note_and_handle<Target>(description);
            Pair& pair = *pair_with(partners[i]);
            if (pair.layout->target != partners[i]) return;
            pair.remote = std::make_unique<RemoteMemory>(
                Transport().connect(&*registered, partners[i], handle));
            pair.target = target;
          });
    }

    NodeSlab slab;
    std::optional<typename Transport::Memory> registered;  ///< the slab, for the network
    std::vector<Pair> pairs;
    std::unique_ptr<two_sided::Memory> outgoing;  ///< the outboxes
  };

  /// The place of a link: its pair, and its slices in the messages out and in.
  struct Place {
    std::size_t pair;
    std::size_t out;
    std::size_t in;
  };

  /// Where the items of a link are if they are among those of another link.
  struct Origin {
    std::size_t link = none;
    std::vector<ItemRange> ranges = {};
  };
  static constexpr auto none = static_cast<std::size_t>(-1);
  /// The bit of a count that marks an entry as a list of entries.
  static constexpr std::uint64_t is_list = std::uint64_t{1} << 63;

  /// The memory in which the pieces of an inbox are put side by side, once a round.
  struct Pieces {
    std::unique_ptr<two_sided::Memory> memory;
    std::size_t bytes = 0;
    std::uint64_t round = 0;
  };

  std::size_t pair_with(int rank) const {
    const int node = setting_.context.node_of[static_cast<std::size_t>(rank)];
    const auto found =
        std::ranges::find(state_->pairs, node, [](const Pair& pair) { return pair.layout->node; });
    return static_cast<std::size_t>(found - state_->pairs.begin());
  }

  /// A receiver relays what it sees, so that it does not leave a round of which the others of its
  /// node do not know.
  bool noticed(const Pair& pair, std::uint64_t round) const {
    if (relays_ && pair.layout->receiver == setting_.context.rank) return relay(pair) >= round;
    const std::size_t word = relays_ ? pair.layout->relayed : pair.layout->notice;
    return state_->slab.word(word).load(std::memory_order_acquire) >= round;
  }

  /// Relays the notice of a pair to the ranks of this node; returns it.
  std::uint64_t relay(const Pair& pair) const {
    const auto notice = state_->slab.word(pair.layout->notice).load(std::memory_order_acquire);
    const auto relayed = state_->slab.word(pair.layout->relayed);
    if (relayed.load(std::memory_order_relaxed) < notice) {
      relayed.store(notice, std::memory_order_release);
    }
    return notice;
  }

  /// Relays notices while this rank waits for anything.
  void help() override {
    if (!relays_ || state_ == nullptr) return;
    for (const Pair& pair : state_->pairs) {
      if (pair.layout->receiver == setting_.context.rank) relay(pair);
    }
  }
  bool has_credit(const Pair& pair, std::uint64_t round) const { return noticed(pair, round - 1); }

  std::vector<int> late_ranks(const Pair& pair, std::uint64_t round) const {
    std::vector<int> ranks = pair.layout->there;
    if (round > 0) add_late(ranks, round - 1);
    std::ranges::sort(ranks);
    ranks.erase(std::ranges::unique(ranks).begin(), ranks.end());
    return ranks;
  }

  void place_with_credit(std::size_t link, std::uint64_t round) {
    if (has_credit(state_->pairs[places_[link].pair], round)) place(link, round);
  }

  /// Writes the items of a link into the message of its node, if that has not happened yet.
  void place(std::size_t link, std::uint64_t round) {
    if (!committed_[link].waiting) return;
    const std::size_t count = committed_[link].take();
    const Place& place_of = places_[link];
    const NodePair& pair = *state_->pairs[place_of.pair].layout;
    const std::size_t message = pair.send[round % 2];
    const NodeSlab& slab = state_->slab;
    if (origins_[link].link != none) {
      slab.set_entry(message, place_of.out, place_ranges(pair, origins_[link], round));
      return;
    }
    const std::size_t bytes = count * setting_.item_size;
    const std::size_t offset = reserve(pair, bytes, round);
    std::memcpy(slab.data() + message + offset, link_buffers_[link].outbox[0], bytes);
    slab.set_entry(message, place_of.out, {offset, count});
  }

  /// Returns the entry of a link whose items are among those of another link. Several ranges
  /// become a list of entries.
  SliceEntry place_ranges(const NodePair& pair, const Origin& origin, std::uint64_t round) {
    place(origin.link, round);
    const std::size_t message = pair.send[round % 2];
    const NodeSlab& slab = state_->slab;
    const std::size_t begin = slab.entry(message, places_[origin.link].out).offset;
    const auto entry_of = [&](const ItemRange& range) {
      return SliceEntry{begin + range.first * setting_.item_size, range.count};
    };
    const std::size_t ranges = origin.ranges.size();
    if (ranges == 1) return entry_of(origin.ranges.front());
    const std::size_t list = reserve(pair, ranges * sizeof(SliceEntry), round);
    for (std::size_t i = 0; i < ranges; ++i) {
      slab.set_entry(message + list, i, entry_of(origin.ranges[i]));
    }
    return {list, is_list | ranges};
  }

  /// Reserves a part of the body of a message; returns its offset in the message.
  std::size_t reserve(const NodePair& pair, std::size_t bytes, std::uint64_t round) {
    return pair.out.body +
           state_->slab.word(pair.reserved[round % 2])
               .fetch_add(padded_bytes(bytes, alignment()), std::memory_order_relaxed);
  }

  /// Returns the items of a link that arrived in several pieces, side by side.
  std::span<const std::byte> joined(std::size_t link, std::uint64_t round,
                                    std::size_t message) const {
    Pieces& pieces = pieces_[link];
    if (pieces.memory == nullptr) {
      pieces.memory =
          std::make_unique<two_sided::Memory>(links_[link].receive_items * setting_.item_size);
    }
    if (pieces.round != round) {
      pieces.bytes = 0;
      const SliceEntry list = state_->slab.entry(message, places_[link].in);
      for (std::size_t i = 0; i < (list.count & ~is_list); ++i) {
        const SliceEntry piece = state_->slab.entry(message + list.offset, i);
        const std::size_t bytes = piece.count * setting_.item_size;
        std::memcpy(pieces.memory->data() + pieces.bytes,
                    state_->slab.data() + message + piece.offset, bytes);
        pieces.bytes += bytes;
      }
      pieces.round = round;
    }
    return {pieces.memory->data(), pieces.bytes};
  }

  std::size_t alignment() const { return JoinedMessage::alignment(setting_.item_size); }

  /// Counts this rank's start; true for the rank that completes the message of its node.
  bool arrive(const NodePair& pair, std::uint64_t round) {
    const std::uint64_t before =
        state_->slab.word(pair.arrivals[round % 2]).fetch_add(1, std::memory_order_acq_rel);
    return (before + 1) % pair.here.size() == 0;
  }

  void put_message(Pair& pair, std::uint64_t round) {
    const NodePair& layout = *pair.layout;
    if (layout.out.slices.empty()) return;
    const NodeSlab& slab = state_->slab;
    const std::size_t items =
        slab.word(layout.reserved[round % 2]).exchange(0, std::memory_order_relaxed);
    put(pair, pair.target.messages[round % 2], layout.send[round % 2], layout.out.body + items);
  }

  void put_notice(Pair& pair, std::uint64_t round) {
    const std::size_t word = pair.layout->words[round % 2];
    state_->slab.word(word).store(round, std::memory_order_relaxed);
    put(pair, pair.target.notice, word, sizeof round);
  }

  void put(Pair& pair, std::size_t offset, std::size_t source, std::size_t bytes) {
    try {
      pair.remote->put(offset, state_->slab.data() + source, bytes, &*state_->registered);
    } catch (const Error& error) {
      throw Error(fmt::format("rank {}: {}", pair.layout->target, error.what()));
    }
  }

  void progress() override {
    Transport::progress();
    help();
  }

  /// `STERNA_RELAYED_NOTICES=1` tests on any processor what others need.
  static bool must_relay() {
#if defined(__x86_64__) || defined(__i386__)
    return std::getenv("STERNA_RELAYED_NOTICES") != nullptr;
#else
    return true;
#endif
  }

  bool relays_ = must_relay();
  std::shared_ptr<State> state_;
  std::vector<Place> places_;
  std::vector<Committed> committed_;
  std::vector<Origin> origins_;
  mutable std::vector<Pieces> pieces_;  ///< by link
  std::uint64_t round_ = 0;
};

}  // namespace sterna::comm
