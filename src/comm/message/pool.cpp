#include "comm/message/pool.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "comm/context/memory_need.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {
namespace {

/// The smallest block. Multiples of a quarter of it keep the alignment of the headers.
constexpr std::size_t smallest_block = 512;
constexpr std::size_t slab_bytes = std::size_t{4} << 20U;
/// The largest block that is carved from a shared slab; larger blocks have slabs of their own.
constexpr std::size_t largest_carved = slab_bytes / 4;
/// The largest block whose size fits its type.
constexpr std::size_t largest_block = std::size_t{1} << 62U;
constexpr std::byte poison{0xdb};

/// Sizes of blocks have four classes to an octave, so at most a quarter of a block is unused.
std::size_t class_of(std::size_t bytes) {
  const std::size_t quarter = std::max(bytes, smallest_block) - 1;
  const auto octave = static_cast<std::size_t>(std::bit_width(quarter)) - 1;
  return 4 * octave + ((quarter >> (octave - 2)) & 3U);
}
std::size_t capacity_of(std::size_t size_class) {
  const std::size_t octave = size_class / 4;
  return (std::size_t{1} << octave) + ((size_class % 4 + 1) << (octave - 2));
}

/// Takes all page faults now, rather than one by one in the first message.
void populate(std::byte* data, std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  madvise(data, bytes, MADV_POPULATE_WRITE);  // if an older kernel refuses, the only loss is time
#else
  (void)data;
  (void)bytes;
#endif
}

}  // namespace

MessagePool::MessagePool(std::vector<PoolDirectory*> directories, std::size_t own, bool poisoned,
                         std::shared_ptr<void> keep)
    : keep_(std::move(keep)),
      directories_(std::move(directories)),
      own_(own),
      poison_(poisoned),
      slabs_(std::max<std::size_t>(directories_.size(), 1)),
      free_(4 * 64) {
  mapped_.resize(slabs_.size());
}

BufferBytes MessagePool::allocate(std::size_t bytes) {
  if (bytes > largest_block) require(too_many_bytes);
  const std::size_t size_class = class_of(bytes);
  std::vector<std::byte*>& free = free_[size_class];
  if (free.empty()) collect_returned();
  std::byte* data = nullptr;
  if (free.empty()) {
    data = carve(capacity_of(size_class));
  } else {
    data = free.back();
    free.pop_back();
  }
  ++outstanding_;
  return {shared_from_this(), data, bytes, header_of(data).location};
}

std::byte* MessagePool::carve(std::size_t capacity) {
  const std::size_t all = sizeof(Header) + capacity;
  std::size_t slab = fresh_slab_;
  std::size_t begin = 0;
  if (capacity > largest_carved) {
    slab = add_slab(all);
  } else {
    if (all > fresh_bytes_) {
      slab = fresh_slab_ = add_slab(slab_bytes);
      fresh_bytes_ = slab_bytes;
    }
    begin = slab_bytes - fresh_bytes_;
    fresh_bytes_ -= all;
  }
  std::byte* const block = slabs_[own_][slab] + begin;
  ::new (block) Header{
      {static_cast<std::uint32_t>(own_), static_cast<std::uint32_t>(slab), begin + sizeof(Header)},
      capacity,
      0};
  return block + sizeof(Header);
}

void MessagePool::require(std::size_t bytes) const {
  const std::string reason =
      why_no_memory(is_shared() ? MemoryNeed{.shared = bytes} : MemoryNeed{.plain = bytes});
  if (!reason.empty()) throw MemoryError(fmt::format("messages: {}", reason));
}

std::byte* MessagePool::slab_memory(std::size_t number, std::size_t bytes) {
  if (!directories_.empty()) {
    if (number == PoolDirectory::most_slabs) {
      throw Error(fmt::format("messages: more than {} slabs of memory", PoolDirectory::most_slabs));
    }
    shared_.push_back(std::make_unique<shm::Memory>(bytes));
    PoolDirectory& directory = *directories_[own_];
    directory.handles[number] = shared_.back()->handle();
    directory.slabs.store(static_cast<std::uint32_t>(number) + 1, std::memory_order_release);
    return shared_.back()->data();
  }
  private_.push_back(std::make_unique<two_sided::Memory>(bytes));
  return private_.back()->data();
}

