#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "sterna/comm/context.hpp"
#include "sterna/comm/methods.hpp"

namespace sterna::comm {

/// Who exchanges with whom, and how many items at most in either direction. A rank may be its own
/// peer. Peers are kept sorted by rank; a peer's index in `peers()` names it from then on.
class NeighborPattern {
 public:
  struct Peer {
    int rank;
    std::size_t send_capacity;     ///< items
    std::size_t receive_capacity;  ///< items; must equal the send capacity at the other side
  };
  /// Collective. Throws Error (on all ranks) where the two sides of a pair disagree.
  static NeighborPattern from_peers(const Context& context, std::vector<Peer> peers);
  std::span<const Peer> peers() const { return peers_; }
  /// The same peers with the directions swapped: forces back to where positions came from.
  NeighborPattern reversed() const {
    NeighborPattern result(peers_);
    for (Peer& peer : result.peers_) std::swap(peer.send_capacity, peer.receive_capacity);
    return result;
  }

 private:
  explicit NeighborPattern(std::vector<Peer> peers) : peers_(std::move(peers)) {}
  std::vector<Peer> peers_;
};

struct NeighborOptions {
  /// A name of `neighbor_methods()`, or "auto": measured in the rounds of the exchange, see
  /// `NeighborExchangeBytes`. The same on all ranks.
  std::string method = "auto";
  std::string name = "neighbor exchange";  ///< in errors, logs and verdicts
};

/// Persistent exchange over a static pattern, on bytes. Use `NeighborExchange<T>`.
/// A round: fill the outboxes, `commit` each, `start`, take `next` until it is empty, `finish`.
/// Inboxes stay readable until the next `start`; outboxes may be filled again after `finish`, and
/// ask for the outbox in each round, as it may lie elsewhere. Results never depend on the method.
/// All ranks of the context run the same rounds, also those without peers. Rounds of several
/// exchanges may overlap; with "auto", where a round may begin with an agreement of all ranks on
/// the method, and with `rma_fence`, all ranks must begin and start them in the same order.
/// Made and reserved collectively, in the same order on all ranks of the context. Each rank may
/// destroy it at any time, also in the middle of a round. What must be freed collectively is freed
/// when the ranks next make an exchange, or end the context.
/// Throws Error where a call comes out of order, a rank has died, or the timeout has passed;
/// after the latter two the exchange can only be destroyed. The constructor and `reserve` throw
/// MemoryError on all ranks, and change nothing, where a node has no memory for the capacities.
class NeighborExchangeBytes {
 public:
  NeighborExchangeBytes(const Context& context, const NeighborPattern& pattern,
                        std::size_t item_size, const NeighborOptions& options);
  ~NeighborExchangeBytes();
  NeighborExchangeBytes(NeighborExchangeBytes&&) noexcept;
  NeighborExchangeBytes& operator=(NeighborExchangeBytes&&) noexcept;

  std::span<const NeighborPattern::Peer> peers() const;
  /// The send buffer for that peer, of its send capacity; empty where that is 0. Where nothing
  /// comes back from that peer, the call may wait until the peer's inbox is free. Like the inbox it
  /// is aligned to 16 bytes, to 32 or 64 where the size of an item is a multiple of that.
  std::byte* outbox(int peer);
  /// Says that `count` items lie in the outbox of `peer`; they may leave at once.
  void commit(int peer, std::size_t count);
  /// Commits zero items for every peer that was not committed.
  void start();
  /// A peer whose data have arrived and that was not returned in this round, or nothing when all
  /// were. Waits. The order is that of arrival. Peers with a receive capacity of 0 never appear;
  /// one that sent 0 items does.
  std::optional<int> next() {
    const int peer = next_peer();
    if (peer < 0) return std::nullopt;
    return peer;
  }
  /// What arrived from `peer` in this round; valid once `next` returned it.
  std::span<const std::byte> inbox(int peer) const;
  /// Takes what `next` has not, and waits until the outboxes are free.
  void finish();

  /// Collective: raises the send capacity of each peer to at least these counts, and the receive
  /// capacity at the other side with it. Cheap where nothing grows (one reduction). Must not be
  /// called inside a round; where something grew, what the inboxes and outboxes held is gone.
  void reserve(std::span<const std::size_t> send_counts);

  Verdict verdict() const;

 private:
  class Implementation;
  /// `next` as a number, which comes back in a register; -1: nothing.
  int next_peer();
  std::unique_ptr<Implementation> implementation_;
};

/// Exchange of items of a trivially copyable type with the peers of a pattern: who sends how
/// many items to whom is known beforehand and stays, as in the halo exchange of a domain
/// decomposition.
template <class T>
class NeighborExchange {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 64);

