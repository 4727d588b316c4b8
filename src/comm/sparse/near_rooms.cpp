#include "comm/sparse/near_rooms.hpp"

#include "sterna/comm/error.hpp"

#ifdef STERNA_HAVE_SHM

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>

#include "comm/context/agreement.hpp"
#include "comm/context/handshake.hpp"
#include "comm/context/waiter.hpp"
#include "comm/sparse/copy_items.hpp"
#include "comm/sparse/room_size.hpp"
#include "comm/transport/shm/memory.hpp"
#include "comm/transport/shm/peer.hpp"

namespace sterna::comm {

namespace {

using Word = std::uint64_t;

/// Where the ranks of a node meet: in memory of its lowest rank. Words of different writers lie on
/// different cache lines.
struct alignas(128) Lobby {
  alignas(128) Word arrivals;  ///< of all steps
  alignas(128) Word released;  ///< last step that is over on all nodes
  alignas(128) Word
      overflow_step[2];  ///< last even and last odd step in which a room was too small
};
/// Follows the lobby, one for each rank.
struct alignas(128) Resident {
  shm::Handle rooms;
  std::uint64_t room_bytes;
  Word arrived;  ///< last step
};

std::atomic_ref<Word> shared(Word& word) {
  return std::atomic_ref(word);
}

class SharedMemoryRooms final : public NearRooms {
 public:
  explicit SharedMemoryRooms(const SparseSetting& setting)
      : setting_(setting), ranks_(setting.context.ranks_on_node()), peers_(ranks_.size()) {
    std::string fault;
    try {
      make_rooms(first_room_bytes);
      if (is_first()) own_lobby_.emplace(sizeof(Lobby) + ranks_.size() * sizeof(Resident));
    } catch (const Error& error) {
      fault = error.what();
    }
    throw_on_all(fault);
    try {
      enter_lobby();
    } catch (const Error& error) {
      fault = error.what();
    }
    throw_on_all(fault);  // also: all residents are listed
  }

  bool send(const OutgoingRow& row, unsigned half) override {
    Mapped& peer = mapped(row.destination);
    const std::size_t bytes = row.count * setting_.item_size;
    const std::size_t part = ReservedRoom::part_bytes(bytes);
    const std::size_t room = half * peer.room_bytes;
    const auto place =
        ReservedRoom::place(peer.memory.fetch_add(room + ReservedRoom::free_end_offset,
                                                  ReservedRoom::reservation(part)),
                            part);
    if (!place) return false;
    const Word trailer = ReservedRoom::trailer(setting_.context.rank(), row.count);
    copy_items(peer.memory.data() + room + *place, row.items, bytes);
    peer.memory.put(room + *place + part - sizeof trailer, &trailer, sizeof trailer);
    return true;
  }

  ReservedRoom& room(unsigned half) override { return rooms_[half]; }

  void arrive(std::uint64_t step, bool overflow) override {
    if (overflow) note_overflow(step);
    shared(resident(index_of(setting_.context.rank())).arrived)
        .store(step, std::memory_order_relaxed);
    shared(lobby().arrivals).fetch_add(1, std::memory_order_acq_rel);
  }
  bool all_arrived(std::uint64_t step) const override {
    // Some may have come in the step after this one already, but not before all came in this one.
    return shared(lobby().arrivals).load(std::memory_order_acquire) >= step * ranks_.size();
  }
  std::vector<int> late_ranks(std::uint64_t step) const override {
    std::vector<int> late;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      if (shared(resident(i).arrived).load(std::memory_order_relaxed) < step) {
        late.push_back(ranks_[i]);
      }
    }
    return late;
  }
  bool overflowed(std::uint64_t step) const override {
    return shared(lobby().overflow_step[step % 2]).load(std::memory_order_relaxed) == step;
  }
  void release(std::uint64_t step, bool overflow) override {
    if (overflow) note_overflow(step);
    shared(lobby().released).store(step, std::memory_order_release);
  }
  bool released(std::uint64_t step) const override {
    return shared(lobby().released).load(std::memory_order_acquire) >= step;
  }

