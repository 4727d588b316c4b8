#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "comm/context/agreement.hpp"
#include "comm/context/exchange_timing.hpp"
#include "comm/context/waiter.hpp"
#include "comm/family/change_methods.hpp"
#include "comm/family/round_record.hpp"
#include "comm/neighbor/select.hpp"
#include "comm/neighbor/table.hpp"
#include "comm/transport/two_sided/handshake.hpp"
#include "comm/transport/two_sided/memory.hpp"
#include "comm/tune/round_clock.hpp"
#include "comm/tune/tuner.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/neighbor_exchange.hpp"

namespace sterna::comm {

namespace {

/// A method whose exchange was destroyed on this rank.
class ReleasedNeighborMethod final : public CollectiveObject {
 public:
  /// `rounds` is the number of started rounds; `under_way` is true if the last one is not finished.
  ReleasedNeighborMethod(std::unique_ptr<NeighborMethod> method, std::uint64_t rounds,
                         bool under_way)
      : method_(std::move(method)), rounds_(rounds), under_way_(under_way) {}

  std::uint64_t rounds() const override { return rounds_; }
  void end(std::uint64_t most) override {
    if (under_way_) method_->finish(rounds_);
    while (rounds_ < most) method_->run_empty(++rounds_);
    method_->end();
  }
  void keep_until_exit() override { method_->keep_until_exit(); }

 private:
  std::unique_ptr<NeighborMethod> method_;
  std::uint64_t rounds_;
  bool under_way_;
};

}  // namespace

class NeighborExchangeBytes::Implementation {
 public:
  Implementation(const Context& context, const NeighborPattern& pattern, std::size_t item_size,
                 const NeighborOptions& options)
      : context_(context),
        peers_(pattern.peers().begin(), pattern.peers().end()),
        setting_{context.implementation(),
                 options.name,
                 {},
                 item_size,
                 0,
                 context.implementation().reserve_tags(1)} {
    announce_object(setting_.context, "a neighbor exchange", options.name);
    Selection selection = select_neighbor_method(context, peers_, options);
    check_item_size();
    for (const NeighborMethodRow& row : neighbor_method_table()) {
      entries_.push_back({&row, setting_.context.reserve_tags(1), nullptr, 0, 0});
    }
    reason_ = std::move(selection.reason);
    if (!selection.candidates.empty()) {
      tuner_.emplace(TunerSetting{context, "neighbor", options.name,
                                  std::move(selection.candidates), selection.method, reason_,
                                  neighbor_tuning});
    }
    sending_ = receiving_ = &entries_[selection.method];
    setting_.context.collective_objects.end_released_by_all(setting_.context);
    try {
      make(*sending_);
      require_memory_for(peers_);
      find_links();
      prepare(*sending_);
    } catch (...) {
      give_up(*sending_);
      throw;
    }
  }

  ~Implementation() {
    for (Entry& entry : entries_) give_up(entry);
  }
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  std::span<const NeighborPattern::Peer> peers() const { return peers_; }

  std::byte* outbox(int index) {
    if (phase_ != Phase::filling) [[unlikely]]
      return first_outbox(index);
    const PeerState& state = states_[checked(index)];
    if (state.link == no_link) [[unlikely]]
      return state.self ? self_buffer(round_ + 1) : nullptr;
    if (sending_->method->outbox_may_wait()) [[unlikely]]
      await_outbox(state.link);
    return sending_->method->outbox(state.link, sending_->round);
  }

  void commit(int index, std::size_t count) {
    PeerState& state = check_commit(index, count);
    note_commit(state, count);
    if (state.self) {
      self_counts_[(round_ + 1) % 2] = count;
    } else if (state.send_capacity > 0) {
      guarded(round_ + 1, [&] { sending_->method->commit(state.link, count, sending_->round); });
      note_sent(state, count);
    }
  }

