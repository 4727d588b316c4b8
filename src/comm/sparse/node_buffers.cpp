#include "comm/sparse/node_buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>

#include "comm/context/agreement.hpp"
#include "comm/context/waiter.hpp"
#include "comm/onesided/window.hpp"
#include "comm/sparse/buffer_size.hpp"
#include "comm/sparse/copy_items.hpp"
#include "comm/transport/shm/transport.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {

namespace {

using Word = std::uint64_t;

/// The state that the ranks of a node share, in memory of the lowest rank. Words of different
/// writers are on different cache lines.
struct alignas(128) NodeState {
  alignas(128) Word arrivals;  ///< number of arrivals in all steps
  alignas(128) Word released;  ///< last step that has ended on all nodes
  alignas(128) Word
      overflow_step[2];  ///< last even and last odd step in which a buffer was too small
};
/// The state of one rank. One for each rank follows the common state.
struct alignas(128) RankState {
  shm::Handle buffers;
  std::uint64_t buffer_bytes;
  Word arrived;  ///< last step in which it arrived
};

std::atomic_ref<Word> shared(Word& word) {
  return std::atomic_ref(word);
}

class SharedMemoryBuffers final : public NodeBuffers {
 public:
  explicit SharedMemoryBuffers(const SparseSetting& setting)
      : setting_(setting),
        ranks_(setting.context.ranks_on_node()),
        state_(setting.context.implementation(), setting.exchange_name,
               setting.context.implementation().reserve_tags(1),
               is_first() ? sizeof(NodeState) + ranks_.size() * sizeof(RankState) : 0,
               state_partners(),
               [&](std::byte*) {
                 make_buffers(first_buffer_bytes);
                 return std::vector<NoNote>(state_partners().size());
               }),
        state_memory_(is_first() ? state_.data() : state_.remotes().front().memory.mapped()),
        peers_(ranks_.size()) {
    list_buffers();
    // after this, all ranks are listed
    largest(setting_.context.implementation(), 0, setting_.exchange_name);
  }

  bool send(const OutgoingRow& row, unsigned parity) override {
    Mapped& peer = mapped(row.destination);
    const std::size_t bytes = row.count * setting_.item_size;
    const std::size_t part = ReservedBuffer::part_bytes(bytes);
    const std::size_t buffer = parity * peer.buffer_bytes;
    Word before = 0;
    peer.memory.fetch_add(buffer + ReservedBuffer::free_end_offset,
                          ReservedBuffer::reservation(part), before);
    const auto offset = ReservedBuffer::offset(before, part);
    if (!offset) return false;
    const Word trailer = ReservedBuffer::trailer(setting_.context.rank(), row.count);
    copy_items(peer.memory.mapped() + buffer + *offset, row.items, bytes);
    peer.memory.put(buffer + *offset + part - sizeof trailer, &trailer, sizeof trailer);
    return true;
  }

  ReservedBuffer& buffer(unsigned parity) override { return buffers_[parity]; }

  void arrive(std::uint64_t step, bool overflow) override {
    if (overflow) note_overflow(step);
    shared(state_of(index_of(setting_.context.rank())).arrived)
        .store(step, std::memory_order_relaxed);
    shared(state().arrivals).fetch_add(1, std::memory_order_acq_rel);
  }
  bool all_arrived(std::uint64_t step) const override {
    // Some ranks may have arrived in the next step already, but not before all have arrived in this
    // one.
    return shared(state().arrivals).load(std::memory_order_acquire) >= step * ranks_.size();
  }
  std::vector<int> late_ranks(std::uint64_t step) const override {
    std::vector<int> late;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      if (shared(state_of(i).arrived).load(std::memory_order_relaxed) < step) {
        late.push_back(ranks_[i]);
      }
    }
    return late;
  }
  bool overflowed(std::uint64_t step) const override {
    return shared(state().overflow_step[step % 2]).load(std::memory_order_relaxed) == step;
  }
  void release(std::uint64_t step, bool overflow) override {
    if (overflow) note_overflow(step);
    shared(state().released).store(step, std::memory_order_release);
  }
  bool released(std::uint64_t step) const override {
    return shared(state().released).load(std::memory_order_acquire) >= step;
  }

  void grow() override {
    for (auto& peer : peers_) peer.reset();
    const std::size_t wanted = std::max(buffers_[0].wanted(), buffers_[1].wanted());
    if (buffers_[0].overflowed() || buffers_[1].overflowed()) {
      make_buffers(grown_buffer_bytes(wanted));
      list_buffers();
    } else {
      for (ReservedBuffer& buffer : buffers_) buffer.open();
    }
  }

 private:
  struct Mapped {
    shm::RemoteMemory memory;
    std::size_t buffer_bytes;
  };

  bool is_first() const { return ranks_.front() == setting_.context.rank(); }
  std::size_t index_of(int rank) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(ranks_, rank) - ranks_.begin());
  }
  /// The lowest rank allocates the memory of the state, and the others map it.
  std::vector<int> state_partners() const {
    if (is_first()) return {ranks_.begin() + 1, ranks_.end()};
    return {ranks_.front()};
  }
  NodeState& state() const { return *reinterpret_cast<NodeState*>(state_memory_); }
  RankState& state_of(std::size_t index) const {
    return reinterpret_cast<RankState*>(state_memory_ + sizeof(NodeState))[index];
  }
  void note_overflow(std::uint64_t step) {
    shared(state().overflow_step[step % 2]).store(step, std::memory_order_relaxed);
  }

  void make_buffers(std::size_t buffer_bytes) {
    memory_.reset();  // freed first, so that old and new memory do not exist at once
    memory_ = std::make_unique<shm::Memory>(2 * buffer_bytes);
    for (unsigned parity : {0u, 1u})
      buffers_[parity].use(memory_->data() + parity * buffer_bytes, buffer_bytes);
  }

  void list_buffers() {
    RankState& mine = state_of(index_of(setting_.context.rank()));
    mine.buffers = memory_->handle();
    mine.buffer_bytes = buffers_[0].bytes();
  }

  Mapped& mapped(int rank) {
    const std::size_t index = index_of(rank);
    if (!peers_[index]) {
      const RankState& other = state_of(index);
      try {
        peers_[index].emplace(shm::RemoteMemory(other.buffers), other.buffer_bytes);
      } catch (const Error& error) {
        throw Error(fmt::format("{}: rank {}: {}{}", setting_.exchange_name, rank, error.what(),
                                death_of(setting_.context.implementation(), rank)));
      }
    }
    return *peers_[index];
  }

  SparseSetting setting_;
  std::span<const int> ranks_;  ///< ranks of this node, ascending
  std::unique_ptr<shm::Memory> memory_;
  ReservedBuffer buffers_[2];
  Window<shm::Transport> state_;
  std::byte* state_memory_;
  std::vector<std::optional<Mapped>> peers_;  ///< in the order of `ranks_`
};

}  // namespace

std::unique_ptr<NodeBuffers> make_node_buffers(const SparseSetting& setting) {
  return std::make_unique<SharedMemoryBuffers>(setting);
}

}  // namespace sterna::comm
