#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "sterna/comm/context.hpp"
#include "sterna/comm/methods.hpp"
#include "sterna/comm/sparse_exchange.hpp"

namespace sterna::comm {

/// A sparse exchange for large rows, on bytes; use `BulkExchange<T>`. A sparse exchange of counts
/// tells each rank how much comes from whom. The caller writes the rows straight into memory of a
/// pool, and messages give that memory away, so receivers on the same node read the rows where they
/// were written. Constructor and `exchange` are collective, as those of SparseExchangeBytes. The
/// result does not depend on the method.
class BulkExchangeBytes {
 public:
  /// The options are those of the exchange of counts. Throws Error as SparseExchangeBytes does.
  BulkExchangeBytes(const Context& context, std::size_t item_size, const SparseOptions& options);
  ~BulkExchangeBytes();
  BulkExchangeBytes(BulkExchangeBytes&&) noexcept;
  BulkExchangeBytes& operator=(BulkExchangeBytes&&) noexcept;

  /// Returns memory for the row of `count` items to `destination`, which may be this rank. The
  /// caller fills it before `exchange`, which sends it. Each destination has one row. Throws Error
  /// if the destination is no rank or has a row already.
  std::span<std::byte> row(int destination, std::size_t count);

  struct Row {
    int source;
    std::span<const std::byte> items;
  };
  /// Sends the rows, and returns those that arrived, in ascending order of their sources; every row
  /// has at least one item. The rows are valid until `release` or the next `exchange`.
  std::span<const Row> exchange();
  /// Gives the memory of the received rows back, so that it can be used again.
  void release();

  /// The verdict is that of the exchange of counts; its bytes are those of the items that left this
  /// rank.
  Verdict verdict() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Rows of items of a trivially copyable type.
template <class T>
class BulkExchange {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 64);

 public:
  explicit BulkExchange(const Context& context, const SparseOptions& options = {})
      : bytes_(context, sizeof(T), options) {}

  std::span<T> row(int destination, std::size_t count) {
    return {reinterpret_cast<T*>(bytes_.row(destination, count).data()), count};
  }
  struct Row {
    int source;
    std::span<const T> items;
  };
  std::span<const Row> exchange() {
    rows_.clear();
    for (const BulkExchangeBytes::Row& row : bytes_.exchange()) {
      rows_.push_back(
          {row.source,
           {reinterpret_cast<const T*>(row.items.data()), row.items.size() / sizeof(T)}});
    }
    return rows_;
  }
  void release() {
    rows_.clear();
    bytes_.release();
  }
  Verdict verdict() const { return bytes_.verdict(); }

 private:
  BulkExchangeBytes bytes_;
  std::vector<Row> rows_;
};

}  // namespace sterna::comm