  void commit_shared(int index, int other_index, std::span<const ItemRange> ranges) {
    const std::size_t count = check_ranges(index, other_index, ranges);
    PeerState& state = check_commit(index, count);
    const PeerState& other = states_[checked(other_index)];
    if (count > 0 && state.link != no_link && other.link != no_link) {
      const bool is_shared = guarded(round_ + 1, [&] {
        return sending_->method->commit_shared(state.link, other.link, ranges, count,
                                               sending_->round);
      });
      if (is_shared) {
        note_commit(state, count);
        note_sent(state, count);
        state.is_shared = true;
        return;
      }
    }
    if (count > 0) {
      std::byte* target = outbox(index);
      const std::byte* const items = outbox(other_index);
      for (const ItemRange& range : ranges) {
        const std::size_t bytes = range.count * setting_.item_size;
        std::memcpy(target, items + range.first * setting_.item_size, bytes);
        target += bytes;
      }
    }
    commit(index, count);
    state.is_shared = true;
  }

  void start() {
    if (phase_ != Phase::filling) [[unlikely]]
      begin("started twice without finish");
    if (commits_ < peers_.size()) {
      for (std::size_t peer = 0; peer < peers_.size(); ++peer) {
        if (states_[peer].committed_round <= round_) commit(static_cast<int>(peer), 0);
      }
    }
    commits_ = 0;
    ++round_;
    receiving_ = sending_;
    receiving_round_ = sending_->round;
    guarded(round_, [&] { receiving_->method->start(receiving_round_); });
    phase_ = Phase::started;
    returned_ = 0;
    here_ = here_at_once_;
    if (timed_) clock_.pause();
  }

  int next_peer() {
    if (phase_ != Phase::started) fail_in_phase("next called outside of start and finish");
    receive();
    if (returned_ == here_ && !find_more()) return -1;
    const std::size_t peer = peer_of_link_[order_[returned_++]];
    states_[peer].arrived_round = round_;
    return static_cast<int>(peer);
  }

  std::span<const std::byte> inbox(int index) const {
    const PeerState& state = states_[checked(index)];
    if (state.arrived_round != round_) [[unlikely]]
      return inbox_without_items(index);
    if (state.self) return {self_buffer(round_), self_counts_[round_ % 2] * setting_.item_size};
    return receiving_->method->inbox(state.link, receiving_round_);
  }

  void finish() {
    if (phase_ != Phase::started) fail_in_phase("finished without start");
    receive();
    while (returned_ < order_.size()) next_peer();
    guarded(round_, [&] { receiving_->method->finish(receiving_round_); });
    phase_ = Phase::idle;
    double us = 0.0;
    if (timed_) {
      us = clock_.stop();
      record_.note_time(us);
    }
    if (auto* timing = setting_.context.exchange_timing) timing->communication += 1e-6 * us;
    record_.note_traffic(traffic_.messages, traffic_.bytes);
    if (tuner_) tuner_->note(us, traffic_);
    traffic_ = {};
  }

  void reserve(std::span<const std::size_t> send_counts) {
    if (phase_ == Phase::started || phase_ == Phase::broken) {
      fail_in_phase("reserve called inside a round");
    }
    std::string fault;
    if (send_counts.size() != peers_.size()) {
      fault = fmt::format("reserve got {} counts for {} peers", send_counts.size(), peers_.size());
    }
    if (commits_ > 0) fault = "reserve called after commit";
    bool grows = false;
    for (std::size_t peer = 0; fault.empty() && peer < peers_.size(); ++peer) {
      grows = grows || send_counts[peer] > peers_[peer].send_capacity;
    }
    // The verdict is 2 for an error on some rank, 1 if some capacity grows.
    const std::int64_t verdict = guarded(round_, [&] {
      return largest(setting_.context, !fault.empty() ? 2 : grows ? 1 : 0, setting_.exchange_name);
    });
    if (verdict == 2) {
      fail(fault.empty() ? "reserve failed on another rank; its error says why" : fault);
    }
    if (verdict != 1) return;
    std::vector<NeighborPattern::Peer> peers =
        guarded(round_, [&] { return grown_peers(send_counts); });
    try {
      require_memory_for(peers);
    } catch (const MemoryError&) {
      throw;  // nothing has changed: rounds may go on with the old capacities
    } catch (...) {
      rethrow_broken(round_);
    }
    guarded(round_, [&] { use(std::move(peers)); });
  }

