#pragma once

#include <cstddef>
#include <cstring>
#include <iterator>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sterna/comm/context.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/sparse_exchange.hpp"

namespace sterna::comm {

/// The row of items that one rank sent to this one.
template <class T>
struct ReceivedRow {
  int source;
  std::span<const T> items;
};

/// The result of `exchange`: the received rows in ascending order of their sources. It owns the
/// items.
template <class T>
class Received {
 public:
  Received(std::span<const int> sources, std::span<const std::size_t> offsets, const T* items)
      : sources_(sources.begin(), sources.end()),
        offsets_(offsets.begin(), offsets.end()),
        items_(items, items + offsets.back()) {}

  /// The number of rows, which is that of the ranks that sent at least one item.
  std::size_t size() const { return sources_.size(); }
  bool empty() const { return sources_.empty(); }
  ReceivedRow<T> operator[](std::size_t row) const {
    return {sources_[row],
            std::span(items_).subspan(offsets_[row], offsets_[row + 1] - offsets_[row])};
  }
  std::span<const int> sources() const { return sources_; }
  /// The items of all rows, one row after the other.
  const std::vector<T>& items() const& { return items_; }
  std::vector<T> items() && { return std::move(items_); }

  class Iterator {
   public:
    using value_type = ReceivedRow<T>;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(const Received* rows, std::size_t row) : rows_(rows), row_(row) {}
    ReceivedRow<T> operator*() const { return (*rows_)[row_]; }
    Iterator& operator++() {
      ++row_;
      return *this;
    }
    Iterator operator++(int) { return {rows_, row_++}; }
    bool operator==(const Iterator& other) const { return row_ == other.row_; }

   private:
    const Received* rows_ = nullptr;
    std::size_t row_ = 0;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

 private:
  std::vector<int> sources_;
  std::vector<std::size_t> offsets_;
  std::vector<T> items_;
};

/// The sparse exchange that carries all calls of `exchange` with items of one size, and the buffers
/// that sort items into rows. A context keeps one for each size, made by the first call. It chooses
/// its method while the calls go on, so they become faster.
struct OneCallExchange {
  static OneCallExchange& of(const Context& context, std::size_t item_size);

  /// Makes rows from `counts`, the number of items for each rank, and sets `starts` to the first
  /// item of each rank.
  void make_rows();

  SparseExchangeBytes bytes;
  std::vector<std::size_t> counts;
  std::vector<std::size_t> starts;
  std::vector<int> destinations;
  std::vector<std::size_t> offsets;
  std::vector<std::byte> sorted;
};

namespace one_call {

[[noreturn]] void fail_numbers_differ(std::size_t items, std::size_t destinations);
[[noreturn]] void fail_no_rank(std::size_t item, int destination, int ranks);

template <class T>
Received<T> received(const OneCallExchange& one) {
  return {one.bytes.sources(), one.bytes.offsets(), reinterpret_cast<const T*>(one.bytes.items())};
}

template <class Range>
using ItemOf = std::remove_cv_t<std::ranges::range_value_t<Range>>;

template <class Rows>
using ItemOfRows = ItemOf<decltype(std::declval<std::ranges::range_value_t<Rows>>().second)>;

}  // namespace one_call

/// The call `exchange(context, send, to)` or `exchange(context, rows)`. It is an object, so that
/// argument-dependent lookup never takes it for `std::exchange`.
struct ExchangeCall {
  /// Sends item i of `send` to rank `to[i]` and returns the items that came to this rank.
  /// Collective: ranks with nothing to send call it with empty ranges. The items that one rank
  /// sends to another keep their order. Throws Error, before anything is sent, if the two ranges
  /// differ in length or a destination is no rank.
  template <std::ranges::contiguous_range Items, std::ranges::contiguous_range Ranks>
  requires std::is_same_v < one_call::ItemOf<Ranks>,
  int > Received<one_call::ItemOf<Items>> operator()(const Context& context, const Items& send,
                                                     const Ranks& to) const {
    using T = one_call::ItemOf<Items>;
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 64);
    const std::span<const T> items(std::ranges::data(send), std::ranges::size(send));
    const std::span<const int> ranks(std::ranges::data(to), std::ranges::size(to));
    if (items.size() != ranks.size()) one_call::fail_numbers_differ(items.size(), ranks.size());
    OneCallExchange& one = OneCallExchange::of(context, sizeof(T));
    one.counts.assign(static_cast<std::size_t>(context.size()), 0);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      if (ranks[i] < 0 || ranks[i] >= context.size()) {
        one_call::fail_no_rank(i, ranks[i], context.size());
      }
      ++one.counts[static_cast<std::size_t>(ranks[i])];
    }
    one.make_rows();
    one.sorted.resize(items.size() * sizeof(T));
    for (std::size_t i = 0; i < items.size(); ++i) {
      std::size_t& place = one.starts[static_cast<std::size_t>(ranks[i])];
      std::memcpy(one.sorted.data() + place++ * sizeof(T), &items[i], sizeof(T));
    }
    one.bytes.exchange(one.destinations, one.offsets, one.sorted.data());
    return one_call::received<T>(one);
  }

  /// The same with rows: `send` is a range of pairs of a rank, each at most once, and a range of
  /// items for it, such as a `std::map<int, std::vector<T>>`. Collective.
  template <std::ranges::forward_range Rows>
  Received<one_call::ItemOfRows<Rows>> operator()(const Context& context, const Rows& send) const {
    using T = one_call::ItemOfRows<Rows>;
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 64);
    OneCallExchange& one = OneCallExchange::of(context, sizeof(T));
    one.destinations.clear();
    one.offsets.assign(1, 0);
    std::size_t total = 0;
    for (const auto& [rank, items] : send) {
      one.destinations.push_back(rank);
      one.offsets.push_back(total += std::ranges::size(items));
    }
    one.sorted.resize(total * sizeof(T));
    std::byte* place = one.sorted.data();
    for (const auto& [rank, items] : send) {
      const std::size_t bytes = std::ranges::size(items) * sizeof(T);
      if (bytes > 0) std::memcpy(place, std::ranges::data(items), bytes);
      place += bytes;
    }
    one.bytes.exchange(one.destinations, one.offsets, one.sorted.data());
    return one_call::received<T>(one);
  }
};

inline constexpr ExchangeCall exchange{};

}  // namespace sterna::comm