  void grow() override {
    for (auto& peer : peers_) peer.reset();
    const std::size_t wanted = std::max(rooms_[0].wanted(), rooms_[1].wanted());
    if (rooms_[0].overflowed() || rooms_[1].overflowed()) {
      make_rooms(grown_room_bytes(wanted));
      list_rooms();
    } else {
      for (ReservedRoom& room : rooms_) room.open();
    }
  }

 private:
  struct Mapped {
    shm::Peer memory;
    std::size_t room_bytes;
  };

  bool is_first() const { return ranks_.front() == setting_.context.rank(); }
  std::size_t index_of(int rank) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(ranks_, rank) - ranks_.begin());
  }
  Lobby& lobby() const { return *reinterpret_cast<Lobby*>(lobby_memory_); }
  Resident& resident(std::size_t index) const {
    return reinterpret_cast<Resident*>(lobby_memory_ + sizeof(Lobby))[index];
  }
  void note_overflow(std::uint64_t step) {
    shared(lobby().overflow_step[step % 2]).store(step, std::memory_order_relaxed);
  }

  void make_rooms(std::size_t room_bytes) {
    memory_.reset();  // first, so that old and new do not exist at once
    memory_ = std::make_unique<shm::Memory>(2 * room_bytes);
    for (unsigned half : {0u, 1u})
      rooms_[half].use(memory_->data() + half * room_bytes, room_bytes);
  }

  void enter_lobby() {
    std::vector<int> others(ranks_.begin() + 1, ranks_.end());
    std::string letter;
    if (is_first()) {
      letter.assign(reinterpret_cast<const char*>(&own_lobby_->handle()), sizeof(shm::Handle));
    } else {
      others = {ranks_.front()};
    }
    const auto letters = exchange_letters(setting_.context.implementation(), setting_.exchange,
                                          setting_.context.implementation().reserve_tags(1), others,
                                          std::vector<std::string>(others.size(), letter));
    if (is_first()) {
      lobby_memory_ = own_lobby_->data();
    } else {
      shm::Handle handle;
      std::memcpy(&handle, letters.front().data(), sizeof handle);
      lobby_memory_ = mapped_lobby_.emplace(handle).data();
    }
    list_rooms();
  }

  void list_rooms() {
    Resident& mine = resident(index_of(setting_.context.rank()));
    mine.rooms = memory_->handle();
    mine.room_bytes = rooms_[0].bytes();
  }

  Mapped& mapped(int rank) {
    const std::size_t index = index_of(rank);
    if (!peers_[index]) {
      const Resident& other = resident(index);
      try {
        peers_[index].emplace(shm::Peer(other.rooms), other.room_bytes);
      } catch (const Error& error) {
        throw Error(fmt::format("{}: rank {}: {}{}", setting_.exchange, rank, error.what(),
                                obituary(setting_.context.implementation(), rank)));
      }
    }
    return *peers_[index];
  }

  void throw_on_all(const std::string& fault) const {
    const std::string agreed =
        agree_on_reason(setting_.context.implementation(), fault, setting_.exchange);
    if (!agreed.empty()) throw Error(setting_.exchange + ": " + agreed);
  }

  SparseSetting setting_;
  std::span<const int> ranks_;  ///< of this node, ascending
  std::unique_ptr<shm::Memory> memory_;
  ReservedRoom rooms_[2];
  std::optional<shm::Memory> own_lobby_;   ///< on the lowest rank
  std::optional<shm::Peer> mapped_lobby_;  ///< on the others
  std::byte* lobby_memory_ = nullptr;
  std::vector<std::optional<Mapped>> peers_;  ///< as `ranks_`
};

}  // namespace

std::unique_ptr<NearRooms> make_near_rooms(const SparseSetting& setting) {
  return std::make_unique<SharedMemoryRooms>(setting);
}

}  // namespace sterna::comm

#else

namespace sterna::comm {

std::unique_ptr<NearRooms> make_near_rooms(const SparseSetting& setting) {
  throw Error(setting.exchange + ": built without shared memory");
}

}  // namespace sterna::comm

#endif
