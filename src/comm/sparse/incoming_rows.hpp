#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "comm/sparse/byte_buffer.hpp"

namespace sterna::comm {

/// The result of a round while it is made: announce every row, arrange them, fill each in its
/// place. Memory is reused over the rounds.
class IncomingRows {
 public:
  explicit IncomingRows(std::size_t item_size) : item_size_(item_size) {}

  void clear();
  /// Announces `count` > 0 items from `source`. The order does not matter; each source comes once.
  void announce(int source, std::size_t count);
  /// Sorts the rows by source and allocates memory for them. No `announce` may follow.
  void arrange();
  /// The address of the row of an announced source, valid after `arrange`.
  std::byte* row(int source) const;
  std::size_t bytes(int source) const;

  std::span<const int> sources() const { return sources_; }
  std::span<const std::size_t> offsets() const { return offsets_; }
  std::byte* items() const { return items_.data(); }
  /// The number of bytes that `items` can hold.
  std::size_t capacity() const { return items_.capacity(); }
  /// The index of the row of `source`, which must have been announced.
  std::size_t index(int source) const;

 private:
  struct Row {
    int source;
    std::size_t count;
  };
  std::size_t item_size_;
  std::vector<Row> announced_;
  std::vector<int> sources_;
  std::vector<std::size_t> offsets_{0};
  ByteBuffer items_;
};

}  // namespace sterna::comm