std::size_t MessagePool::add_slab(std::size_t bytes) {
  require(bytes);
  const std::size_t number = slabs_[own_].size();
  const Slab slab{slab_memory(number, bytes),
                  bytes,
                  {static_cast<std::uint32_t>(own_), static_cast<std::uint32_t>(number), 0}};
  populate(slab.data, bytes);
  slabs_[own_].push_back(slab.data);
  by_address_.insert(std::ranges::upper_bound(by_address_, slab.data, {}, &Slab::data), slab);
  return number;
}

std::byte* MessagePool::map_slab(const Location& location) {
  if (!directories_.empty() &&
      location.slab < directories_[location.owner]->slabs.load(std::memory_order_acquire)) {
    const shm::Handle& handle = directories_[location.owner]->handles[location.slab];
    auto& mapped = mapped_[location.owner];
    if (mapped.size() <= location.slab) mapped.resize(location.slab + 1);
    mapped[location.slab].emplace(handle);
    const Slab slab{
        mapped[location.slab]->mapped(), handle.bytes, {location.owner, location.slab, 0}};
    populate(slab.data, slab.bytes);
    by_address_.insert(std::ranges::upper_bound(by_address_, slab.data, {}, &Slab::data), slab);
    std::vector<std::byte*>& slabs = slabs_[location.owner];
    if (slabs.size() <= location.slab) slabs.resize(location.slab + 1, nullptr);
    return slabs[location.slab] = slab.data;
  }
  throw Error("messages: a peer names memory that it does not have");
}

BufferBytes MessagePool::adopt(const Location& location, std::size_t bytes) {
  return {shared_from_this(), slab_data(location) + location.offset, bytes, location};
}

std::optional<Location> MessagePool::locate(const std::byte* data, std::size_t bytes) const {
  if (directories_.empty()) return std::nullopt;
  const auto after = std::ranges::upper_bound(by_address_, data, {}, &Slab::data);
  if (after == by_address_.begin()) return std::nullopt;
  const Slab& slab = *(after - 1);
  const auto offset = static_cast<std::size_t>(data - slab.data);
  if (offset > slab.bytes || bytes > slab.bytes - offset) return std::nullopt;
  return Location{slab.location.owner, slab.location.slab, offset};
}

void MessagePool::release(std::byte* data) {
  Header& header = header_of(data);
  if (header.location.owner == own_) {
    put_away(data);
    return;
  }
  std::atomic<std::uint64_t>& list = directories_[header.location.owner]->returned;
  header.next = list.load(std::memory_order_relaxed);
  while (!list.compare_exchange_weak(header.next, pack(header.location), std::memory_order_release,
                                     std::memory_order_relaxed)) {
  }
}

void MessagePool::put_away(std::byte* data) {
  const std::size_t capacity = header_of(data).capacity;
  if (poison_) std::memset(data, static_cast<int>(poison), capacity);
  free_[class_of(capacity)].push_back(data);
  --outstanding_;
}

std::byte* MessagePool::unpack(std::uint64_t packed) {
  const auto slab = static_cast<std::size_t>(packed & 0xffffU) - 1;
  return slabs_[own_][slab] + (packed >> 16U) * alignof(Header);
}

void MessagePool::collect_returned() {
  if (directories_.empty()) return;
  std::uint64_t packed = directories_[own_]->returned.exchange(0, std::memory_order_acquire);
  while (packed != 0) {
    std::byte* const data = unpack(packed);
    packed = header_of(data).next;
    put_away(data);
  }
}

void MessagePool::release_unused() {
  collect_returned();
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  // Shared memory is a file; only a hole in it releases its pages.
  const int advice = directories_.empty() ? MADV_DONTNEED : MADV_REMOVE;
  for (std::size_t size_class = class_of(largest_carved) + 1; size_class < free_.size();
       ++size_class) {
    for (std::byte* const data : free_[size_class]) {
      // The header before the data stays, and with it the rest of its page.
      std::byte* const begin = data + page - sizeof(Header);
      const std::size_t bytes = capacity_of(size_class) + sizeof(Header) - page;
      madvise(begin, bytes / page * page, advice);  // on failure the memory is kept
    }
  }
}

std::size_t MessagePool::outstanding() {
  collect_returned();
  return outstanding_;
}

void BufferBytes::reset() {
  if (data_ == nullptr) return;
  pool_->release(data_);
  hand_over();
}

}  // namespace sterna::comm
