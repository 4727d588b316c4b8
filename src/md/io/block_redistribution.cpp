#include "md/io/block_redistribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace sterna::md {
namespace {

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

BlockRedistribution::BlockRedistribution(const comm::Context& context, std::int64_t particles,
                                         std::size_t item_bytes, const Options& options)
    : rank_(context.rank()),
      ranks_(context.size()),
      particles_(particles),
      item_bytes_(item_bytes),
      // Items stay on a multiple of 8 bytes, so that slots are read and written in place.
      stride_(sizeof(std::int64_t) + (item_bytes + 7) / 8 * 8),
      block_slots_(round_up(std::max<std::int64_t>(1, (particles + ranks_ - 1) / ranks_),
                            options.granularity)),
      piece_slots_(std::min(round_up(options.piece_slots, options.granularity), block_slots_)),
      pieces_((block_slots_ + piece_slots_ - 1) / piece_slots_),
      exchange_(
          context, stride_,
          {.method = options.method, .name = "output in order of ids", .possible_sources = {}}) {}

void BlockRedistribution::note_failure(std::string text) {
  if (failure_.empty()) failure_ = std::move(text);
}

std::int64_t BlockRedistribution::first_slot(int owner, std::int64_t piece) const {
  const std::int64_t block_end = std::min((owner + 1) * block_slots_, particles_);
  return std::min(owner * block_slots_ + piece * piece_slots_, block_end);
}

void BlockRedistribution::plan(std::span<const std::int64_t> ids) {
  ids_ = ids;
  failure_.clear();
  const auto row_of = [&](std::int64_t slot) {
    const std::int64_t owner = slot / block_slots_;
    return static_cast<std::size_t>(slot % block_slots_ / piece_slots_ * ranks_ + owner);
  };
  const auto is_slot = [&](std::int64_t slot) { return slot >= 0 && slot < particles_; };

  // Counting sort: there are about particles / piece_slots rows, few beside the particles.
  row_begin_.assign(static_cast<std::size_t>(pieces_ * ranks_) + 1, 0);
  for (const std::int64_t id : ids) {
    if (is_slot(id - 1)) {
      ++row_begin_[row_of(id - 1) + 1];
    } else {
      note_failure(
          fmt::format("a particle has the id {}, but ids go from 1 to {}", id, particles_));
    }
  }
  for (std::size_t row = 1; row < row_begin_.size(); ++row) row_begin_[row] += row_begin_[row - 1];
  order_.resize(row_begin_.back());
  std::vector<std::size_t> next(row_begin_.begin(), row_begin_.end() - 1);
  for (std::size_t particle = 0; particle < ids.size(); ++particle) {
    const std::int64_t slot = ids[particle] - 1;
    if (is_slot(slot)) order_[next[row_of(slot)]++] = static_cast<std::uint32_t>(particle);
  }
}

BlockRedistribution::Piece BlockRedistribution::exchange(std::int64_t piece, const Pack& pack) {
  const std::size_t* begin = row_begin_.data() + piece * ranks_;
  for (int owner = 0; owner < ranks_; ++owner) {
    const std::size_t count = begin[owner + 1] - begin[owner];
    if (count == 0) continue;
    const std::span<const std::uint32_t> particles(order_.data() + begin[owner], count);
    std::byte* const row = exchange_.row(owner, count).data();
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t slot = ids_[particles[i]] - 1;
      std::memcpy(row + i * stride_, &slot, sizeof(slot));
    }
    pack(particles, row + sizeof(std::int64_t), stride_);
  }

  const std::int64_t first = first_slot(rank_, piece);
  const std::int64_t count = first_slot(rank_, piece + 1) - first;
  items_.assign(static_cast<std::size_t>(count) * item_bytes_, std::byte{0});
  filled_.assign(static_cast<std::size_t>(count), false);
  for (const auto& row : exchange_.exchange()) {
    for (std::span<const std::byte> rest = row.items; !rest.empty(); rest = rest.subspan(stride_)) {
      std::int64_t slot;
      std::memcpy(&slot, rest.data(), sizeof(slot));
      const auto index = static_cast<std::size_t>(slot - first);
      if (filled_[index]) note_failure(fmt::format("two particles have the id {}", slot + 1));
      filled_[index] = true;
      std::memcpy(items_.data() + index * item_bytes_, rest.data() + sizeof(slot), item_bytes_);
    }
  }
  exchange_.release();
  const auto hole = std::find(filled_.begin(), filled_.end(), false);
  if (hole != filled_.end()) {
    note_failure(fmt::format("no particle has the id {} (ids must be 1 to {})",
                             first + (hole - filled_.begin()) + 1, particles_));
  }
  return {first, items_};
}

}  // namespace sterna::md
