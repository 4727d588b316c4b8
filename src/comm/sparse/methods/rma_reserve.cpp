// Idea:
//   Fetch_and_op reserves a part of the receiver's window, and Put fills it.
//   Flush and a barrier end the round.
// Source:
//   Gerstenberger, Besta and Hoefler (SC 2013) describe it.
//   Susukita's comparison has get-accumulate and put.
// Cost:
//   A round takes two flushes (round trips) for all messages together, and alpha log P.
//   Memory grows with what is received in a round (twice), and with P in how MPI keeps windows.
// Hazards:
//   Some MPIs need the target's help.
//   A buffer that is too small costs the round twice.
// Others:
//   rdma_reserve does the same with less waiting.
//   Methods by messages win where windows are slow.

#include <vector>

#include "comm/context/agreement.hpp"
#include "comm/context/blocking_call.hpp"
#include "comm/context/context_implementation.hpp"
#include "comm/context/dissemination_barrier.hpp"
#include "comm/family/requirements.hpp"
#include "comm/sparse/buffer_size.hpp"
#include "comm/sparse/reserved_buffer.hpp"
#include "comm/sparse/round_wait.hpp"
#include "comm/sparse/routed_rows.hpp"
#include "comm/sparse/table.hpp"
#include "comm/transport/rma/memory.hpp"
#include "comm/transport/rma/remote_memory.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {

namespace {

class RmaReserve final : public SparseMethod {
 public:
  explicit RmaReserve(const SparseSetting& setting)
      : setting_(setting),
        barrier_(setting.context, setting.context.implementation().reserve_tags(1)),
        flushes_(setting_.context.implementation(), setting.exchange_name, setting.method_name,
                 {}) {
    make_buffers(first_buffer_bytes);
  }

  void end() override {
    for (auto& window : windows_) window.reset();
  }

  void keep_until_exit() override {
    for (const auto& window : windows_) {
      setting_.context.implementation().keep_until_exit(window);
    }
  }

  std::size_t exchange(const OutgoingRound& round, IncomingRows& incoming) override {
    while (!try_step(round)) make_buffers_again();
    windows_[parity()]->synchronize();
    arrived_.clear();
    buffers_[parity()].collect(setting_.context.rank(), setting_.item_size, arrived_);
    deliver(arrived_, setting_.item_size, incoming);
    buffers_[parity()].open();
    windows_[parity()]->synchronize();
    return round.rows.size();
  }

 private:
  struct Part {
    std::size_t bytes;
    std::uint64_t reservation;
    std::uint64_t before;
    std::uint64_t trailer;
  };

  unsigned parity() const { return static_cast<unsigned>(step_ % 2); }

  rma::RemoteMemory peer(const OutgoingRow& row) const {
    return {*windows_[parity()], row.destination};
  }

  void flush(const OutgoingRound& round) {
    const BlockingCall::Guard guard(flushes_, round.number);
    for (const OutgoingRow& row : round.rows) peer(row).flush();
  }

  /// Sends all rows. Returns false if any buffer on any rank was too small.
  bool try_step(const OutgoingRound& round) {
    ++step_;
    parts_.resize(round.rows.size());
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const OutgoingRow& row = round.rows[i];
      Part& part = parts_[i];
      part.bytes = ReservedBuffer::part_bytes(row.count * setting_.item_size);
      part.reservation = ReservedBuffer::reservation(part.bytes);
      part.trailer = ReservedBuffer::trailer(setting_.context.rank(), row.count);
      peer(row).fetch_add(ReservedBuffer::free_end_offset, part.reservation, part.before);
    }
    flush(round);
    bool overflow = false;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const OutgoingRow& row = round.rows[i];
      const Part& part = parts_[i];
      const auto offset = ReservedBuffer::offset(part.before, part.bytes);
      if (!offset) {
        overflow = true;
        continue;
      }
      peer(row).put(*offset, row.items, row.count * setting_.item_size);
      peer(row).put(*offset + part.bytes - sizeof part.trailer,
                    reinterpret_cast<const std::byte*>(&part.trailer), sizeof part.trailer);
    }
    flush(round);
    // A rank enters the barrier when all its items have arrived.
    barrier_.enter(overflow);
    wait_in_round(
        setting_, round.number, [&] { return barrier_.test(); },
        [&] { return std::vector<int>{barrier_.late_peer()}; });
    return !barrier_.flag();
  }

  /// Grows the buffers after an overflow, when all ranks have come to the end of the step.
  /// Collective.
  void make_buffers_again() {
    const ReservedBuffer& buffer = buffers_[parity()];
    const std::size_t bytes =
        buffer.overflowed() ? grown_buffer_bytes(buffer.wanted()) : buffer.bytes();
    // A window is freed only after all ranks have stopped using it.
    largest(setting_.context.implementation(), 0, setting_.exchange_name);
    make_buffers(bytes);
  }

  void make_buffers(std::size_t bytes) {
    for (unsigned i : {0u, 1u}) {
      windows_[i].reset();
      windows_[i] = std::make_shared<rma::Memory>(setting_.context.implementation(), bytes,
                                                  rma::Epoch::passive, setting_.exchange_name);
      buffers_[i].use(windows_[i]->data(), bytes);
      windows_[i]->synchronize();
    }
    // The reduction ends when all ranks have opened their buffers.
    largest(setting_.context.implementation(), 0, setting_.exchange_name);
  }

  SparseSetting setting_;
  DisseminationBarrier barrier_;
  BlockingCall flushes_;
  std::shared_ptr<rma::Memory> windows_[2];
  ReservedBuffer buffers_[2];
  std::uint64_t step_ = 0;  ///< number of steps; a round that met an overflow takes two
  std::vector<Part> parts_;
  std::vector<RoutedRow> arrived_;
};

CostTerms cost_of_rma_reserve(const PatternShape& shape) {
  return {.puts = 3.0 * shape.peers,
          .round_trips = shape.peers > 0.0 ? 2.0 : 0.0,
          .global_steps = global_steps_among(shape.ranks),
          .kilobytes = shape.bytes / 1e3,
          .copied = 2.0 * shape.bytes / 1e3};
}

constexpr std::string_view rma_reserve_aliases[] = {"RSX", "remote summation", "one-sided MPI",
                                                    "get-accumulate and put"};

}  // namespace

const SparseMethodRow sparse_method::rma_reserve{
    .info =
        {
            .name = "rma_reserve",
            .description = "a part of the receiver's window reserved by Fetch_and_op, then Put, "
                           "flush, barrier",
            .needs = "rma",
            .aliases = rma_reserve_aliases,
            .traits = {.blocks_in_mpi = BlocksInMpi::for_help, .ends_together = true},
        },
    .why_unavailable = needs_rma,
    .make = make_method<RmaReserve, SparseMethod>,
    .cost = cost_of_rma_reserve,
};

}  // namespace sterna::comm
