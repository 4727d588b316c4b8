#include "md/output/block_redistribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

/// The item size of the exchange in bytes.
constexpr std::size_t word = 4;

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

std::int64_t share_of(std::int64_t particles, int owners) {
  return std::max<std::int64_t>(1, (particles + owners - 1) / owners);
}

}  // namespace

BlockRedistribution::BlockRedistribution(const comm::Context& context, std::int64_t particles,
                                         std::size_t item_bytes, const Options& options)
    : context_(context),
      rank_(context.rank()),
      ranks_(context.size()),
      particles_(particles),
      item_bytes_(item_bytes),
      // Items are padded to multiples of 8 bytes, so that aligned data are read and written in
      // place.
      stride_(sizeof(std::int64_t) + (item_bytes + 7) / 8 * 8),
      block_slots_(round_up(share_of(particles, options.owners > 0 ? options.owners : ranks_),
                            options.granularity)),
      piece_slots_(std::min(round_up(options.piece_slots, options.granularity), block_slots_)),
      pieces_((block_slots_ + piece_slots_ - 1) / piece_slots_),
      by_block_(block_slots_),
      by_piece_(piece_slots_),
      exchange_(
          context, word,
          {.method = options.method, .name = "output in order of ids", .possible_sources = {}}) {}

void BlockRedistribution::note_failure(std::string text) {
  if (failure_.empty()) failure_ = std::move(text);
}

std::int64_t BlockRedistribution::first_slot(int owner, std::int64_t piece) const {
  const std::int64_t block_end = std::min((owner + 1) * block_slots_, particles_);
  return std::min(owner * block_slots_ + piece * piece_slots_, block_end);
}

std::shared_ptr<const IdOrder> BlockRedistribution::order(std::span<const std::int64_t> ids) const {
  std::vector<std::int64_t> range_begins;
  for (int owner = 0; owner < ranks_; ++owner) {
    for (std::int64_t piece = 0; piece < pieces_; ++piece) {
      range_begins.push_back(first_slot(owner, piece));
    }
  }
  range_begins.push_back(particles_);
  return std::make_shared<const IdOrder>(order_ids(context_, ids, range_begins, pieces_));
}

std::uint32_t BlockRedistribution::row_of(std::int64_t id) const {
  const auto& first = id_order_->first_ids;
  const std::int64_t range = std::ranges::upper_bound(first, id) - first.begin() - 1;
  if (range < 0) return no_row;
  return static_cast<std::uint32_t>(range % pieces_ * ranks_ + range / pieces_);
}

std::int64_t BlockRedistribution::slot_of(std::int64_t id) const {
  if (id_order_->is_plain()) return id - 1;
  const auto& ids = id_order_->block_ids;
  const auto place = std::ranges::lower_bound(ids, id);
  if (place == ids.end() || *place != id) return -1;
  return first_slot(rank_, 0) + (place - ids.begin());
}

std::int64_t BlockRedistribution::id_at(std::int64_t slot) const {
  if (id_order_->is_plain()) return slot + 1;
  const auto index = static_cast<std::size_t>(slot - first_slot(rank_, 0));
  // Ids may be fewer than slots: the slots behind the last id are empty (-1).
  return index < id_order_->block_ids.size() ? id_order_->block_ids[index] : -1;
}

void BlockRedistribution::plan(std::span<const std::int64_t> ids,
                               std::shared_ptr<const IdOrder> order) {
  ids_ = ids;
  id_order_ = std::move(order);
  failure_ = id_order_->failure;

  // Counting sort; there are about particles / piece_slots rows, few compared with the particles.
  row_begin_.assign(static_cast<std::size_t>(pieces_ * ranks_) + 1, 0);
  rows_.resize(ids.size());
  const bool is_plain = id_order_->is_plain();
  for (std::size_t particle = 0; particle < ids.size(); ++particle) {
    const std::uint32_t row = is_plain ? row_of_slot(ids[particle] - 1) : row_of(ids[particle]);
    rows_[particle] = row;
    if (row != no_row) {
      ++row_begin_[row + 1];
    } else {
      note_failure(
          fmt::format("a particle has the id {}, which no particle had before", ids[particle]));
    }
  }
  for (std::size_t row = 1; row < row_begin_.size(); ++row) row_begin_[row] += row_begin_[row - 1];
  order_.resize(row_begin_.back());
  std::vector<std::size_t> next(row_begin_.begin(), row_begin_.end() - 1);
  for (std::size_t particle = 0; particle < ids.size(); ++particle) {
    if (rows_[particle] != no_row) {
      order_[next[rows_[particle]]++] = static_cast<std::uint32_t>(particle);
    }
  }
}

