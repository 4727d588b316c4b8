#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "comm/sparse/byte_buffer.hpp"
#include "comm/sparse/incoming_rows.hpp"
#include "comm/sparse/method.hpp"

namespace sterna::comm {

/// A row that travels by way of other ranks: the data that these need, and the place of its items.
struct RoutedRow {
  struct Head {
    int destination;
    int source;
    std::uint64_t count;
  };
  Head head;
  const std::byte* items;
};

/// The RoutedRows that leave this rank, packed into one row of bytes for each next stop.
class RowPacker {
 public:
  explicit RowPacker(std::size_t item_size) : item_size_(item_size) {}
  void clear() { rows_to_pack_.clear(); }
  /// Adds a row. Its items are read by `pack`.
  void add(int next_stop, const RoutedRow& row) { rows_to_pack_.push_back({next_stop, row}); }
  /// Returns rows of items of one byte; valid until the next call, like the memory that they point
  /// to.
  std::span<const OutgoingRow> pack();

 private:
  struct Addressed {
    int next_stop;
    RoutedRow row;
  };
  std::size_t item_size_;
  std::vector<Addressed> rows_to_pack_;
  ByteBuffer bytes_;
  std::vector<OutgoingRow> rows_;
};

/// Calls `take(RoutedRow)` for each row that was packed into the rows `incoming` of bytes.
template <class Take>
void for_each_routed_row(const IncomingRows& incoming, std::size_t item_size, Take take) {
  const std::byte* at = incoming.items();
  const std::byte* const end = at + incoming.offsets().back();
  while (at != end) {
    RoutedRow row;
    std::memcpy(&row.head, at, sizeof row.head);
    row.items = at + sizeof row.head;
    take(row);
    at = row.items + row.head.count * item_size;
  }
}

/// Makes the result of a round from the rows that have come to their destination.
void deliver(std::span<const RoutedRow> rows, std::size_t item_size, IncomingRows& incoming);

}  // namespace sterna::comm
