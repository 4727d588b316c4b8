#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "comm/sparse/routed_rows.hpp"

namespace sterna::comm {

/// Memory of this rank that others fill in one step, after each has reserved its part. It is filled
/// from the end: its first word says where the free part ends, whoever subtracts from it (at once
/// for all) owns what lies between, and so need not know how large the memory is. A part holds the
/// items and, in its last word, their number and source, which is never 0.
/// Once a reservation does not fit, none after it does; the word then tells how much was wanted.
/// A method has two buffers, used in turn. One is open again as soon as its owner has emptied it;
/// it is filled next in step i+2, which no rank begins before all have come to the end of step i+1,
/// its owner after it had emptied it.
class ReservedBuffer {
 public:
  /// Where the word lies, in bytes from the beginning of the buffer.
  static constexpr std::size_t free_end_offset = 0;
  static constexpr std::size_t trailer_bytes = sizeof(std::uint64_t);

  /// Bytes that a part with `bytes` of items takes.
  static std::size_t part_bytes(std::size_t bytes) {
    return (bytes + trailer_bytes + unit - 1) / unit * unit;
  }
  /// What to add to the word to reserve a part.
  static std::uint64_t reservation(std::size_t part) { return -static_cast<std::uint64_t>(part); }
  /// Offset of the part where the word was `before`; nothing where it does not fit.
  static std::optional<std::size_t> offset(std::uint64_t before, std::size_t part) {
    const auto begin = static_cast<std::int64_t>(before - part);
    if (begin < static_cast<std::int64_t>(unit)) return std::nullopt;
    return static_cast<std::size_t>(begin);
  }
  /// Last word of a part.
  static std::uint64_t trailer(int source, std::size_t count) {
    return (static_cast<std::uint64_t>(count) << source_bits) | static_cast<std::uint64_t>(source);
  }

  /// Uses `memory`, of a multiple of 64 bytes and filled with zeros, and opens it.
  void use(std::byte* memory, std::size_t bytes);
  /// Makes all of it free. Only for the owner, after `collect`, or after nobody can write any more.
  void open();
  /// As `open`, and clears the trailers: for parts that may arrive after their reservation was
  /// seen.
  void clear_and_open();

  std::size_t bytes() const { return bytes_; }
  /// Size of the parts that were reserved or refused.
  std::size_t wanted() const { return bytes_ - free_end(); }
  bool overflowed() const { return wanted() > bytes_ - unit; }

  /// Appends the parts that have come; true once all that were reserved are there. After all ranks
  /// have made their reservations, and without an overflow.
  bool collect(int rank, std::size_t item_size, std::vector<RoutedRow>& arrived);

 private:
  static constexpr std::size_t unit = 64;
  static constexpr int source_bits = 24;

  std::uint64_t free_end() const;

  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t collected_ = 0;  ///< everything behind this offset has been
};

}  // namespace sterna::comm
