#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "sterna/comm/context.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/methods.hpp"

namespace sterna::comm {

struct SparseOptions {
  /// A name of `sparse_methods()`, or "auto". All ranks must give the same name.
  std::string method = "auto";
  std::string name = "sparse exchange";  ///< name in errors, logs and verdicts
  /// The ranks that may send to this one, if geometry knows them; `superset` needs them. If they
  /// are given, a is in b's set exactly if b is in a's, so these are the possible destinations,
  /// too. All ranks then give a set, even an empty one. This rank itself need not be listed,
  /// because it is always allowed. Without a set, any rank may send.
  std::optional<std::vector<int>> possible_sources;
};

/// A sparse exchange, on bytes: senders know their destinations, receivers do not know their
/// sources. Use `SparseExchange<T>`. Constructor and `exchange` are collective over the context;
/// ranks with nothing to send take part. Several exchanges may live at once, called in the same
/// order on all ranks. Results never depend on the method.
class SparseExchangeBytes {
 public:
  /// Throws Error if the method is unknown or does not work here, if the ranks disagree on the
  /// method or the item size, and if `possible_sources` is not symmetric.
  SparseExchangeBytes(const Context& context, std::size_t item_size, const SparseOptions& options);
  ~SparseExchangeBytes();
  SparseExchangeBytes(SparseExchangeBytes&&) noexcept;
  SparseExchangeBytes& operator=(SparseExchangeBytes&&) noexcept;

  /// Sends and receives rows. `destinations`: unique ranks in any order, this one allowed.
  /// `offsets`: one more value than destinations, ascending, in items. `items`: read until the
  /// return. The arguments may be the result of the previous call. Any number of items is allowed
  /// (also beyond 2^31 bytes); rows without items send nothing. Throws Error before anything is
  /// sent if the arguments are wrong (a rank out of range or named twice, a rank outside the
  /// possible sources, descending offsets). The exchange then stays usable, and the other ranks
  /// wait for this one until it calls again. After an Error from a wait (dead peer, passed
  /// deadline) the exchange cannot be used again.
  void exchange(std::span<const int> destinations, std::span<const std::size_t> offsets,
                const std::byte* items);
  /// The ranks that sent at least one item, in ascending order. Like the other results, valid until
  /// the next call.
  std::span<const int> sources() const;
  /// The first item of each source, in items, and the end of the last; one more value than sources.
  std::span<const std::size_t> offsets() const;
  /// The items, aligned to 64 bytes.
  const std::byte* items() const;

  /// The verdict of the exchange. Its bytes are those of the items that left this rank; its
  /// messages are all messages that the method sent.
  Verdict verdict() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Compressed rows: items `offsets[i]` to `offsets[i+1]` go to (or came from) `ranks[i]`.
template <class T>
struct SparseRows {
  std::span<const int> ranks;
  std::span<const std::size_t> offsets;
  std::span<const T> items;
  std::span<const T> of(std::size_t row) const {
    return items.subspan(offsets[row], offsets[row + 1] - offsets[row]);
  }
};

/// Exchange of items of a trivially copyable type in which a rank knows whom it sends to, but
/// neither who sends to it nor how much, as when particles migrate.
template <class T>
class SparseExchange {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 64);

 public:
  explicit SparseExchange(const Context& context, const SparseOptions& options = {})
      : bytes_(context, sizeof(T), options) {}
  /// Returns the rows that the other ranks sent, sorted by source; valid until the next call.
  SparseRows<T> operator()(const SparseRows<T>& outgoing) {
    if (!outgoing.offsets.empty() && outgoing.offsets.back() > outgoing.items.size()) {
      throw Error("sparse exchange: the offsets end at item " +
                  std::to_string(outgoing.offsets.back()) + ", but there are only " +
                  std::to_string(outgoing.items.size()));
    }
    bytes_.exchange(outgoing.ranks, outgoing.offsets,
                    reinterpret_cast<const std::byte*>(outgoing.items.data()));
    return {bytes_.sources(),
            bytes_.offsets(),
            {reinterpret_cast<const T*>(bytes_.items()), bytes_.offsets().back()}};
  }
  Verdict verdict() const { return bytes_.verdict(); }

 private:
  SparseExchangeBytes bytes_;
};

}  // namespace sterna::comm