  Verdict verdict() const {
    Verdict verdict = record_.verdict(setting_.exchange_name, round_, tuner_,
                                      receiving_->row->info.name, reason_);
    for (std::size_t peer = 0; peer < peers_.size(); ++peer) {
      const PeerState& state = states_[peer];
      if (state.messages_sent == 0) continue;
      verdict.sent.push_back({peers_[peer].rank, state.bytes_sent, state.messages_sent});
    }
    return verdict;
  }

 private:
  static constexpr auto no_link = static_cast<std::uint32_t>(-1);
  static constexpr std::uint64_t none = static_cast<std::uint64_t>(-1);

  /// A method of the table. Each method counts its own rounds, without gaps.
  struct Entry {
    const NeighborMethodRow* row;
    int data_tag;
    std::unique_ptr<NeighborMethod> method;
    std::uint64_t round;
    std::uint64_t number;  ///< number of the method among the collective objects of the context
  };

  enum class Phase : char { idle, filling, started, broken };

  /// The state of a peer that a round needs, in one place: if ranks share a core, each finds its
  /// caches full of the other ranks' data.
  struct PeerState {
    std::uint32_t link = no_link;  ///< index among the method's links; only for other ranks
    bool self = false;
    bool off_node = false;
    bool is_shared = false;              ///< true if it was committed by `commit_shared`
    std::size_t send_capacity = 0;       ///< the same as in `peers_`
    std::uint64_t committed_round = 0;   ///< the last round in which it was committed
    std::size_t committed = 0;           ///< number of items then
    std::uint64_t arrived_round = none;  ///< the last round in which `next` returned it
    std::size_t bytes_sent = 0;          ///< sum over all rounds
    std::size_t messages_sent = 0;       ///< sum over all rounds
  };

  PeerState& check_commit(int index, std::size_t count) {
    if (phase_ != Phase::filling) [[unlikely]]
      begin("commit between start and finish");
    PeerState& state = states_[checked(index)];
    if (state.committed_round == round_ + 1 || count > state.send_capacity) {
      fail_commit(index, count);
    }
    return state;
  }

  void note_commit(PeerState& state, std::size_t count) {
    state.committed_round = round_ + 1;
    state.committed = count;
    state.is_shared = false;
    ++commits_;
  }

  /// Returns the number of items in `ranges`, which must have been committed for the other peer.
  std::size_t check_ranges(int index, int other_index, std::span<const ItemRange> ranges) {
    if (phase_ != Phase::filling) [[unlikely]]
      begin("commit between start and finish");
    const PeerState& other = states_[checked(other_index)];
    const bool is_committed = other.committed_round == round_ + 1;
    const std::size_t there = is_committed ? other.committed : 0;
    if (is_committed && other.is_shared) {
      fail(
          fmt::format("the items of rank {}, shared with rank {}, are those of another rank; name "
                      "the rank whose outbox has them",
                      peers_[checked(other_index)].rank, peers_[checked(index)].rank));
    }
    std::size_t count = 0;
    for (const auto& [first, length] : ranges) {
      if (first > there || length > there - first) {
        fail(fmt::format(
            "{} items from item {} of the outbox of rank {} shared with rank {}, but "
            "{} items were committed there in this round",
            length, first, peers_[checked(other_index)].rank, peers_[checked(index)].rank, there));
      }
      count = sum_of_bytes(count, length);
    }
    return count;
  }

  void note_sent(PeerState& state, std::size_t count) {
    ++traffic_.messages;
    traffic_.bytes += count * setting_.item_size;
    ++state.messages_sent;
    state.bytes_sent += count * setting_.item_size;
    traffic_.off_node += state.off_node;
  }

