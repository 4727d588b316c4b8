#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "comm/sparse/routed_rows.hpp"

namespace sterna::comm {

/// Memory of this rank that others fill in one step, after each has reserved its part. It is filled
/// from the end, and its first word says where the free part ends. A rank that subtracts from the
/// word atomically owns the bytes in between, so it need not know how large the memory is. A part
/// holds the items and, in its last word, their number and source, which is never 0.
///
/// Once a reservation does not fit, no later one does; the word then says how much was wanted.
///
/// A method has two buffers, used in turn. The owner opens a buffer again as soon as it has emptied
/// it. It is filled next in step i+2. No rank begins that step before all ranks have come to the
/// end of step i+1, and the owner comes there only after it has emptied the buffer.
class ReservedBuffer {
 public:
  /// The offset of the word in the buffer, in bytes.
  static constexpr std::size_t free_end_offset = 0;
  static constexpr std::size_t trailer_bytes = sizeof(std::uint64_t);

  /// The size of a part with `bytes` of items.
  static std::size_t part_bytes(std::size_t bytes) {
    return (bytes + trailer_bytes + unit - 1) / unit * unit;
  }
  /// The value to add to the word to reserve a part.
  static std::uint64_t reservation(std::size_t part) { return -static_cast<std::uint64_t>(part); }
  /// Returns the offset of a part if the word was `before`; nothing if the part does not fit.
  static std::optional<std::size_t> offset(std::uint64_t before, std::size_t part) {
    const auto begin = static_cast<std::int64_t>(before - part);
    if (begin < static_cast<std::int64_t>(unit)) return std::nullopt;
    return static_cast<std::size_t>(begin);
  }
  /// The last word of a part.
  static std::uint64_t trailer(int source, std::size_t count) {
    return (static_cast<std::uint64_t>(count) << source_bits) | static_cast<std::uint64_t>(source);
  }

  /// Uses `memory`, whose size is a multiple of 64 bytes and which is filled with zeros, and opens
  /// it.
  void use(std::byte* memory, std::size_t bytes);
  /// Frees the whole buffer. Only the owner may call it, after `collect`, or when no rank can write
  /// any more.
  void open();
  /// Opens the buffer and also clears the trailers, for parts that may arrive after their
  /// reservation was seen.
  void clear_and_open();

  std::size_t bytes() const { return bytes_; }
  /// The size of the parts that were reserved or refused.
  std::size_t wanted() const { return bytes_ - free_end(); }
  bool overflowed() const { return wanted() > bytes_ - unit; }

  /// Appends the parts that have arrived. Returns true once all reserved parts have arrived. To be
  /// called after all ranks have made their reservations, if there was no overflow.
  bool collect(int rank, std::size_t item_size, std::vector<RoutedRow>& arrived);

 private:
  static constexpr std::size_t unit = 64;
  static constexpr int source_bits = 24;

  std::uint64_t free_end() const;

  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t collected_ = 0;  ///< all parts behind this offset have been collected
};

}  // namespace sterna::comm
