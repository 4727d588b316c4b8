#include "comm/sparse/parcels.hpp"
#include "comm/sparse/copy_items.hpp"

#include <algorithm>

namespace sterna::comm {

std::span<const OutgoingRow> ParcelBags::pack() {
  std::stable_sort(parcels_.begin(), parcels_.end(), [](const Addressed& a, const Addressed& b) {
    return a.next_stop < b.next_stop;
  });
  std::size_t total = 0;
  for (const auto& [stop, parcel] : parcels_) {
    total += sizeof parcel.label + parcel.label.count * item_size_;
  }
  std::byte* at = bytes_.discard_and_reserve(total);
  rows_.clear();
  for (const auto& [stop, parcel] : parcels_) {
    if (rows_.empty() || rows_.back().destination != stop) rows_.push_back({stop, at, 0});
    const std::size_t bytes = parcel.label.count * item_size_;
    std::memcpy(at, &parcel.label, sizeof parcel.label);
    copy_items(at + sizeof parcel.label, parcel.items, bytes);
    at += sizeof parcel.label + bytes;
    rows_.back().count += sizeof parcel.label + bytes;
  }
  return rows_;
}

void deliver(std::span<const Parcel> parcels, std::size_t item_size, IncomingRows& incoming) {
  for (const Parcel& parcel : parcels) incoming.announce(parcel.label.source, parcel.label.count);
  incoming.arrange();
  for (const Parcel& parcel : parcels) {
    copy_items(incoming.row(parcel.label.source), parcel.items, parcel.label.count * item_size);
  }
}

}  // namespace sterna::comm
