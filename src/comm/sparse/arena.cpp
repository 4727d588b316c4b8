#include "comm/sparse/arena.hpp"

#include <algorithm>

namespace sterna::comm {

namespace {
constexpr std::size_t arena_alignment = 64;
constexpr std::size_t smallest_arena_block = 64 * 1024;
}  // namespace

std::byte* Arena::take(std::size_t bytes) {
  bytes = (bytes + arena_alignment - 1) / arena_alignment * arena_alignment;
  if (blocks_.empty() || blocks_.back().capacity() - used_ < bytes) {
    blocks_.emplace_back();
    // Doubling keeps the number of blocks small in the first round.
    blocks_.back().discard_and_reserve(std::max({bytes, smallest_arena_block, total_}));
    used_ = 0;
  }
  std::byte* piece = blocks_.back().data() + used_;
  used_ += bytes;
  total_ += bytes;
  return piece;
}

void Arena::clear() {
  if (blocks_.size() > 1) {
    blocks_.clear();
    blocks_.emplace_back();
    blocks_.back().discard_and_reserve(total_);
  }
  used_ = 0;
  total_ = 0;
}

}  // namespace sterna::comm
