#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "sterna/comm/context.hpp"
#include "sterna/comm/methods.hpp"

namespace sterna::comm {

struct SparseOptions {
  std::string method = "auto";
  std::string name = "sparse exchange";  ///< in errors, logs and verdicts
  /// Ranks that may send to this one (geometry often knows); `superset` needs it, and then it
  /// must hold everywhere that a is in b's set exactly if b is in a's. Empty: anybody may.
  std::vector<int> possible_sources;
};

/// Senders know their destinations, receivers do not know their sources. On bytes; use
/// `SparseExchange<T>`. Collective over the context; ranks with nothing to send take part.
class SparseExchangeBytes {
 public:
  SparseExchangeBytes(const Context& context, std::size_t item_size, const SparseOptions& options);
  ~SparseExchangeBytes();
  SparseExchangeBytes(SparseExchangeBytes&&) noexcept;
  SparseExchangeBytes& operator=(SparseExchangeBytes&&) noexcept;

  /// `destinations`: unique ranks, this one allowed; `offsets`: size destinations + 1, in items.
  void exchange(std::span<const int> destinations, std::span<const std::size_t> offsets,
                const std::byte* items);
  /// Ascending; only ranks that sent at least one item.
  std::span<const int> sources() const;
  /// Size sources + 1, in items.
  std::span<const std::size_t> offsets() const;
  const std::byte* items() const;

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

template <class T>
class SparseExchange {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit SparseExchange(const Context& context, const SparseOptions& options = {})
      : bytes_(context, sizeof(T), options) {}
  /// Returns what the others sent here, rows sorted by source; valid until the next call.
  SparseRows<T> operator()(const SparseRows<T>& outgoing) {
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
