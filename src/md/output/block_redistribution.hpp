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

/// Brings data of particles, which live wherever they are in space, into the order of their ids:
/// rank r receives those of the r-th block of ids (of as many blocks as there are `owners`). The
/// slot of a particle is the number of ids that are smaller than its own. It is done in pieces, so
/// that a rank never holds more than a piece of its block at a time (plus what it sends).
class BlockRedistribution {
 public:
  struct Options {
    std::string method = "auto";  ///< of the sparse exchange of counts
    /// Blocks and pieces are multiples of this many slots. With 1024, fields of 4, 8, 12 or 24
    /// bytes a particle begin on memory pages (4096 bytes) at every block if the field does.
    std::int64_t granularity = 1024;
    std::int64_t piece_slots = 128 * 1024;
    int owners = 0;  ///< ranks that have blocks, the first ones; 0: all
  };
  /// Collective. `particles`: N of the whole system. `item_bytes`: of one particle's data.
  BlockRedistribution(const comm::Context& context, std::int64_t particles, std::size_t item_bytes,
                      const Options& options);

  std::int64_t piece_count() const { return pieces_; }

  /// Collective. The order of these ids and those of the other ranks: it holds for every
  /// redistribution of as many particles with the same options.
  std::shared_ptr<const IdOrder> order(std::span<const std::int64_t> ids) const;
  /// Says which particles this rank holds, for the exchanges that follow.
  void plan(std::span<const std::int64_t> ids, std::shared_ptr<const IdOrder> order);

  /// Writes the items of these local particles one behind the other, `stride` bytes apart.
  using Pack = std::function<void(std::span<const std::uint32_t> particles, std::byte* items,
                                  std::size_t stride)>;
  struct Piece {
    std::int64_t first_slot;
    std::span<const std::byte> items;  ///< in slot order; empty where the block has ended
  };
  /// Collective, for pieces 0, 1, ... in order. Valid until the next call.
  Piece exchange(std::int64_t piece, const Pack& pack);

  /// Writes the items of the local particles from `first` on, `stride` bytes apart. It may change
  /// all `stride` bytes of each.
  using PackRange = std::function<void(std::size_t first, std::size_t count, std::byte* items,
                                       std::size_t stride)>;
  /// The first word of an item that `collect` brings is never this.
  static constexpr std::int32_t no_item = std::numeric_limits<std::int32_t>::min();
  /// Collective, instead of `plan` and all of `exchange`: this rank's whole block, which it keeps in
  /// memory. Particles are taken in the order of the store, as many at a time as a piece has slots,
  /// so that nothing is sorted and memory is read once. Valid until the next call.
  std::span<std::byte> collect(std::span<const std::int64_t> ids,
                               std::shared_ptr<const IdOrder> order, const PackRange& pack);
  /// The first slot of this rank's block.
  std::int64_t first_slot() const { return first_slot(rank_, 0); }

  /// Not empty where an id was not in the order, came twice or not at all; this rank's view.
  const std::string& failure() const { return failure_; }

 private:
  /// Division of numbers that are not negative: the upper half of a product with 2^64 / divisor,
  /// rounded up, is the quotient, or one more where number * divisor is above 2^64.
  class Divisor {
   public:
    explicit Divisor(std::int64_t divisor)
        : divisor_(divisor),
          reciprocal_(
              std::numeric_limits<std::uint64_t>::max() / static_cast<std::uint64_t>(divisor) + 1) {
    }
    std::int64_t quotient(std::int64_t number) const {
      // The reciprocal of 1 has no place in 64 bits.
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
  /// Puts items to their places in the piece, whose first slot and length these are; returns how
  /// many places were free. `bytes`: of an item; 0: `item_bytes_`.
  template <std::size_t bytes>
  std::int64_t place_items(std::span<const std::byte> row, std::int64_t first, std::int64_t count);
  std::int64_t first_slot(int owner, std::int64_t piece) const;
  /// Items with their keys behind them, on their way into blocks.
  struct Keyed {
    bool by_slot;           ///< the key is the slot in the block, otherwise the id
    std::size_t key_place;  ///< from the begin of the item
    std::size_t stride;
  };
  /// The rank whose block has the id; -1: none.
  std::int64_t owner_of(std::int64_t id) const;
  /// Copies items to where the next one of their owner goes, and their keys behind them. `bytes`: of
  /// an item; 0: `item_bytes_`.
  template <std::size_t bytes>
  void deal(std::span<const std::int64_t> ids, const std::byte* items, const Keyed& keyed,
            std::span<std::byte*> next);
  /// Puts items into this rank's block; returns how many places were free. `bytes`: of an item; 0:
  /// `item_bytes_`.
  template <std::size_t bytes>
  std::int64_t place_in_block(std::span<const std::byte> items, const Keyed& keyed);
  std::int64_t place_in_block(std::span<const std::byte> items, const Keyed& keyed) {
    return item_bytes_ == 12 ? place_in_block<12>(items, keyed) : place_in_block<0>(items, keyed);
  }
  static constexpr std::uint32_t no_row = std::numeric_limits<std::uint32_t>::max();
  /// Of the piece that the id belongs to, in `row_begin_`, where ids are not 1 ... N; `no_row` where
  /// it is not in the order.
  std::uint32_t row_of(std::int64_t id) const;
  /// Likewise of a slot, which is all that there is to know where ids are 1 ... N.
  std::uint32_t row_of_slot(std::int64_t slot) const {
    if (slot < 0 || slot >= particles_) return no_row;
    const std::int64_t owner = by_block_.quotient(slot);
    const std::int64_t piece = by_piece_.quotient(slot - owner * block_slots_);
    return static_cast<std::uint32_t>(piece * ranks_ + owner);
  }
  /// In the block of this rank; -1 where the id is not in it.
  std::int64_t slot_of(std::int64_t id) const;
  std::int64_t id_at(std::int64_t slot) const;

  comm::Context context_;
  int rank_;
  int ranks_;
  std::int64_t particles_;
  std::size_t item_bytes_;
  std::size_t stride_;  ///< of an item on its way: the id, then the data
  std::int64_t block_slots_;
  std::int64_t piece_slots_;
  std::int64_t pieces_;
  Divisor by_block_, by_piece_;
  comm::BulkExchangeBytes exchange_;

  std::span<const std::int64_t> ids_;
  std::shared_ptr<const IdOrder> id_order_;
  std::vector<std::size_t> row_begin_;  ///< of each (piece, owner), piece-major, in `order_`
  std::vector<std::uint32_t> order_;    ///< local particles by piece and owner
  std::vector<std::uint32_t> rows_;     ///< of the local particles; while a plan is made
  std::vector<std::byte> items_;
  std::vector<unsigned char> filled_;
  AlignedBuffer<std::byte> block_;  ///< what `collect` brings
  std::string failure_;
};

}  // namespace sterna::md
