#include "comm/sparse/reserved_buffer.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace sterna::comm {

namespace {

std::atomic_ref<std::uint64_t> word_at(std::byte* memory) {
  return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(memory));
}

}  // namespace

void ReservedBuffer::use(std::byte* memory, std::size_t bytes) {
  memory_ = memory;
  bytes_ = bytes;
  open();
}

void ReservedBuffer::open() {
  collected_ = bytes_;
  word_at(memory_ + free_end_offset).store(bytes_, std::memory_order_release);
}

void ReservedBuffer::clear_and_open() {
  const auto used = std::min<std::size_t>(wanted(), bytes_ - unit);
  std::memset(memory_ + bytes_ - used, 0, used);
  open();
}

std::uint64_t ReservedBuffer::free_end() const {
  return word_at(memory_ + free_end_offset).load(std::memory_order_acquire);
}

bool ReservedBuffer::collect(int rank, std::size_t item_size, std::vector<RoutedRow>& arrived) {
  const std::uint64_t end = free_end();
  while (collected_ > end) {
    const std::uint64_t trailer =
        word_at(memory_ + collected_ - trailer_bytes).load(std::memory_order_acquire);
    if (trailer == 0) return false;
    const std::uint64_t count = trailer >> source_bits;
    const auto source = static_cast<int>(trailer & ((std::uint64_t{1} << source_bits) - 1));
    collected_ -= part_bytes(count * item_size);
    arrived.push_back({{rank, source, count}, memory_ + collected_});
  }
  return true;
}

}  // namespace sterna::comm
