#include "comm/sparse/far_rooms.hpp"

#include "sterna/comm/error.hpp"

#ifdef STERNA_HAVE_UCX

#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <unordered_map>

#include "comm/context/agreement.hpp"
#include "comm/context/mpi_error.hpp"
#include "comm/sparse/request_list.hpp"
#include "comm/sparse/room_size.hpp"
#include "comm/transport/rdma/memory.hpp"
#include "comm/transport/rdma/peer.hpp"
#include "comm/transport/rdma/worker.hpp"

namespace sterna::comm {

namespace {

class UcxRooms final : public FarRooms {
 public:
  explicit UcxRooms(const SparseSetting& setting)
      : setting_(setting),
        communicator_(setting.context.implementation().communicator),
        ask_tag_(setting.context.implementation().reserve_tags(2)),
        worker_(rdma::Worker::instance()) {
    setting.context.implementation().rdma_in_use = true;
    std::string fault;
    try {
      make_rooms(first_room_bytes);
    } catch (const Error& error) {
      fault = error.what();
    }
    const std::string agreed =
        agree_on_reason(setting.context.implementation(), fault, setting.exchange);
    if (!agreed.empty()) throw Error(setting.exchange + ": " + agreed);
  }

  void serve() override {
    worker_.progress();
    // Looking for questions costs more than the rest, and they are rare.
    if (++serves_ % serves_between_looks == 0) answer();
  }

  void reserve(std::span<const OutgoingRow> rows, unsigned half) override {
    parts_.clear();
    parts_.resize(rows.size());
    half_ = half;
    rows_ = rows;
    next_ = 0;
    for (const OutgoingRow& row : rows) {
      if (!peers_.contains(row.destination)) ask(row.destination);
    }
  }

  bool reserved() override {
    // In their order, so that late answers delay only those behind them.
    for (; next_ < rows_.size(); ++next_) {
      const OutgoingRow& row = rows_[next_];
      if (!peers_.contains(row.destination) && !answered(row.destination)) return false;
      Door& door = peers_.at(row.destination);
      Part& part = parts_[next_];
      part.bytes = ReservedRoom::part_bytes(row.count * setting_.item_size);
      part.reservation = ReservedRoom::reservation(part.bytes);
      door.memory.fetch_add(half_ * door.room_bytes + ReservedRoom::free_end_offset,
                            part.reservation, part.before);
    }
    return sent();
  }

  bool send(std::span<const OutgoingRow> rows, unsigned half) override {
    bool all_fit = true;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Part& part = parts_[i];
      const auto place = ReservedRoom::place(part.before, part.bytes);
      part.fits = place.has_value();
      if (!part.fits) {
        all_fit = false;
        continue;
      }
      Door& door = peers_.at(rows[i].destination);
      part.begin = half * door.room_bytes + *place;
      part.trailer = ReservedRoom::trailer(setting_.context.rank(), rows[i].count);
      door.memory.put(part.begin, rows[i].items, rows[i].count * setting_.item_size);
    }
    if (!rows.empty()) worker_.fence();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Part& part = parts_[i];
      if (!part.fits) continue;
      peers_.at(rows[i].destination)
          .memory.put(part.begin + part.bytes - sizeof part.trailer,
                      reinterpret_cast<const std::byte*>(&part.trailer), sizeof part.trailer);
    }
    return all_fit;
  }

  bool sent() override {
    bool all = letters_.test();
    for (const OutgoingRow& row : rows_) all = peers_.at(row.destination).memory.sent() && all;
    return all;
  }

  std::vector<int> late_ranks() override {
    std::vector<int> late = letters_.late_peers();
    for (const OutgoingRow& row : rows_) {
      const auto known = peers_.find(row.destination);
      if (known == peers_.end() || !known->second.memory.sent()) late.push_back(row.destination);
    }
    return late;
  }

  void flush() override {
    for (const OutgoingRow& row : rows_) peers_.at(row.destination).memory.flush();
  }

  ReservedRoom& room(unsigned half) override { return rooms_[half]; }