template <std::size_t bytes>
std::int64_t BlockRedistribution::place_items(std::span<const std::byte> row, std::int64_t first,
                                              std::int64_t count) {
  const std::size_t size = bytes > 0 ? bytes : item_bytes_;
  const bool is_plain = id_order_->is_plain();
  std::int64_t placed = 0;
  for (std::size_t begin = 0; begin < row.size(); begin += stride_) {
    std::int64_t id;
    std::memcpy(&id, row.data() + begin, sizeof(id));
    const std::int64_t place = (is_plain ? id - 1 : slot_of(id)) - first;
    if (place < 0 || place >= count) {
      note_failure(fmt::format("a particle has the id {}, which no particle had before", id));
      continue;
    }
    const auto index = static_cast<std::size_t>(place);
    if (filled_[index] != 0) {
      note_failure(fmt::format("two particles have the id {}", id));
    } else {
      ++placed;
    }
    filled_[index] = 1;
    std::memcpy(items_.data() + index * size, row.data() + begin + sizeof(id), size);
  }
  return placed;
}

BlockRedistribution::Piece BlockRedistribution::exchange(std::int64_t piece, const Pack& pack) {
  const std::size_t* begin = row_begin_.data() + piece * ranks_;
  for (int owner = 0; owner < ranks_; ++owner) {
    const std::size_t count = begin[owner + 1] - begin[owner];
    if (count == 0) continue;
    const std::span<const std::uint32_t> particles(order_.data() + begin[owner], count);
    std::byte* row = exchange_.row(owner, count * stride_ / word).data();
    // Items are packed in small portions, so that ids and data are in the nearest cache together.
    constexpr std::size_t at_once = 256;
    for (std::size_t done = 0; done < count; done += at_once) {
      const auto some = particles.subspan(done, std::min(at_once, count - done));
      for (std::size_t i = 0; i < some.size(); ++i) {
        std::memcpy(row + i * stride_, &ids_[some[i]], sizeof(std::int64_t));
      }
      pack(some, row + sizeof(std::int64_t), stride_);
      row += some.size() * stride_;
    }
  }

  const std::int64_t first = first_slot(rank_, piece);
  const std::int64_t count = first_slot(rank_, piece + 1) - first;
  items_.resize(static_cast<std::size_t>(count) * item_bytes_);
  filled_.assign(static_cast<std::size_t>(count), 0);
  std::int64_t placed = 0;
  for (const auto& row : exchange_.exchange()) {
    // A copy with a length known at compile time takes only a few instructions.
    switch (item_bytes_) {
      case 12:
        placed += place_items<12>(row.items, first, count);
        break;
      case 24:
        placed += place_items<24>(row.items, first, count);
        break;
      default:
        placed += place_items<0>(row.items, first, count);
    }
  }
  exchange_.release();
  if (placed < count) {
    const auto hole = std::find(filled_.begin(), filled_.end(), 0);
    std::fill(items_.begin(), items_.end(), std::byte{0});
    const std::int64_t id = id_at(first + (hole - filled_.begin()));
    note_failure(id < 0 ? fmt::format("there are fewer particles than {}", particles_)
                        : fmt::format("no particle has the id {}", id));
  }
  return {first, items_};
}

std::int64_t BlockRedistribution::owner_of(std::int64_t id) const {
  if (id_order_->is_plain()) {
    return id < 1 || id > particles_ ? -1 : by_block_.quotient(id - 1);
  }
  const std::uint32_t row = row_of(id);
  return row == no_row ? -1 : row % static_cast<std::uint32_t>(ranks_);
}

template <std::size_t bytes>
std::int64_t BlockRedistribution::place_in_block(std::span<const std::byte> items,
                                                 const Keyed& keyed) {
  const std::size_t size = bytes > 0 ? bytes : item_bytes_;
  const std::int64_t first = first_slot();
  const auto count = static_cast<std::int64_t>(block_.size() / size);
  std::int64_t placed = 0;
  for (const std::byte* item = items.data(); item < items.data() + items.size();
       item += keyed.stride) {
    std::int64_t place;
    if (keyed.by_slot) {
      std::uint32_t slot;
      std::memcpy(&slot, item + keyed.key_place, sizeof(slot));
      place = slot;
    } else {
      std::int64_t id;
      std::memcpy(&id, item + keyed.key_place, sizeof(id));
      place = slot_of(id) - first;
      if (place < 0 || place >= count) {
        note_failure(fmt::format("a particle has the id {}, which no particle had before", id));
        continue;
      }
    }
    std::byte* const to = block_.data() + static_cast<std::size_t>(place) * size;
    std::int32_t before;
    std::memcpy(&before, to, sizeof(before));
    if (before != no_item) {
      note_failure(fmt::format("two particles have the id {}", id_at(first + place)));
      continue;
    }
    ++placed;
    std::memcpy(to, item, size);
  }
  return placed;
}