  [[gnu::noinline]] std::byte* first_outbox(int index) {
    begin("outbox used between start and finish");
    return outbox(index);
  }

  [[gnu::noinline]] void await_outbox(std::uint32_t link) {
    guarded(round_ + 1, [&] { sending_->method->await_outbox(link, sending_->round); });
  }

  /// Called first in each function that fills a round: begins the round, with the method that
  /// carries it. `fault` is the error if the call comes out of order.
  [[gnu::noinline]] void begin(const char* fault) {
    if (phase_ != Phase::idle) fail_in_phase(fault);
    if (tuner_) {
      // The inboxes of the previous round may still be read; those of the round before that may
      // not.
      for (Entry* const entry : retired_) give_up(*entry);
      if (!std::exchange(retired_, {}).empty()) {
        guarded(round_ + 1,
                [&] { setting_.context.collective_objects.end_released_by_all(setting_.context); });
      }
      if (tuner_->due()) guarded(round_ + 1, [&] { change(); });
      sending_ = &entries_[tuner_->current()];
      timed_ = tuner_->timed();
    } else {
      timed_ = Tuner::worth_timing(round_);
    }
    timed_ = timed_ || setting_.context.exchange_timing != nullptr;
    met_ = false;
    ++sending_->round;
    phase_ = Phase::filling;
    if (timed_) clock_.start();
  }

  /// Called first when the caller turns to the arriving data.
  void receive() {
    if (timed_) resume_clock();
  }

  [[gnu::noinline]] void resume_clock() {
    if (auto* timing = setting_.context.exchange_timing; timing != nullptr && !met_) {
      timing->meet();
      met_ = true;
    }
    clock_.resume();
  }

  /// Waits until more peers have arrived; returns false if all have arrived before.
  bool find_more() {
    if (here_ == order_.size()) return false;
    NeighborMethod& method = *receiving_->method;
    const auto anything_new = [&] {
      const std::size_t more =
          method.take_arrived(std::span(order_).subspan(here_), receiving_round_);
      here_ += more;
      return more > 0;
    };
    guarded(round_, [&] {
      if (anything_new()) return;
      Waiter(setting_.context, method.watched()).wait(anything_new, [&] { return awaited(); });
    });
    return true;
  }

  /// Agrees on the methods that may carry the next rounds, and makes them. Collective.
  void change() {
    change_methods(
        *tuner_, setting_.context, setting_.exchange_name, entries_.size(),
        [&](std::size_t i) { return entries_[i].method != nullptr; },
        [&](std::size_t i) {
          make(entries_[i]);
          require_memory_for(peers_, &entries_[i]);
          prepare(entries_[i]);
        },
        [&](std::size_t i) { retired_.push_back(&entries_[i]); },
        [&](std::size_t i) { give_up(entries_[i]); });
  }

  /// Marks the object as unusable after a failure, because messages may still be under way. Adds
  /// the context of the error, which transports do not know.
  template <class Action>
  [[gnu::always_inline]] std::invoke_result_t<Action> guarded(std::uint64_t round,
                                                              Action&& action) {
    try {
      return action();
    } catch (...) {
      rethrow_broken(round);
    }
  }

  /// May be called in an exception handler only.
  [[noreturn, gnu::cold, gnu::noinline]] void rethrow_broken(std::uint64_t round) {
    phase_ = Phase::broken;
    try {
      throw;
    } catch (const Error& error) {
      if (std::string_view(error.what()).starts_with(setting_.exchange_name)) throw;
      setting_.context.failed = true;
      fail(fmt::format("method {}, round {}: {}", sending_->row->info.name, round, error.what()));
    }
  }

  [[noreturn, gnu::cold]] void fail(const std::string& what) const {
    throw Error(fmt::format("{}: {}", setting_.exchange_name, what));
  }

