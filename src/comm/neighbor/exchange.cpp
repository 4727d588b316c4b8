#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <type_traits>
#include <utility>

#include "comm/context/agreement.hpp"
#include "comm/context/handshake.hpp"
#include "comm/context/waiter.hpp"
#include "comm/neighbor/table.hpp"
#include "comm/transport/two_sided/memory.hpp"
#include "comm/tune/select_neighbor_method.hpp"
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
                 context.implementation().reserve_tags(1),
                 context.implementation().reserve_tags(1)} {
    NeighborSelection selection = select_neighbor_method(context, peers_, options);
    check_item_size();
    setting_.method = selection.method;
    reason_ = std::move(selection.reason);
    method_ = find_neighbor_method(setting_.method).make(setting_);
    prepare();
  }

  std::span<const NeighborPattern::Peer> peers() const { return peers_; }

  std::byte* outbox(int index) {
    const std::size_t peer = checked(index);
    check_usable();
    if (started_) fail("outbox used between start and finish");
    if (is_self(peer)) return self_buffer(round_ + 1);
    if (link_of_[peer] == no_link) return nullptr;
    return guarded(round_ + 1, [&] { return method_->outbox(link_of_[peer], round_ + 1); });
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
    committed_[peer] = 1;
    if (is_self(peer)) {
      self_counts_[(round_ + 1) % 2] = count;
    } else if (peers_[peer].send_capacity > 0) {
      guarded(round_ + 1, [&] { method_->commit(link_of_[peer], count, round_ + 1); });
      bytes_ += count * setting_.item_size;
      ++messages_;
    }
  }

  void start() {
    check_usable();
    if (started_) fail("started twice without finish");
    start_time_ = Clock::now();
    for (std::size_t peer = 0; peer < peers_.size(); ++peer) {
      if (!committed_[peer]) commit(static_cast<int>(peer), 0);
      committed_[peer] = 0;
    }
    ++round_;
    guarded(round_, [&] { method_->start(round_); });
    started_ = true;
    pending_ = receiving_;
  }

  std::optional<int> next() {
    if (!started_) fail("next called outside of start and finish");
    if (pending_.empty()) return std::nullopt;
    std::size_t found = 0;
    const auto anything_new = [&] {
      for (std::size_t i = 0; i < pending_.size(); ++i) {
        const std::size_t peer = pending_[i];
        if (is_self(peer) || method_->arrived(link_of_[peer], round_)) {
          found = peer;
          pending_[i] = pending_.back();
          pending_.pop_back();
          return true;
        }
      }
      method_->progress();
      return false;
    };
    guarded(round_,
            [&] { Waiter(setting_.context).wait(anything_new, [&] { return awaited(); }); });
    arrived_round_[found] = round_;
    return static_cast<int>(found);
  }

  std::span<const std::byte> inbox(int index) const {
    const std::size_t peer = checked(index);
    if (peers_[peer].receive_capacity == 0) return {};
    if (round_ == 0 || arrived_round_[peer] != round_) {
      fail(fmt::format("inbox of rank {} read before next returned it", peers_[peer].rank));
    }
    if (is_self(peer)) return {self_buffer(round_), self_counts_[round_ % 2] * setting_.item_size};
    return method_->inbox(link_of_[peer], round_);
  }

  void finish() {
    if (!started_) fail("finished without start");
    while (!pending_.empty()) next();
    guarded(round_, [&] { method_->finish(round_); });
    started_ = false;
    times_[round_ % times_.size()] = Clock::now() - start_time_;
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
    Verdict verdict{setting_.exchange, std::string(setting_.method), {}, round_, 0.0, bytes_,
                    messages_};
    std::vector<double> times;
    for (std::uint64_t round = round_; round > 0 && times.size() < times_.size(); --round) {
      times.push_back(
          std::chrono::duration<double, std::micro>(times_[round % times_.size()]).count());
    }
    if (!times.empty()) {
      const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
      std::nth_element(times.begin(), middle, times.end());
      verdict.median_us = *middle;
    }
    verdict.text = fmt::format("{} {:.1f} us ({})", setting_.method, verdict.median_us, reason_);
    return verdict;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t no_link = static_cast<std::size_t>(-1);

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
      fail(fmt::format("method {}, round {}: {}", setting_.method, round, error.what()));
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

  /// Tells the method about the capacities as they are now.
  void prepare() {
    std::vector<Link> links;
    link_of_.assign(peers_.size(), no_link);
    receiving_.clear();
    for (std::size_t peer = 0; peer < peers_.size(); ++peer) {
      const NeighborPattern::Peer& p = peers_[peer];
      if (p.receive_capacity > 0) receiving_.push_back(peer);
      if (is_self(peer)) {
        for (auto& buffer : self_) {
          buffer = two_sided::Memory(p.send_capacity * setting_.item_size);
        }
      } else if (p.send_capacity > 0 || p.receive_capacity > 0) {
        link_of_[peer] = links.size();
        links.push_back({p.rank, p.send_capacity, p.receive_capacity});
      }
    }
    method_->prepare(std::move(links), round_);
    committed_.assign(peers_.size(), 0);
    arrived_round_.assign(peers_.size(), 0);
    pending_.reserve(receiving_.size());
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
    prepare();
  }

  Awaited awaited() const {
    Awaited result{setting_.exchange, setting_.method, round_, {}};
    for (const std::size_t peer : pending_) result.ranks.push_back(peers_[peer].rank);
    std::ranges::sort(result.ranks);
    return result;
  }

  Context context_;
  std::vector<NeighborPattern::Peer> peers_;
  NeighborSetting setting_;
  std::string reason_;
  std::unique_ptr<NeighborMethod> method_;
  std::array<two_sided::Memory, 2> self_{two_sided::Memory(0), two_sided::Memory(0)};
  std::array<std::size_t, 2> self_counts_{};

  std::vector<std::size_t> link_of_;          ///< by peer
  std::vector<std::size_t> receiving_;        ///< peers from which something may come
  std::vector<std::size_t> pending_;          ///< of those, not yet returned in this round
  std::vector<char> committed_;               ///< by peer
  std::vector<std::uint64_t> arrived_round_;  ///< by peer: the last round that next returned
  std::uint64_t round_ = 0;                   ///< the last that was started
  bool started_ = false;
  bool broken_ = false;

  Clock::time_point start_time_;
  std::array<Clock::duration, 1024> times_{};  ///< of the latest rounds
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
