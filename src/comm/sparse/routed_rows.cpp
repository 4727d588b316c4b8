#include "comm/sparse/routed_rows.hpp"
#include "comm/sparse/copy_items.hpp"

#include <algorithm>

namespace sterna::comm {

std::span<const OutgoingRow> RowPacker::pack() {
  std::stable_sort(
      rows_to_pack_.begin(), rows_to_pack_.end(),
      [](const Addressed& a, const Addressed& b) { return a.next_stop < b.next_stop; });
  std::size_t total = 0;
  for (const auto& [stop, row] : rows_to_pack_) {
    total += sizeof row.head + row.head.count * item_size_;
  }
  std::byte* at = bytes_.discard_and_reserve(total);
  rows_.clear();
  for (const auto& [stop, row] : rows_to_pack_) {
    if (rows_.empty() || rows_.back().destination != stop) rows_.push_back({stop, at, 0});
    const std::size_t bytes = row.head.count * item_size_;
    std::memcpy(at, &row.head, sizeof row.head);
    copy_items(at + sizeof row.head, row.items, bytes);
    at += sizeof row.head + bytes;
    rows_.back().count += sizeof row.head + bytes;
  }
  return rows_;
}

void deliver(std::span<const RoutedRow> rows, std::size_t item_size, IncomingRows& incoming) {
  for (const RoutedRow& row : rows) incoming.announce(row.head.source, row.head.count);
  incoming.arrange();
  for (const RoutedRow& row : rows) {
    copy_items(incoming.row(row.head.source), row.items, row.head.count * item_size);
  }
}

}  // namespace sterna::comm
