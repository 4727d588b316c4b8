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

/// A sparse exchange for much data, on bytes; use `BulkExchange<T>`. How much comes from whom is
/// told by a sparse exchange of counts. The rows are written straight into memory of a pool and
/// given away as messages: in a node they are read where they were written. Constructor and
/// `exchange` are collective, as those of SparseExchangeBytes; the result does not depend on the
/// method.
class BulkExchangeBytes {
 public:
  /// `options`: of the exchange of counts. Throws Error as SparseExchangeBytes does.
  BulkExchangeBytes(const Context& context, std::size_t item_size, const SparseOptions& options);
  ~BulkExchangeBytes();
  BulkExchangeBytes(BulkExchangeBytes&&) noexcept;
  BulkExchangeBytes& operator=(BulkExchangeBytes&&) noexcept;

  /// Memory for the row of `count` items to `destination`, which may be this rank: to be written
  /// before `exchange`, which sends it. One row for each destination. Throws Error where the
  /// destination is no rank or has a row already.
  std::span<std::byte> row(int destination, std::size_t count);

  struct Row {
    int source;
    std::span<const std::byte> items;
  };
  /// Sends the rows. What came here, sources ascending; only rows with items. Valid until `release`
  /// or the next `exchange`.
  std::span<const Row> exchange();
  /// Gives back what came, so that its memory can be used again.
  void release();

  /// Of the exchange of counts; the bytes are those of the items that left this rank.
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
