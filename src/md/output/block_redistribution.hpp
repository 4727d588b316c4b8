#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "md/output/id_order.hpp"
#include "md/system/aligned_buffer.hpp"
#include "sterna/comm/bulk_exchange.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Brings data of particles from their owners in space into the order of their ids. Rank r receives
/// the data of the r-th block of ids; there are as many blocks as `owners`. The slot of a particle
/// is the number of smaller ids. The data move in pieces, so that a rank holds at most one piece of
/// its block at a time, plus the items that it sends.
class BlockRedistribution {
 public:
  struct Options {
    std::string method = "auto";  ///< of the sparse exchange of counts
    /// Blocks and pieces are multiples of this many slots. With 1024, fields of 4, 8, 12 or 24
    /// bytes per particle begin on memory pages (4096 bytes) in every block if the field does.
    std::int64_t granularity = 1024;
    std::int64_t piece_slots = 128 * 1024;
    int owners = 0;  ///< number of ranks that have blocks, counted from 0; 0: all
  };
  /// Collective. `particles`: the number in the whole system. `item_bytes`: data of one particle.
  BlockRedistribution(const comm::Context& context, std::int64_t particles, std::size_t item_bytes,
                      const Options& options);

  std::int64_t piece_count() const { return pieces_; }

  /// Collective. The order of all ranks' ids. It is valid for every redistribution of equally many
  /// particles with the same options.
  std::shared_ptr<const IdOrder> order(std::span<const std::int64_t> ids) const;
  /// Sets the particles that this rank holds, for the exchanges that follow.
  void plan(std::span<const std::int64_t> ids, std::shared_ptr<const IdOrder> order);

  /// Writes the items of these local particles one after another, `stride` bytes apart.
  using Pack = std::function<void(std::span<const std::uint32_t> particles, std::byte* items,
                                  std::size_t stride)>;
  struct Piece {
    std::int64_t first_slot;
    std::span<const std::byte> items;  ///< in slot order; empty behind the end of the block
  };
  /// Collective, for pieces 0, 1, ... in order. The items are valid until the next call.
  Piece exchange(std::int64_t piece, const Pack& pack);

  /// Writes the items of `count` local particles from `first` on, `stride` bytes apart. It may
  /// overwrite all `stride` bytes of each.
  using PackRange = std::function<void(std::size_t first, std::size_t count, std::byte* items,
                                       std::size_t stride)>;
  /// Marks a free place. The first word of an item that `collect` receives must not have this
  /// value.
  static constexpr std::int32_t no_item = std::numeric_limits<std::int32_t>::min();
  /// Collective. Replaces `plan` and all calls of `exchange`, and returns this rank's whole block,
  /// which it keeps in memory. Particles are sent in the order of the store, in rounds of as many
  /// as a piece has slots, so nothing is sorted and memory is read once. Valid until the next call.
  std::span<std::byte> collect(std::span<const std::int64_t> ids,
                               std::shared_ptr<const IdOrder> order, const PackRange& pack);
  /// The first slot of this rank's block.
  std::int64_t first_slot() const { return first_slot(rank_, 0); }

  /// Not empty if an id was unknown, missing or came twice; as seen by this rank.
  const std::string& failure() const { return failure_; }

 private:
  /// Division of nonnegative numbers. The upper half of the product with 2^64 / divisor, rounded
  /// up, is the quotient, or one more if number * divisor exceeds 2^64.
  class Divisor {
   public:
    explicit Divisor(std::int64_t divisor)
        : divisor_(divisor),
          reciprocal_(
              std::numeric_limits<std::uint64_t>::max() / static_cast<std::uint64_t>(divisor) + 1) {
    }
    std::int64_t quotient(std::int64_t number) const {
      // The reciprocal of 1 would need 65 bits.
      if (divisor_ == 1) return number;
      __extension__ using Product = unsigned __int128;
      const auto result = static_cast<std::int64_t>(
          static_cast<Product>(reciprocal_) * static_cast<std::uint64_t>(number) >> 64U);
      return result - (result * divisor_ > number ? 1 : 0);
    }

   private:
    std::int64_t divisor_;
    std::uint64_t reciprocal_;
  };

  void note_failure(std::string text);
  /// Notes the first of the slots of this rank's block that no item filled.
  void note_hole(std::int64_t first, std::int64_t count);
  /// Copies items to their places in the piece with this first slot and length; returns the number
  /// of places that were free. `bytes`: size of an item; 0: `item_bytes_`.
  template <std::size_t bytes>
  std::int64_t place_items(std::span<const std::byte> row, std::int64_t first, std::int64_t count);
  std::int64_t first_slot(int owner, std::int64_t piece) const;
  /// The layout of items with keys behind them, in which they are sent to their blocks.
  struct Keyed {
    bool by_slot;           ///< the key is the slot in the block, otherwise the id
    std::size_t key_place;  ///< offset from the begin of the item
    std::size_t stride;
  };
  /// The rank whose block contains the id, or -1 if no block does.
  std::int64_t owner_of(std::int64_t id) const;
  /// Copies each item, with its key behind it, to the next place of its owner. `bytes`: size of an
  /// item; 0: `item_bytes_`.
  template <std::size_t bytes>
  void deal(std::span<const std::int64_t> ids, const std::byte* items, const Keyed& keyed,
            std::span<std::byte*> next);
  /// Copies items into this rank's block; returns the number of places that were free. `bytes`:
  /// size of an item; 0: `item_bytes_`.
  template <std::size_t bytes>
  std::int64_t place_in_block(std::span<const std::byte> items, const Keyed& keyed);
  std::int64_t place_in_block(std::span<const std::byte> items, const Keyed& keyed) {
    return item_bytes_ == 12 ? place_in_block<12>(items, keyed) : place_in_block<0>(items, keyed);
  }
  static constexpr std::uint32_t no_row = std::numeric_limits<std::uint32_t>::max();
  /// Index in `row_begin_` of the piece that the id belongs to, if ids are not 1 ... N; `no_row`
  /// for an unknown id.
  std::uint32_t row_of(std::int64_t id) const;
  /// The same from the slot, which follows from the id alone if ids are 1 ... N.
  std::uint32_t row_of_slot(std::int64_t slot) const {
    if (slot < 0 || slot >= particles_) return no_row;
    const std::int64_t owner = by_block_.quotient(slot);
    const std::int64_t piece = by_piece_.quotient(slot - owner * block_slots_);
    return static_cast<std::uint32_t>(piece * ranks_ + owner);
  }
  /// The slot in this rank's block, or -1 if the id is not in it.
  std::int64_t slot_of(std::int64_t id) const;
  std::int64_t id_at(std::int64_t slot) const;

  comm::Context context_;
  int rank_;
  int ranks_;
  std::int64_t particles_;
  std::size_t item_bytes_;
  std::size_t stride_;  ///< of an item in a message: the id, then the data
  std::int64_t block_slots_;
  std::int64_t piece_slots_;
  std::int64_t pieces_;
  Divisor by_block_, by_piece_;
  comm::BulkExchangeBytes exchange_;

  std::span<const std::int64_t> ids_;
  std::shared_ptr<const IdOrder> id_order_;
  std::vector<std::size_t> row_begin_;  ///< for each (piece, owner), piece-major, in `order_`
  std::vector<std::uint32_t> order_;    ///< local particles by piece and owner
  std::vector<std::uint32_t> rows_;     ///< of the local particles, while a plan is made
  std::vector<std::byte> items_;
  std::vector<unsigned char> filled_;
  AlignedBuffer<std::byte> block_;  ///< the block that `collect` returns
  std::string failure_;
};

}  // namespace sterna::md