  void grow() override {
    peers_.clear();
    rows_ = {};
    if (rooms_[0].overflowed() || rooms_[1].overflowed()) {
      make_rooms(grown_room_bytes(std::max(rooms_[0].wanted(), rooms_[1].wanted())));
    } else {
      for (ReservedRoom& room : rooms_) room.clear_and_open();
    }
  }

 private:
  static constexpr unsigned serves_between_looks = 8;

  /// The way into the rooms of another rank.
  struct Door {
    rdma::Peer memory;
    std::size_t room_bytes;
  };
  /// Of the room of another rank. UCX reads and writes some of it until `sent`.
  struct Part {
    std::size_t bytes;
    std::uint64_t reservation;
    std::uint64_t before;
    std::size_t begin;
    std::uint64_t trailer;
    bool fits;
  };
  struct Letter {
    std::uint64_t room_bytes;
    std::uint64_t address_length;
  };

  void make_rooms(std::size_t room_bytes) {
    memory_.reset();
    memory_ = std::make_unique<rdma::Memory>(2 * room_bytes);
    for (unsigned half : {0u, 1u})
      rooms_[half].use(memory_->data() + half * room_bytes, room_bytes);
    const std::string& address = worker_.address();
    const Letter letter{room_bytes, address.size()};
    letter_.assign(reinterpret_cast<const char*>(&letter), sizeof letter);
    letter_ += address + memory_->handle();
  }

  void ask(int rank) {
    check_mpi(MPI_Isend(nullptr, 0, MPI_BYTE, rank, ask_tag_, communicator_, letters_.add(rank)),
              "asking for memory");
  }

  void answer() {
    for (;;) {
      int found = 0;
      MPI_Message message;
      MPI_Status status;
      check_mpi(MPI_Improbe(MPI_ANY_SOURCE, ask_tag_, communicator_, &found, &message, &status),
                "MPI_Improbe");
      if (!found) return;
      check_mpi(MPI_Mrecv(nullptr, 0, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
      check_mpi(
          MPI_Isend(letter_.data(), static_cast<int>(letter_.size()), MPI_BYTE, status.MPI_SOURCE,
                    ask_tag_ + 1, communicator_, letters_.add(status.MPI_SOURCE)),
          "answering a rank that asks for memory");
    }
  }

  bool answered(int rank) {
    int found = 0;
    MPI_Message message;
    MPI_Status status;
    check_mpi(MPI_Improbe(rank, ask_tag_ + 1, communicator_, &found, &message, &status),
              "MPI_Improbe");
    if (!found) return false;
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    std::string text(static_cast<std::size_t>(bytes), '\0');
    check_mpi(MPI_Mrecv(text.data(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
    Letter letter;
    std::memcpy(&letter, text.data(), sizeof letter);
    const std::string address = text.substr(sizeof letter, letter.address_length);
    const std::string handle = text.substr(sizeof letter + letter.address_length);
    peers_.emplace(rank, Door{rdma::Peer(address, handle), letter.room_bytes});
    return true;
  }

  SparseSetting setting_;
  MPI_Comm communicator_;
  int ask_tag_;
  rdma::Worker& worker_;
  std::unique_ptr<rdma::Memory> memory_;
  ReservedRoom rooms_[2];
  std::string letter_;  ///< what another rank must know to write here
  RequestList letters_;
  unsigned serves_ = 0;
  std::unordered_map<int, Door> peers_;
  std::vector<Part> parts_;  ///< one for each row
  std::span<const OutgoingRow> rows_;
  std::size_t next_ = 0;  ///< row to reserve for
  unsigned half_ = 0;
};

}  // namespace

std::unique_ptr<FarRooms> make_far_rooms(const SparseSetting& setting) {
  return std::make_unique<UcxRooms>(setting);
}

}  // namespace sterna::comm

#else

namespace sterna::comm {

std::unique_ptr<FarRooms> make_far_rooms(const SparseSetting& setting) {
  throw Error(setting.exchange + ": built without UCX");
}

}  // namespace sterna::comm

#endif
