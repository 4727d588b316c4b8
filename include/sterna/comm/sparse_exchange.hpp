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
  /// A name of `sparse_methods()`, or "auto". The same on all ranks.
  std::string method = "auto";
  std::string name = "sparse exchange";  ///< in errors, logs and verdicts
  /// Ranks that may send to this one, where geometry knows them; `superset` needs it. Then a is in
  /// b's set exactly if b is in a's (so these are the possible destinations too), and all ranks
  /// give a set, an empty one where nobody is possible. This rank itself need not be listed: it is
  /// always allowed. Nothing: anybody may send.
  std::optional<std::vector<int>> possible_sources;
};

/// Senders know their destinations, receivers do not know their sources. On bytes; use
/// `SparseExchange<T>`. Constructor and `exchange` are collective over the context; ranks with
/// nothing to send take part. Several exchanges may live at once, called in the same order on all
/// ranks. Results never depend on the method.
class SparseExchangeBytes {
 public:
  /// Throws Error where the method is unknown or does not work here, where the ranks disagree on
  /// the method or the item size, and where `possible_sources` is not symmetric.
  SparseExchangeBytes(const Context& context, std::size_t item_size, const SparseOptions& options);
  ~SparseExchangeBytes();
  SparseExchangeBytes(SparseExchangeBytes&&) noexcept;
  SparseExchangeBytes& operator=(SparseExchangeBytes&&) noexcept;

  /// `destinations`: unique ranks in any order, this one allowed; `offsets`: size destinations + 1,
  /// ascending, in items; `items`: read until the return. The arguments may be the result of the
  /// call before. Any number of items (bytes beyond 2^31 too); rows without items send nothing.
  /// Throws Error before anything was sent where the arguments are wrong (a rank out of range or
  /// named twice, a rank outside the possible sources, offsets that descend); then the exchange
  /// stays usable, and the other ranks wait for this one until it calls again. After an Error from
  /// a wait (dead peer, passed deadline) the exchange cannot be used again.
  void exchange(std::span<const int> destinations, std::span<const std::size_t> offsets,
                const std::byte* items);
  /// Ascending; only ranks that sent at least one item. Valid until the next call, as are the rest.
  std::span<const int> sources() const;
  /// Size sources + 1, in items, starting at 0.
  std::span<const std::size_t> offsets() const;
  /// Aligned to 64 bytes.
  const std::byte* items() const;

  /// Bytes are those of the items that left this rank; messages are all that the method sent.
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

/// Exchange of items of a trivially copyable type in which a rank knows whom it sends to, but not
/// who sends to it nor how much, as when particles migrate.
template <class T>
class SparseExchange {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 64);

 public:
  explicit SparseExchange(const Context& context, const SparseOptions& options = {})
      : bytes_(context, sizeof(T), options) {}
  /// Returns what the others sent here, rows sorted by source; valid until the next call.
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