  /// Throws, because a function was called in a phase that it does not belong to.
  [[noreturn, gnu::cold]] void fail_in_phase(const char* fault) const {
    if (phase_ != Phase::broken) fail(fault);
    fail(fmt::format("cannot be used any more, round {} failed", round_));
  }

  void check_item_size() {
    const auto mine = static_cast<std::int64_t>(setting_.item_size);
    const std::int64_t high = largest(setting_.context, mine, setting_.exchange_name);
    const std::int64_t low = -largest(setting_.context, -mine, setting_.exchange_name);
    if (high != low) {
      fail(fmt::format("the ranks have different item sizes ({} bytes here, {} to {} elsewhere)",
                       mine, low, high));
    }
    if (mine <= 0) fail(fmt::format("an item of {} bytes cannot be exchanged", mine));
  }

  std::size_t checked(int index) const {
    // a negative index becomes larger than every peer
    const auto peer = static_cast<std::size_t>(index);
    if (peer >= states_.size()) fail_index(index);
    return peer;
  }

  [[noreturn, gnu::cold]] void fail_index(int index) const {
    fail(fmt::format("there is no peer {}; there are {} peers", index, peers_.size()));
  }

  [[noreturn, gnu::cold]] void fail_commit(int index, std::size_t count) const {
    const auto& [rank, capacity, _] = peers_[checked(index)];
    if (count <= capacity) fail(fmt::format("rank {} committed twice", rank));
    fail(fmt::format("{} items committed for rank {}, but its outbox holds {}; reserve more", count,
                     rank, capacity));
  }

  /// Returns the inbox of a peer that `next` has not returned in this round.
  [[gnu::noinline]] std::span<const std::byte> inbox_without_items(int index) const {
    const NeighborPattern::Peer& peer = peers_[checked(index)];
    if (peer.receive_capacity == 0) return {};
    fail(fmt::format("inbox of rank {} read before next returned it", peer.rank));
  }

  std::byte* self_buffer(std::uint64_t round) const { return self_[round % 2].data(); }

  void make(Entry& entry) {
    if (entry.row->info.traits.ends_together)
      entry.number = setting_.context.collective_objects.announce();
    NeighborSetting setting = setting_;
    setting.method_name = entry.row->info.name;
    setting.data_tag = entry.data_tag;
    entry.method = entry.row->make(setting);
  }

  /// Gives a method up. Waits for no rank, unless others cannot finish their round without this
  /// rank.
  void give_up(Entry& entry) noexcept {
    if (entry.number != 0) {
      const bool filling = phase_ == Phase::filling && &entry == sending_;
      const std::uint64_t rounds = filling ? entry.round - 1 : entry.round;
      const bool under_way = phase_ == Phase::started && &entry == receiving_;
      std::unique_ptr<ReleasedNeighborMethod> object;
      if (entry.method) {
        try {
          if (under_way && !setting_.context.failed && !setting_.context.mpi_has_ended()) {
            entry.method->abandon(rounds);
          }
        } catch (const Error&) {
          setting_.context.failed = true;
        }
        object =
            std::make_unique<ReleasedNeighborMethod>(std::move(entry.method), rounds, under_way);
      }
      setting_.context.collective_objects.release(std::exchange(entry.number, 0),
                                                  std::move(object));
    }
    entry.method.reset();
  }

  /// Prepares a method for the present capacities.
  void prepare(Entry& entry) {
    const bool under_way = phase_ == Phase::filling && &entry == sending_;
    entry.method->prepare(links_, under_way ? entry.round - 1 : entry.round);
  }