 public:
  NeighborExchange(const Context& context, const NeighborPattern& pattern,
                   const NeighborOptions& options = {})
      : bytes_(context, pattern, sizeof(T), options) {}

  std::span<const NeighborPattern::Peer> peers() const { return bytes_.peers(); }
  std::span<T> outbox(int peer) {
    return {reinterpret_cast<T*>(bytes_.outbox(peer)),
            bytes_.peers()[static_cast<std::size_t>(peer)].send_capacity};
  }
  void commit(int peer, std::size_t count) { bytes_.commit(peer, count); }
  void start() { bytes_.start(); }
  std::optional<int> next() { return bytes_.next(); }
  std::span<const T> inbox(int peer) const {
    const auto raw = bytes_.inbox(peer);
    return {reinterpret_cast<const T*>(raw.data()), raw.size() / sizeof(T)};
  }
  /// Instead of `next`: calls `take(peer, items)` for all that receive, in the order of the peers,
  /// each as soon as those before it are there. So sums over what arrives are repeatable, bit for
  /// bit, whichever order it arrives in: `take` of a reversed pattern adds the forces.
  template <class Take>
  void take_in_order(Take&& take) {
    std::vector<bool> here(peers().size());
    std::size_t first = 0;
    const auto take_those_in_line = [&] {
      for (; first < here.size(); ++first) {
        if (peers()[first].receive_capacity == 0) continue;
        if (!here[first]) return;
        take(static_cast<int>(first), inbox(static_cast<int>(first)));
      }
    };
    while (const auto peer = next()) {
      here[static_cast<std::size_t>(*peer)] = true;
      take_those_in_line();
    }
  }
  void finish() { bytes_.finish(); }
  void reserve(std::span<const std::size_t> send_counts) { bytes_.reserve(send_counts); }
  Verdict verdict() const { return bytes_.verdict(); }

 private:
  NeighborExchangeBytes bytes_;
};

/// Several fields of the same particles in one message: `NeighborFields<Vec3, double, int>`. In the
/// message they lie one after the other, each as an array. Types in the order of descending
/// alignment, so that every array is aligned whatever the count.
template <class... Ts>
class NeighborFields {
  static_assert((std::is_trivially_copyable_v<Ts> && ...));
  static constexpr std::array<std::size_t, sizeof...(Ts)> sizes{sizeof(Ts)...};
  static constexpr std::array<std::size_t, sizeof...(Ts)> alignments{alignof(Ts)...};
  static_assert(std::is_sorted(alignments.rbegin(), alignments.rend()),
                "name the fields in the order of descending alignment");
  static_assert(((alignof(Ts) <= 16) && ...), "items of several fields are aligned to 16 bytes");
  using Indices = std::index_sequence_for<Ts...>;

 public:
  NeighborFields(const Context& context, const NeighborPattern& pattern,
                 const NeighborOptions& options = {})
      : bytes_(context, pattern, (sizeof(Ts) + ...), options) {}

  std::span<const NeighborPattern::Peer> peers() const { return bytes_.peers(); }
  /// Send buffers for each field of `count` particles, which must then be the count of `commit`. At
  /// most the send capacity.
  std::tuple<std::span<Ts>...> outbox(int peer, std::size_t count) {
    return fields<Ts...>(bytes_.outbox(peer), count, Indices{});
  }
  void commit(int peer, std::size_t count) { bytes_.commit(peer, count); }
  void start() { bytes_.start(); }
  std::optional<int> next() { return bytes_.next(); }
  std::tuple<std::span<const Ts>...> inbox(int peer) const {
    const auto raw = bytes_.inbox(peer);
    return fields<const Ts...>(raw.data(), raw.size() / (sizeof(Ts) + ...), Indices{});
  }
  void finish() { bytes_.finish(); }
  void reserve(std::span<const std::size_t> send_counts) { bytes_.reserve(send_counts); }
  Verdict verdict() const { return bytes_.verdict(); }

 private:
  template <class... Us, class Byte, std::size_t... Is>
  static std::tuple<std::span<Us>...> fields(Byte* begin, std::size_t count,
                                             std::index_sequence<Is...>) {
    const auto offset = [&](std::size_t field) {
      std::size_t bytes = 0;
      for (std::size_t i = 0; i < field; ++i) bytes += sizes[i] * count;
      return bytes;
    };
    return {std::span<Us>(reinterpret_cast<Us*>(begin + offset(Is)), count)...};
  }

  NeighborExchangeBytes bytes_;
};

}  // namespace sterna::comm
