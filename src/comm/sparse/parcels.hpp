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

/// A row on its way over other ranks: what these must know, and where its items lie.
struct Parcel {
  struct Label {
    int destination;
    int source;
    std::uint64_t count;
  };
  Label label;
  const std::byte* items;
};

/// Parcels that leave this rank, packed into one row of bytes for each next stop.
class ParcelBags {
 public:
  explicit ParcelBags(std::size_t item_size) : item_size_(item_size) {}
  void clear() { parcels_.clear(); }
  /// The items are read by `pack`.
  void add(int next_stop, const Parcel& parcel) { parcels_.push_back({next_stop, parcel}); }
  /// Rows of items of one byte; valid until the next call, as is what they point to.
  std::span<const OutgoingRow> pack();

 private:
  struct Addressed {
    int next_stop;
    Parcel parcel;
  };
  std::size_t item_size_;
  std::vector<Addressed> parcels_;
  ByteBuffer bytes_;
  std::vector<OutgoingRow> rows_;
};

/// Calls `take(Parcel)` for each parcel that was packed into the rows `incoming` of bytes.
template <class Take>
void for_each_parcel(const IncomingRows& incoming, std::size_t item_size, Take take) {
  const std::byte* at = incoming.items();
  const std::byte* const end = at + incoming.offsets().back();
  while (at != end) {
    Parcel parcel;
    std::memcpy(&parcel.label, at, sizeof parcel.label);
    parcel.items = at + sizeof parcel.label;
    take(parcel);
    at = parcel.items + parcel.label.count * item_size;
  }
}

/// Makes the result of a round of the parcels that have come to their destination.
void deliver(std::span<const Parcel> parcels, std::size_t item_size, IncomingRows& incoming);

}  // namespace sterna::comm
