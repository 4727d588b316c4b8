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
#include "comm/context/handshake.hpp"
#include "comm/context/waiter.hpp"
#include "comm/neighbor/table.hpp"
#include "comm/transport/two_sided/memory.hpp"
#include "comm/tune/round_clock.hpp"
#include "comm/tune/select_neighbor_method.hpp"
#include "comm/tune/tuner.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/neighbor_exchange.hpp"

namespace sterna::comm {

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
    NeighborSelection selection = select_neighbor_method(context, peers_, options);
    check_item_size();
    for (const NeighborMethodRow& row : neighbor_method_table()) {
      entries_.push_back({row.info.name, row.make, setting_.context.reserve_tags(1), nullptr, 0});
    }
    reason_ = std::move(selection.reason);
    if (!selection.candidates.empty()) {
      tuner_.emplace(TunerSetting{context, "neighbor", options.name,
                                  std::move(selection.candidates), selection.method, reason_,
                                  neighbor_tuning});
    }
    sending_ = receiving_ = &entries_[selection.method];
    make(*sending_);
    find_links();
    prepare(*sending_);
  }

  std::span<const NeighborPattern::Peer> peers() const { return peers_; }

  std::byte* outbox(int index) {
    const std::size_t peer = checked(index);
    check_usable();
    if (started_) fail("outbox used between start and finish");
    begin();
    if (is_self(peer)) return self_buffer(round_ + 1);
    if (link_of_[peer] == no_link) return nullptr;
    return guarded(round_ + 1,
                   [&] { return sending_->method->outbox(link_of_[peer], sending_->round); });
  }

  void commit(int index, std::size_t count) {
    const std::size_t peer = checked(index);
    check_usable();
    if (started_) fail("commit between start and finish");
    if (committed_[peer]) fail(fmt::format("rank {} committed twice", peers_[peer].rank));
    if (count > peers_[peer].send_capacity) {
      fail(fmt::format("{} items committed for rank {}, room is for {}; reserve more", count,
                       peers_[peer].rank, peers_[peer].send_capacity));
    }
    begin();
    committed_[peer] = 1;
    if (is_self(peer)) {
      self_counts_[(round_ + 1) % 2] = count;
    } else if (peers_[peer].send_capacity > 0) {
      guarded(round_ + 1,
              [&] { sending_->method->commit(link_of_[peer], count, sending_->round); });
      ++traffic_.messages;
      traffic_.bytes += count * setting_.item_size;
      if (off_node_[peer]) ++traffic_.off_node;
    }
  }

  void start() {
    check_usable();
    if (started_) fail("started twice without finish");
    begin();
    for (std::size_t peer = 0; peer < peers_.size(); ++peer) {
      if (!committed_[peer]) commit(static_cast<int>(peer), 0);
      committed_[peer] = 0;
    }
    ++round_;
    receiving_ = sending_;
    receiving_round_ = sending_->round;
    guarded(round_, [&] { receiving_->method->start(receiving_round_); });
    started_ = true;
    pending_ = receiving_peers_;
    here_.clear();
    next_here_ = 0;
    if (timed_) clock_.pause();
  }

  std::optional<int> next() {
    if (!started_) fail("next called outside of start and finish");
    receive();
    if (next_here_ == here_.size() && !find_more()) return std::nullopt;
    const std::size_t peer = here_[next_here_++];
    arrived_round_[peer] = round_;
    return static_cast<int>(peer);
  }

  std::span<const std::byte> inbox(int index) const {
    const std::size_t peer = checked(index);
    if (peers_[peer].receive_capacity == 0) return {};
    if (round_ == 0 || arrived_round_[peer] != round_) {
      fail(fmt::format("inbox of rank {} read before next returned it", peers_[peer].rank));
    }
    if (is_self(peer)) return {self_buffer(round_), self_counts_[round_ % 2] * setting_.item_size};
    return receiving_->method->inbox(link_of_[peer], receiving_round_);
  }

  void finish() {
    if (!started_) fail("finished without start");
    receive();
    while (next()) continue;
    guarded(round_, [&] { receiving_->method->finish(receiving_round_); });
    started_ = false;
    begun_ = false;
    double us = 0.0;
    if (timed_) {
      us = clock_.stop();
      times_[timed_rounds_++ % times_.size()] = us;
    }
    if (auto* timing = setting_.context.exchange_timing) timing->communication += 1e-6 * us;
    messages_ += traffic_.messages;
    bytes_ += traffic_.bytes;
    if (tuner_) tuner_->note(us, traffic_);
    traffic_ = {};
  }

  void reserve(std::span<const std::size_t> send_counts) {
    check_usable();
    if (started_) fail("reserve called inside a round");
    std::string fault;
    if (send_counts.size() != peers_.size()) {
      fault = fmt::format("reserve got {} counts for {} peers", send_counts.size(), peers_.size());
    }
    if (std::ranges::find(committed_, 1) != committed_.end()) {
      fault = "reserve called after commit";
    }
    bool grows = false;
    for (std::size_t peer = 0; fault.empty() && peer < peers_.size(); ++peer) {
      grows = grows || send_counts[peer] > peers_[peer].send_capacity;
    }
    // 2: an error somewhere; 1: somebody grows.
    const std::int64_t verdict = guarded(round_, [&] {
      return largest(setting_.context, !fault.empty() ? 2 : grows ? 1 : 0, setting_.exchange);
    });
    if (verdict == 2) {
      fail(fault.empty() ? "reserve failed on another rank; its error says why" : fault);
    }
    if (verdict == 1) guarded(round_, [&] { grow(send_counts); });
  }

  Verdict verdict() const {
    Verdict verdict{.exchange = setting_.exchange,
                    .rounds = round_,
                    .bytes_sent = bytes_,
                    .messages_sent = messages_};
    const std::size_t timed = std::min<std::size_t>(timed_rounds_, times_.size());
    if (timed > 0) {
      std::vector<double> times(times_.begin(),
                                times_.begin() + static_cast<std::ptrdiff_t>(timed));
      const auto middle = times.begin() + static_cast<std::ptrdiff_t>(timed / 2);
      std::nth_element(times.begin(), middle, times.end());
      verdict.median_us = *middle;
    }
    if (tuner_) {
      tuner_->explain(verdict);
    } else {
      verdict.method = receiving_->name;
      verdict.text = fmt::format("{} {:.1f} us ({})", verdict.method, verdict.median_us, reason_);
    }
    return verdict;
  }

 private:
  static constexpr std::size_t no_link = static_cast<std::size_t>(-1);

  /// A method of the table. Rounds are counted for each, without gaps, as methods want them.
  struct Entry {
    std::string_view name;
    std::unique_ptr<NeighborMethod> (*make)(const NeighborSetting& setting);
    int data_tag;
    std::unique_ptr<NeighborMethod> method;
    std::uint64_t round;
  };

  /// First thing in a round: the method that carries it.
  void begin() {
    if (begun_) return;
    if (tuner_) {
      // The inboxes of the round before may still be read; those of the one before that not.
      for (Entry* const entry : retired_) entry->method.reset();
      retired_.clear();
      if (tuner_->due()) guarded(round_ + 1, [&] { change_methods(); });
      sending_ = &entries_[tuner_->current()];
      timed_ = tuner_->timed();
    } else {
      timed_ = Tuner::worth_timing(round_);
    }
    timed_ = timed_ || setting_.context.exchange_timing != nullptr;
    met_ = false;
    ++sending_->round;
    begun_ = true;
    if (timed_) clock_.start();
  }

  /// First thing when the caller turns to what arrives.
  void receive() {
    if (auto* timing = setting_.context.exchange_timing; timing != nullptr && !met_) {
      timing->meet();
      met_ = true;
    }
    if (timed_) clock_.resume();
  }

  /// Waits until more of the pending peers have arrived; false where none is pending. Looks at all
  /// of them in one go, so that the processor fetches the lines that others wrote side by side.
  bool find_more() {
    if (pending_.empty()) return false;
    NeighborMethod& method = *receiving_->method;
    const std::uint64_t method_round = receiving_round_;
    const auto anything_new = [&] {
      const std::size_t before = pending_.size();
      std::erase_if(pending_, [&](std::size_t peer) {
        if (!is_self(peer) && !method.arrived(link_of_[peer], method_round)) return false;
        here_.push_back(peer);
        return true;
      });
      return pending_.size() < before;
    };
    // Messages arrive by progress only; what others store may be there already.
    const bool by_itself = method.watched() == Watched::memory;
    const auto anything_new_yet = [&] {
      if (by_itself && anything_new()) return true;
      method.progress();
      return anything_new();
    };
    guarded(round_, [&] {
      Waiter(setting_.context, method.watched()).wait(anything_new_yet, [&] { return awaited(); });
    });
    return true;
  }

  /// Collective: agrees on the methods that may carry the next rounds, and makes them.
  void change_methods() {
    tuner_->agree();
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      Entry& entry = entries_[i];
      const auto& live = tuner_->live();
      if (std::ranges::find(live, i) == live.end()) {
        if (entry.method) retired_.push_back(&entry);
      } else if (!entry.method) {
        std::string fault;
        try {
          make(entry);
          prepare(entry);
        } catch (const Error& error) {
          if (setting_.context.failed) throw;
          fault = error.what();
        }
        fault = agree_on_reason(setting_.context, fault, setting_.exchange);
        if (fault.empty()) continue;
        if (live.size() == 1) fail(fault);
        entry.method.reset();
        tuner_->exclude(i, fault);
      }
    }
  }

  /// After a failure messages may be left under way: the object is of no more use. Errors of a
  /// transport do not know what they happened in.
  template <class Action>
  std::invoke_result_t<Action> guarded(std::uint64_t round, Action&& action) {
    try {
      return action();
    } catch (const Error& error) {
      broken_ = true;
      if (std::string_view(error.what()).starts_with(setting_.exchange)) throw;
      setting_.context.failed = true;
      fail(fmt::format("method {}, round {}: {}", sending_->name, round, error.what()));
    } catch (...) {
      broken_ = true;
      throw;
    }
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{}: {}", setting_.exchange, what));
  }

  void check_usable() const {
    if (broken_) fail(fmt::format("cannot be used any more, round {} failed", round_));
  }

  void check_item_size() {
    const auto mine = static_cast<std::int64_t>(setting_.item_size);
    const std::int64_t high = largest(setting_.context, mine, setting_.exchange);
    const std::int64_t low = -largest(setting_.context, -mine, setting_.exchange);
    if (high != low) {
      fail(fmt::format("the ranks have different item sizes ({} bytes here, {} to {} elsewhere)",
                       mine, low, high));
    }
    if (mine <= 0) fail(fmt::format("an item of {} bytes cannot be exchanged", mine));
  }

  std::size_t checked(int index) const {
    if (index < 0 || static_cast<std::size_t>(index) >= peers_.size()) {
      fail(fmt::format("there is no peer {}; there are {} peers", index, peers_.size()));
    }
    return static_cast<std::size_t>(index);
  }

  bool is_self(std::size_t peer) const { return peers_[peer].rank == setting_.context.rank; }

  std::byte* self_buffer(std::uint64_t round) const { return self_[round % 2].data(); }

  void make(Entry& entry) {
    NeighborSetting setting = setting_;
    setting.method = entry.name;
    setting.data_tag = entry.data_tag;
    entry.method = entry.make(setting);
  }

  /// Tells a method about the capacities as they are now.
  void prepare(Entry& entry) {
    const bool under_way = begun_ && &entry == sending_;
    entry.method->prepare(links_, under_way ? entry.round - 1 : entry.round);
  }

  void find_links() {
    links_.clear();
    link_of_.assign(peers_.size(), no_link);
    off_node_.assign(peers_.size(), 0);
    receiving_peers_.clear();
    for (std::size_t peer = 0; peer < peers_.size(); ++peer) {
      const NeighborPattern::Peer& p = peers_[peer];
      if (p.receive_capacity > 0) receiving_peers_.push_back(peer);
      off_node_[peer] = context_.on_my_node(p.rank) ? 0 : 1;
      if (is_self(peer)) {
        for (auto& buffer : self_) {
          buffer = two_sided::Memory(p.send_capacity * setting_.item_size);
        }
      } else if (p.send_capacity > 0 || p.receive_capacity > 0) {
        link_of_[peer] = links_.size();
        links_.push_back({p.rank, p.send_capacity, p.receive_capacity});
      }
    }
    committed_.assign(peers_.size(), 0);
    arrived_round_.assign(peers_.size(), 0);
    pending_.reserve(receiving_peers_.size());
    here_.reserve(receiving_peers_.size());
  }

  void grow(std::span<const std::size_t> send_counts) {
    std::vector<int> others;
    std::vector<std::size_t> peer_of;
    std::vector<std::string> outgoing;
    for (std::size_t peer = 0; peer < peers_.size(); ++peer) {
      NeighborPattern::Peer& p = peers_[peer];
      if (send_counts[peer] > p.send_capacity) {
        // More than was asked for, so that slow growth does not come here each time.
        p.send_capacity = std::max(send_counts[peer], p.send_capacity + p.send_capacity / 2);
      }
      if (is_self(peer)) {
        p.receive_capacity = p.send_capacity;
        continue;
      }
      const std::uint64_t capacity = p.send_capacity;
      others.push_back(p.rank);
      peer_of.push_back(peer);
      outgoing.emplace_back(reinterpret_cast<const char*>(&capacity), sizeof capacity);
    }
    const auto incoming = exchange_letters(setting_.context, setting_.exchange,
                                           setting_.control_tag, others, outgoing);
    for (std::size_t i = 0; i < incoming.size(); ++i) {
      std::uint64_t capacity = 0;
      std::memcpy(&capacity, incoming[i].data(), sizeof capacity);
      peers_[peer_of[i]].receive_capacity = capacity;
    }
    find_links();
    for (Entry& entry : entries_) {
      if (entry.method && std::ranges::find(retired_, &entry) == retired_.end()) prepare(entry);
    }
  }

  Awaited awaited() const {
    Awaited result{setting_.exchange, receiving_->name, round_, {}};
    for (const std::size_t peer : pending_) result.ranks.push_back(peers_[peer].rank);
    std::ranges::sort(result.ranks);
    return result;
  }

  Context context_;
  std::vector<NeighborPattern::Peer> peers_;
  NeighborSetting setting_;
  std::string reason_;
  std::vector<Entry> entries_;  ///< in the order of the table
  std::optional<Tuner> tuner_;
  Entry* sending_;                     ///< carries the round whose outboxes are filled
  Entry* receiving_;                   ///< carries, or carried, the round that was started last
  std::uint64_t receiving_round_ = 0;  ///< its number for that method
  std::vector<Entry*> retired_;        ///< to be destroyed once their inboxes are given up
  std::vector<Link> links_;
  std::array<two_sided::Memory, 2> self_{two_sided::Memory(0), two_sided::Memory(0)};
  std::array<std::size_t, 2> self_counts_{};

  std::vector<std::size_t> link_of_;          ///< by peer
  std::vector<char> off_node_;                ///< by peer
  std::vector<std::size_t> receiving_peers_;  ///< peers from which something may come
  std::vector<std::size_t> pending_;          ///< of those, not yet seen in this round
  std::vector<std::size_t> here_;             ///< of those, seen in this round, in this order
  std::size_t next_here_ = 0;                 ///< of `here_`: the first that next has not returned
  std::vector<char> committed_;               ///< by peer
  std::vector<std::uint64_t> arrived_round_;  ///< by peer: the last round that next returned
  std::uint64_t round_ = 0;                   ///< the last that was started
  bool started_ = false;
  bool broken_ = false;

  bool begun_ = false;  ///< a round, but it may not be started yet
  bool timed_ = false;
  bool met_ = false;  ///< where timing is synchronized: in this round
  RoundClock clock_;
  std::array<double, 1024> times_{};  ///< us, of the latest rounds that were timed
  std::size_t timed_rounds_ = 0;
  Tuner::Traffic traffic_;  ///< of this round
  std::size_t bytes_ = 0;
  std::size_t messages_ = 0;
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
void NeighborExchangeBytes::start() {
  implementation_->start();
}
std::optional<int> NeighborExchangeBytes::next() {
  return implementation_->next();
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
