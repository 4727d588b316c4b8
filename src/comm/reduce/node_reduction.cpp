#include "comm/reduce/node_reduction.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "comm/onesided/notice.hpp"

namespace sterna::comm {
namespace {

/// The most ranks for which shared memory is used. Each rank reads one or two cache lines of every
/// other rank, about 0.1 us each, while a tree takes a few microseconds for any number of ranks.
constexpr int most_ranks_that_read_each_other = 32;
constexpr std::size_t most_bytes_read = 32768;

std::vector<int> all_but(int rank, int size) {
  std::vector<int> others;
  for (int other = 0; other < size; ++other) {
    if (other != rank) others.push_back(other);
  }
  return others;
}

}  // namespace

bool NodeReduction::serves(const Context::Implementation& context, std::size_t bytes) {
  if (context.size < 2 || context.size > most_ranks_that_read_each_other) return false;
  if (context.node_count != 1 || bytes * static_cast<std::size_t>(context.size) > most_bytes_read) {
    return false;
  }
  return std::ranges::any_of(context.transports, [](const Context::Transport& transport) {
    return transport.name == "shm" && transport.available;
  });
}

NodeReduction::NodeReduction(Context::Implementation& context, std::string_view name, int tag,
                             std::size_t bytes)
    : size_(context.size),
      stride_(notice_stride + (bytes + notice_stride - 1) / notice_stride * notice_stride),
      window_(context, name, tag, 2 * stride_, all_but(context.rank, context.size),
              [&](std::byte*) {
                return std::vector<NoNote>(static_cast<std::size_t>(context.size - 1));
              }),
      memories_(static_cast<std::size_t>(size_), window_.data()) {
  for (const auto& remote : window_.remotes()) {
    memories_[static_cast<std::size_t>(remote.rank)] = remote.memory.mapped();
  }
}

void NodeReduction::store(std::uint64_t round, std::span<const std::byte> contribution) {
  std::byte* const place = window_.data() + this->place(round);
  std::memcpy(place + notice_stride, contribution.data(), contribution.size());
  std::atomic_ref(*reinterpret_cast<std::uint64_t*>(place)).store(round, std::memory_order_release);
}

int NodeReduction::late_rank(std::uint64_t round) {
  if (seen_round_ != round) seen_ = 0;
  seen_round_ = round;
  while (seen_ < size_ && read_notice(memory_of(seen_) + place(round)) >= round) ++seen_;
  return seen_ < size_ ? seen_ : -1;
}

const std::byte* NodeReduction::contribution(int rank, std::uint64_t round) const {
  return memory_of(rank) + place(round) + notice_stride;
}

const std::byte* NodeReduction::memory_of(int rank) const {
  return memories_[static_cast<std::size_t>(rank)];
}

}  // namespace sterna::comm