  /// Throws on all ranks if memory for such peers does not suffice. `fresh` is the method that is
  /// about to take it; if it is null, the need is that of all methods in use and of this rank's
  /// messages to itself. Collective.
  void require_memory_for(std::span<const NeighborPattern::Peer> peers,
                          const Entry* fresh = nullptr) {
    MemoryNeed need;
    std::vector<Link> links;
    for (const NeighborPattern::Peer& peer : peers) {
      if (peer.rank == setting_.context.rank) {
        if (fresh != nullptr) continue;
        const std::size_t bytes = item_bytes(peer.send_capacity, setting_.item_size);
        need.plain = sum_of_bytes(need.plain, item_bytes(bytes, self_.size()));
      } else {
        links.push_back({peer.rank, peer.send_capacity, peer.receive_capacity});
      }
    }
    for (const Entry& entry : entries_) {
      const bool takes = fresh != nullptr ? &entry == fresh : in_use(entry);
      if (takes) need += entry.method->memory_for(links);
    }
    require_memory_on_all(setting_.context, need, setting_.exchange_name);
  }

  bool in_use(const Entry& entry) const {
    return entry.method && std::ranges::find(retired_, &entry) == retired_.end();
  }

  void find_links() {
    links_.clear();
    peer_of_link_.clear();
    order_.clear();
    here_at_once_ = 0;
    // If only capacities grew, the sums of sent items continue.
    const std::vector<PeerState> before =
        std::exchange(states_, std::vector<PeerState>(peers_.size()));
    std::size_t self = 0;
    for (std::size_t peer = 0; peer < peers_.size(); ++peer) {
      const NeighborPattern::Peer& p = peers_[peer];
      PeerState& state = states_[peer];
      if (!before.empty()) {
        state.bytes_sent = before[peer].bytes_sent;
        state.messages_sent = before[peer].messages_sent;
      }
      state.send_capacity = p.send_capacity;
      state.self = p.rank == setting_.context.rank;
      state.off_node = !context_.on_my_node(p.rank);
      if (state.self) {
        for (auto& buffer : self_) {
          buffer = two_sided::Memory(p.send_capacity * setting_.item_size);
        }
        here_at_once_ = p.receive_capacity > 0 ? 1 : 0;
        self = peer;
      } else if (p.send_capacity > 0 || p.receive_capacity > 0) {
        state.link = static_cast<std::uint32_t>(links_.size());
        if (p.receive_capacity > 0) order_.push_back(state.link);
        links_.push_back({p.rank, p.send_capacity, p.receive_capacity});
        peer_of_link_.push_back(peer);
      }
    }
    if (here_at_once_ > 0) {
      order_.insert(order_.begin(), links_.size());
      peer_of_link_.push_back(self);
    }
  }

  /// Returns the peers with larger capacities, on both sides, if `send_counts` asks for more.
  /// Collective.
  std::vector<NeighborPattern::Peer> grown_peers(std::span<const std::size_t> send_counts) {
    std::vector<NeighborPattern::Peer> peers = peers_;
    std::vector<int> others;
    std::vector<std::size_t> peer_of;
    std::vector<std::string> outgoing;
    for (std::size_t peer = 0; peer < peers.size(); ++peer) {
      NeighborPattern::Peer& p = peers[peer];
      if (send_counts[peer] > p.send_capacity) {
        // The capacity grows beyond the request, so that slow growth does not come here each time.
        p.send_capacity =
            std::max(send_counts[peer], sum_of_bytes(p.send_capacity, p.send_capacity / 2));
      }
      if (states_[peer].self) {
        p.receive_capacity = p.send_capacity;
        continue;
      }
      const std::uint64_t capacity = p.send_capacity;
      others.push_back(p.rank);
      peer_of.push_back(peer);
      outgoing.emplace_back(reinterpret_cast<const char*>(&capacity), sizeof capacity);
    }
    const auto incoming =
        handshake(setting_.context, setting_.exchange_name, setting_.control_tag, others, outgoing);
    for (std::size_t i = 0; i < incoming.size(); ++i) {
      std::uint64_t capacity = 0;
      std::memcpy(&capacity, incoming[i].data(), sizeof capacity);
      peers[peer_of[i]].receive_capacity = capacity;
    }
    return peers;
  }

  void use(std::vector<NeighborPattern::Peer> peers) {
    peers_ = std::move(peers);
    find_links();
    for (Entry& entry : entries_) {
      if (in_use(entry)) prepare(entry);
    }
  }