template <std::size_t bytes>
void BlockRedistribution::deal(std::span<const std::int64_t> ids, const std::byte* items,
                               const Keyed& keyed, std::span<std::byte*> next) {
  // A copy with a length known at compile time takes only a few instructions. Item and key are
  // copied separately, because reading at once what was just written in two pieces stalls.
  const std::size_t size = bytes > 0 ? bytes : item_bytes_;
  for (std::size_t i = 0; i < ids.size(); ++i, items += keyed.stride) {
    const std::int64_t id = ids[i];
    const bool is_known = id_order_->is_plain() && id >= 1 && id <= particles_;
    const std::int64_t owner = is_known ? by_block_.quotient(id - 1) : owner_of(id);
    if (owner < 0) {
      note_failure(fmt::format("a particle has the id {}, which no particle had before", id));
      continue;
    }
    std::byte*& place = next[static_cast<std::size_t>(owner)];
    std::memcpy(place, items, size);
    if (keyed.by_slot) {
      const auto slot = static_cast<std::uint32_t>(id - 1 - owner * block_slots_);
      std::memcpy(place + keyed.key_place, &slot, sizeof(slot));
    } else {
      std::memcpy(place + keyed.key_place, &id, sizeof(id));
    }
    place += keyed.stride;
  }
}

std::span<std::byte> BlockRedistribution::collect(std::span<const std::int64_t> ids,
                                                  std::shared_ptr<const IdOrder> order,
                                                  const PackRange& pack) {
  id_order_ = std::move(order);
  failure_ = id_order_->failure;
  Keyed keyed{};
  keyed.by_slot =
      id_order_->is_plain() && block_slots_ <= std::numeric_limits<std::uint32_t>::max();
  const std::size_t key_bytes = keyed.by_slot ? sizeof(std::uint32_t) : sizeof(std::int64_t);
  keyed.key_place = (item_bytes_ + key_bytes - 1) / key_bytes * key_bytes;
  keyed.stride = keyed.key_place + key_bytes;
  const std::int64_t first = first_slot();
  const std::int64_t count = std::min(first + block_slots_, particles_) - first;
  block_.resize(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)) * item_bytes_);
  for (std::size_t place = 0; place < block_.size(); place += item_bytes_) {
    std::memcpy(block_.data() + place, &no_item, sizeof(no_item));
  }

  const auto at_once = static_cast<std::size_t>(piece_slots_);
  auto rounds = static_cast<std::int64_t>((ids.size() + at_once - 1) / at_once);
  comm::ReductionBatch(context_, "rounds of output").max(rounds).run();
  // Items are packed in small portions, so that they are in the nearest cache when keys are added.
  constexpr std::size_t few = 1024;
  std::vector<std::byte> packed(few * keyed.stride), own(few * keyed.stride);
  std::vector<std::byte*> next(static_cast<std::size_t>(ranks_));
  std::vector<std::size_t> counts(next.size());
  std::int64_t placed = 0;
  for (std::int64_t round = 0; round < rounds; ++round) {
    const std::size_t begin = std::min(ids.size(), static_cast<std::size_t>(round) * at_once);
    const std::size_t end = std::min(ids.size(), begin + at_once);
    std::fill(counts.begin(), counts.end(), 0);
    for (std::size_t i = begin; i < end && ranks_ > 1; ++i) {
      const std::int64_t owner = owner_of(ids[i]);
      if (owner >= 0) ++counts[static_cast<std::size_t>(owner)];
    }
    for (int rank = 0; rank < ranks_; ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      if (rank == rank_ || counts[r] == 0) continue;
      next[r] = exchange_.row(rank, counts[r] * keyed.stride / word).data();
    }
    for (std::size_t i = begin; i < end; i += few) {
      const std::size_t here = std::min(few, end - i);
      pack(i, here, packed.data(), keyed.stride);
      next[static_cast<std::size_t>(rank_)] = own.data();
      const auto some = ids.subspan(i, here);
      item_bytes_ == 12 ? deal<12>(some, packed.data(), keyed, next)
                        : deal<0>(some, packed.data(), keyed, next);
      const std::byte* const own_end = next[static_cast<std::size_t>(rank_)];
      placed += place_in_block({own.data(), static_cast<std::size_t>(own_end - own.data())}, keyed);
    }
    if (ranks_ == 1) continue;
    for (const auto& row : exchange_.exchange()) placed += place_in_block(row.items, keyed);
    exchange_.release();
  }
  if (placed < count) note_hole(first, count);
  return block_.span();
}

void BlockRedistribution::note_hole(std::int64_t first, std::int64_t count) {
  std::int64_t hole = 0;
  for (; hole < count; ++hole) {
    std::int32_t begin;
    std::memcpy(&begin, block_.data() + static_cast<std::size_t>(hole) * item_bytes_,
                sizeof(begin));
    if (begin == no_item) break;
  }
  const std::int64_t id = id_at(first + hole);
  note_failure(id < 0 ? fmt::format("there are fewer particles than {}", particles_)
                      : fmt::format("no particle has the id {}", id));
}

}  // namespace sterna::md
