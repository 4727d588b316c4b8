#include "comm/sparse/network_buffers.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <unordered_map>

#include "comm/context/agreement.hpp"
#include "comm/context/mpi_error.hpp"
#include "comm/onesided/connect.hpp"
#include "comm/sparse/buffer_size.hpp"
#include "comm/sparse/request_list.hpp"
#include "comm/transport/ofi/transport.hpp"
#include "comm/transport/rdma/transport.hpp"

namespace sterna::comm {

namespace {

/// The buffers by the transport of a network.
template <class Transport>
class PutNetworkBuffers final : public NetworkBuffers {
 public:
  explicit PutNetworkBuffers(const SparseSetting& setting)
      : setting_(setting),
        communicator_(setting.context.implementation().communicator),
        ask_tag_(setting.context.implementation().reserve_tags(2)) {
    setting.context.implementation().rdma_in_use = true;
    on_all_ranks(setting.context.implementation(), setting.exchange_name,
                 [&] { make_buffers(first_buffer_bytes); });
  }

  void serve() override {
    Transport::progress();
    // Requests of other ranks are rare, and checking for them takes longer than the rest of this
    // function.
    if (++serves_ % serves_between_looks == 0) answer();
  }

  void reserve(std::span<const OutgoingRow> rows, unsigned parity) override {
    parts_.clear();
    parts_.resize(rows.size());
    parity_ = parity;
    rows_ = rows;
    next_ = 0;
    for (const OutgoingRow& row : rows) {
      if (!peers_.contains(row.destination)) ask(row.destination);
    }
  }

  bool reserved() override {
    // Rows are reserved in their order, so that a late answer delays only the rows behind it.
    for (; next_ < rows_.size(); ++next_) {
      const OutgoingRow& row = rows_[next_];
      if (!peers_.contains(row.destination) && !answered(row.destination)) return false;
      Remote& remote = peers_.at(row.destination);
      Part& part = parts_[next_];
      part.bytes = ReservedBuffer::part_bytes(row.count * setting_.item_size);
      part.reservation = ReservedBuffer::reservation(part.bytes);
      remote.memory.fetch_add(parity_ * remote.buffer_bytes + ReservedBuffer::free_end_offset,
                              part.reservation, part.before);
    }
    return sent();
  }

  bool send(std::span<const OutgoingRow> rows, unsigned parity) override {
    bool all_fit = true;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Part& part = parts_[i];
      const auto offset = ReservedBuffer::offset(part.before, part.bytes);
      part.fits = offset.has_value();
      if (!part.fits) {
        all_fit = false;
        continue;
      }
      Remote& remote = peers_.at(rows[i].destination);
      part.begin = parity * remote.buffer_bytes + *offset;
      part.trailer = ReservedBuffer::trailer(setting_.context.rank(), rows[i].count);
      remote.memory.put(part.begin, rows[i].items, rows[i].count * setting_.item_size);
    }
    if (!rows.empty()) Transport::fence();
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
    bool all = requests_.test();
    for (const OutgoingRow& row : rows_) all = peers_.at(row.destination).memory.sent() && all;
    return all;
  }

  std::vector<int> late_ranks() override {
    std::vector<int> late = requests_.late_peers();
    for (const OutgoingRow& row : rows_) {
      const auto known = peers_.find(row.destination);
      if (known == peers_.end() || !known->second.memory.sent()) late.push_back(row.destination);
    }
    return late;
  }

  void flush() override {
    for (const OutgoingRow& row : rows_) peers_.at(row.destination).memory.flush();
  }

  ReservedBuffer& buffer(unsigned parity) override { return buffers_[parity]; }

  void grow() override {
    peers_.clear();
    rows_ = {};
    if (buffers_[0].overflowed() || buffers_[1].overflowed()) {
      make_buffers(grown_buffer_bytes(std::max(buffers_[0].wanted(), buffers_[1].wanted())));
    } else {
      for (ReservedBuffer& buffer : buffers_) buffer.clear_and_open();
    }
  }

 private:
  using Memory = typename Transport::Memory;
  using RemoteMemory = typename Transport::RemoteMemory;

  static constexpr unsigned serves_between_looks = 8;

  /// Access to the buffers of another rank.
  struct Remote {
    RemoteMemory memory;
    std::size_t buffer_bytes;
  };
  /// A part of the buffer of another rank. The transport reads and writes some members until `sent`.
  struct Part {
    std::size_t bytes;
    std::uint64_t reservation;
    std::uint64_t before;
    std::size_t begin;
    std::uint64_t trailer;
    bool fits;
  };
  void make_buffers(std::size_t buffer_bytes) {
    memory_.reset();
    memory_ = std::make_unique<Memory>(2 * buffer_bytes);
    for (unsigned parity : {0u, 1u})
      buffers_[parity].use(memory_->data() + parity * buffer_bytes, buffer_bytes);
    description_ = describe(buffer_bytes, memory_->handle());
  }

  void ask(int rank) {
    check_mpi(MPI_Isend(nullptr, 0, MPI_BYTE, rank, ask_tag_, communicator_, requests_.add(rank)),
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
      check_mpi(MPI_Isend(description_.data(), static_cast<int>(description_.size()), MPI_BYTE,
                          status.MPI_SOURCE, ask_tag_ + 1, communicator_,
                          requests_.add(status.MPI_SOURCE)),
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
    const auto [buffer_bytes, handle] = note_and_handle<std::size_t>(text);
    peers_.emplace(rank, Remote{RemoteMemory(handle), buffer_bytes});
    return true;
  }

  SparseSetting setting_;
  MPI_Comm communicator_;
  int ask_tag_;
  std::unique_ptr<Memory> memory_;
  ReservedBuffer buffers_[2];
  std::string description_;  ///< data that another rank needs to write here
  RequestList requests_;     ///< requests for access, and answers to them
  unsigned serves_ = 0;
  std::unordered_map<int, Remote> peers_;
  std::vector<Part> parts_;  ///< one part for each row
  std::span<const OutgoingRow> rows_;
  std::size_t next_ = 0;  ///< next row to reserve for
  unsigned parity_ = 0;
};

}  // namespace

template <>
std::unique_ptr<NetworkBuffers> make_network_buffers<rdma::Transport>(
    const SparseSetting& setting) {
  return std::make_unique<PutNetworkBuffers<rdma::Transport>>(setting);
}

template <>
std::unique_ptr<NetworkBuffers> make_network_buffers<ofi::Transport>(const SparseSetting& setting) {
  return std::make_unique<PutNetworkBuffers<ofi::Transport>>(setting);
}

}  // namespace sterna::comm