  Awaited awaited() const {
    Awaited result{setting_.exchange_name, receiving_->row->info.name, round_, {}};
    for (std::size_t i = here_; i < order_.size(); ++i) {
      result.ranks.push_back(links_[order_[i]].rank);
    }
    receiving_->method->add_late(result.ranks, receiving_round_);
    std::ranges::sort(result.ranks);
    result.ranks.erase(std::ranges::unique(result.ranks).begin(), result.ranks.end());
    return result;
  }

  Context context_;
  std::vector<NeighborPattern::Peer> peers_;
  NeighborSetting setting_;
  std::string reason_;
  std::vector<Entry> entries_;  ///< in the order of the table
  std::optional<Tuner> tuner_;
  Entry* sending_;                     ///< method of the round whose outboxes are filled
  Entry* receiving_;                   ///< method of the round that was started last
  std::uint64_t receiving_round_ = 0;  ///< number of that round for that method
  std::vector<Entry*> retired_;        ///< methods to destroy once their inboxes are given up
  std::vector<Link> links_;
  std::array<two_sided::Memory, 2> self_{two_sided::Memory(0), two_sided::Memory(0)};
  std::array<std::size_t, 2> self_counts_{};

  std::vector<PeerState> states_;  ///< by peer
  /// by link; the last entry, behind all links, is this rank as its own peer
  std::vector<std::size_t> peer_of_link_;
  std::vector<std::size_t> order_;  ///< links from which data may arrive, in the order of arrival
  std::size_t here_ = 0;            ///< number of links in `order_` that have arrived in this round
  std::size_t returned_ = 0;        ///< number of these that `next` has returned
  std::size_t here_at_once_ = 0;    ///< number of them that arrive with the start: this rank itself
  std::size_t commits_ = 0;         ///< number of commits in the round that is filled
  std::uint64_t round_ = 0;         ///< the last round that was started
  Phase phase_ = Phase::idle;

  bool timed_ = false;
  bool met_ = false;  ///< with synchronized timing: true if the ranks have met in this round
  RoundClock clock_;
  Tuner::Traffic traffic_;  ///< traffic of this round
  RoundRecord record_;
};

NeighborExchangeBytes::NeighborExchangeBytes(const Context& context, const NeighborPattern& pattern,
                                             std::size_t item_size, const NeighborOptions& options)
    : implementation_(std::make_unique<Implementation>(context, pattern, item_size, options)) {}
NeighborExchangeBytes::~NeighborExchangeBytes() = default;
NeighborExchangeBytes::NeighborExchangeBytes(NeighborExchangeBytes&&) noexcept = default;
NeighborExchangeBytes& NeighborExchangeBytes::operator=(NeighborExchangeBytes&&) noexcept = default;

std::span<const NeighborPattern::Peer> NeighborExchangeBytes::peers() const {
  return implementation_->peers();
}
std::byte* NeighborExchangeBytes::outbox(int peer) {
  return implementation_->outbox(peer);
}
void NeighborExchangeBytes::commit(int peer, std::size_t count) {
  implementation_->commit(peer, count);
}
void NeighborExchangeBytes::commit_shared(int peer, int other, std::span<const ItemRange> ranges) {
  implementation_->commit_shared(peer, other, ranges);
}
void NeighborExchangeBytes::start() {
  implementation_->start();
}
int NeighborExchangeBytes::next_peer() {
  return implementation_->next_peer();
}
std::span<const std::byte> NeighborExchangeBytes::inbox(int peer) const {
  return implementation_->inbox(peer);
}
void NeighborExchangeBytes::finish() {
  implementation_->finish();
}
void NeighborExchangeBytes::reserve(std::span<const std::size_t> send_counts) {
  implementation_->reserve(send_counts);
}
Verdict NeighborExchangeBytes::verdict() const {
  return implementation_->verdict();
}

}  // namespace sterna::comm
