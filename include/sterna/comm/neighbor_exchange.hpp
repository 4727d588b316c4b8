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

/// The peers of a rank, and the largest number of items in each direction. A rank may be its own
/// peer. Peers are sorted by rank; from then on a peer is named by its index in `peers()`.
class NeighborPattern {
 public:
  struct Peer {
    int rank;
    std::size_t send_capacity;     ///< in items
    std::size_t receive_capacity;  ///< in items; must equal the peer's send capacity to this rank
  };
  /// Makes a pattern. Collective. Throws Error on all ranks if the two sides of a pair disagree.
  static NeighborPattern from_peers(const Context& context, std::vector<Peer> peers);
  std::span<const Peer> peers() const { return peers_; }
  /// Returns the same peers with the directions swapped, as for forces, which go back to where
  /// positions came from.
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
  /// A name of `neighbor_methods()`, or "auto", which measures methods in the rounds of the
  /// exchange, see `NeighborExchangeBytes`. All ranks must give the same name.
  std::string method = "auto";
  std::string name = "neighbor exchange";  ///< name in errors, logs and verdicts
};

/// Consecutive items of an outbox.
struct ItemRange {
  std::size_t first;
  std::size_t count;
};

/// A persistent exchange over a static pattern, on bytes. Use `NeighborExchange<T>`. In a round the
/// caller fills the outboxes, calls `commit` for each, `start`, `next` until it returns nothing,
/// and `finish`. Inboxes stay readable until the next `start`. Outboxes may be filled again after
/// `finish`; ask for the outbox in each round, as its address may change.
///
/// Results never depend on the method. All ranks of the context run the same rounds, including
/// those without peers. Rounds of several exchanges may overlap. With "auto" a round may begin with
/// an agreement of all ranks on the method; with "auto" and with `rma_fence`, therefore, all ranks
/// must begin and start the rounds of several exchanges in the same order.
///
/// Construction and `reserve` are collective, in the same order on all ranks of the context. Each
/// rank may destroy the exchange at any time, even in the middle of a round. Parts that must be
/// freed collectively are freed when the ranks next make an exchange, or end the context.
///
/// Throws Error if a call comes out of order, a rank has died, or the timeout has passed. After the
/// latter two the exchange can only be destroyed. The constructor and `reserve` throw MemoryError
/// on all ranks, and change nothing, if a node lacks the memory for the capacities.
class NeighborExchangeBytes {
 public:
  NeighborExchangeBytes(const Context& context, const NeighborPattern& pattern,
                        std::size_t item_size, const NeighborOptions& options);
  ~NeighborExchangeBytes();
  NeighborExchangeBytes(NeighborExchangeBytes&&) noexcept;
  NeighborExchangeBytes& operator=(NeighborExchangeBytes&&) noexcept;

  std::span<const NeighborPattern::Peer> peers() const;
  /// Returns the send buffer for that peer, of its send capacity; empty if that is 0. If nothing
  /// comes back from that peer, the call may wait until the peer's inbox is free. Outboxes and
  /// inboxes are aligned to 16 bytes, and to 32 or 64 if the size of an item is a multiple of that.
  std::byte* outbox(int peer);
  /// Declares that the outbox of `peer` has `count` items; they may leave at once.
  void commit(int peer, std::size_t count);
  /// Replaces `commit` where the items for `peer` are some of those that `commit` has declared for
  /// `other` in this round: those of an edge of a halo are also part of a face. They arrive range by
  /// range. The
  /// outbox of `peer` is not used. If both are ranks of one other node, node_aggregated sends these
  /// items once. Their inbox is then aligned as an item is. Every other method copies them into the
  /// outbox of `peer`. Throws Error if a range is not among the items of `other`.
  void commit_shared(int peer, int other, std::span<const ItemRange> ranges);
  /// Starts the round. Peers without a commit get zero items.
  void start();
  /// Waits for the next peer whose data have arrived in this round, and returns it; returns nothing
  /// after the last one. The order is that of arrival. Peers with a receive capacity of 0 never
  /// appear; a peer that sent 0 items does.
  std::optional<int> next() {
    const int peer = next_peer();
    if (peer < 0) return std::nullopt;
    return peer;
  }
  /// The items that arrived from `peer` in this round; valid after `next` has returned it.
  std::span<const std::byte> inbox(int peer) const;
  /// Takes the arrivals that `next` has not returned, and waits until the outboxes are free.
  void finish();

  /// Raises the send capacity of each peer to at least these counts, and with it the receive
  /// capacity at the other side. Collective. Costs one reduction if no capacity grows. Must not be
  /// called inside a round; if a capacity grew, the contents of inboxes and outboxes are lost.
  void reserve(std::span<const std::size_t> send_counts);

  Verdict verdict() const;

 private:
  class Implementation;
  /// The same as `next`, but as a number, which is returned in a register; -1 for nothing.
  int next_peer();
  std::unique_ptr<Implementation> implementation_;
};

/// Exchange of items of a trivially copyable type with the peers of a pattern. The peers and the
/// largest number of items are known beforehand and stay, as in the halo exchange of a domain
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
  void commit_shared(int peer, int other, std::span<const ItemRange> ranges) {
    bytes_.commit_shared(peer, other, ranges);
  }
  void start() { bytes_.start(); }
  std::optional<int> next() { return bytes_.next(); }
  std::span<const T> inbox(int peer) const {
    const auto raw = bytes_.inbox(peer);
    return {reinterpret_cast<const T*>(raw.data()), raw.size() / sizeof(T)};
  }
  /// Calls `take(peer, items)` for all peers that send to this rank, in the order of the peers. A
  /// call comes as soon as the data of this peer and of all peers before it have arrived. Replaces
  /// calls of `next`. Sums over the items are then repeatable, bit for bit, whatever the order of
  /// arrival: in a reversed pattern `take` adds the forces.
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
/// message the fields are consecutive arrays. The types must be in descending order of alignment,
/// so that every array is aligned for any count.
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
  /// Returns send buffers for each field of `count` particles, which must then be the count of
  /// `commit`. The count is at most the send capacity.
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
