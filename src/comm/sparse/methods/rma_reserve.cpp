// Idea: Fetch_and_op reserves room in the receiver's window, Put fills it, flush and barrier end
// it. Paper: Gerstenberger, Besta, Hoefler, SC 2013; get-accumulate and put in Susukita's
// comparison. Cost: two flushes (round trips) for all messages together + alpha log P; memory grows
// with what
//   is received in a round (twice), and with P in how MPI keeps windows.
// Hazards: some MPIs need the target's help; a room that is too small costs the round twice.
// Another wins: rdma_reserve does the same with less waiting; two-sided where windows are slow.
#include "comm/sparse/methods/rma_reserve.hpp"

#include "sterna/comm/error.hpp"

#ifdef STERNA_HAVE_RMA

#include <vector>

#include "comm/context/agreement.hpp"
#include "comm/context/blocking_call.hpp"
#include "comm/context/context_implementation.hpp"
#include "comm/context/dissemination_barrier.hpp"
#include "comm/sparse/parcels.hpp"
#include "comm/sparse/reserved_room.hpp"
#include "comm/sparse/room_size.hpp"
#include "comm/sparse/round_wait.hpp"
#include "comm/transport/rma/memory.hpp"
#include "comm/transport/rma/peer.hpp"

namespace sterna::comm {

namespace {

class RmaReserve final : public SparseMethod {
 public:
  explicit RmaReserve(const SparseSetting& setting)
      : setting_(setting),
        barrier_(setting.context, setting.context.implementation().reserve_tags(1)),
        flushes_(setting_.context.implementation(), setting.exchange, setting.method, {}) {
    make_rooms(first_room_bytes);
  }

  void end() override {
    for (auto& window : windows_) window.reset();
  }

  void leave() override {
    for (const auto& window : windows_) {
      setting_.context.implementation().keep_until_exit(window);
    }
  }

  std::size_t exchange(const OutgoingRound& round, IncomingRows& incoming) override {
    while (!try_step(round)) make_rooms_again();
    windows_[half()]->synchronize();
    arrived_.clear();
    rooms_[half()].collect(setting_.context.rank(), setting_.item_size, arrived_);
    deliver(arrived_, setting_.item_size, incoming);
    rooms_[half()].open();
    windows_[half()]->synchronize();
    return round.rows.size();
  }

 private:
  struct Part {
    std::size_t bytes;
    std::uint64_t reservation;
    std::uint64_t before;
    std::uint64_t trailer;
  };

  unsigned half() const { return static_cast<unsigned>(step_ % 2); }

  rma::Peer peer(const OutgoingRow& row) const { return {*windows_[half()], row.destination}; }

  void flush(const OutgoingRound& round) {
    const BlockingCall::Guard guard(flushes_, round.number);
    for (const OutgoingRow& row : round.rows) peer(row).flush();
  }

  /// Sends all rows; false where anywhere a room was too small.
  bool try_step(const OutgoingRound& round) {
    ++step_;
    parts_.resize(round.rows.size());
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const OutgoingRow& row = round.rows[i];
      Part& part = parts_[i];
      part.bytes = ReservedRoom::part_bytes(row.count * setting_.item_size);
      part.reservation = ReservedRoom::reservation(part.bytes);
      part.trailer = ReservedRoom::trailer(setting_.context.rank(), row.count);
      peer(row).fetch_add(ReservedRoom::free_end_offset, part.reservation, part.before);
    }
    flush(round);
    bool overflow = false;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const OutgoingRow& row = round.rows[i];
      const Part& part = parts_[i];
      const auto place = ReservedRoom::place(part.before, part.bytes);
      if (!place) {
        overflow = true;
        continue;
      }
      peer(row).put(*place, row.items, row.count * setting_.item_size);
      peer(row).put(*place + part.bytes - sizeof part.trailer,
                    reinterpret_cast<const std::byte*>(&part.trailer), sizeof part.trailer);
    }
    flush(round);
    // Whoever has come here has all it sent at its place.
    barrier_.enter(overflow);
    wait_in_round(
        setting_, round.number, [&] { return barrier_.test(); },
        [&] { return std::vector<int>{barrier_.late_peer()}; });
    return !barrier_.flag();
  }

  /// Collective. After an overflow, when all ranks have come to the end of the step.
  void make_rooms_again() {
    const ReservedRoom& room = rooms_[half()];
    const std::size_t bytes = room.overflowed() ? grown_room_bytes(room.wanted()) : room.bytes();
    // No window is freed that another rank still looks into.
    largest(setting_.context.implementation(), 0, setting_.exchange);
    make_rooms(bytes);
  }

  void make_rooms(std::size_t bytes) {
    for (unsigned i : {0u, 1u}) {
      windows_[i].reset();
      windows_[i] = std::make_shared<rma::Memory>(setting_.context.implementation(), bytes,
                                                  rma::Epoch::passive, setting_.exchange);
      rooms_[i].use(windows_[i]->data(), bytes);
      windows_[i]->synchronize();
    }
    largest(setting_.context.implementation(), 0, setting_.exchange);  // all are open
  }

  SparseSetting setting_;
  DisseminationBarrier barrier_;
  BlockingCall flushes_;
  std::shared_ptr<rma::Memory> windows_[2];
  ReservedRoom rooms_[2];
  std::uint64_t step_ = 0;  ///< a round that met an overflow takes two
  std::vector<Part> parts_;
  std::vector<Parcel> arrived_;
};

}  // namespace

std::unique_ptr<SparseMethod> make_rma_reserve(const SparseSetting& setting) {
  return std::make_unique<RmaReserve>(setting);
}

}  // namespace sterna::comm

#else

namespace sterna::comm {

std::unique_ptr<SparseMethod> make_rma_reserve(const SparseSetting& setting) {
  throw Error(setting.exchange + ": built without MPI windows");
}

}  // namespace sterna::comm

#endif

namespace sterna::comm {

std::string why_rma_reserve_unavailable(const Context& context) {
  for (const Context::Transport& row : context.transports()) {
    if (row.name == "rma") return row.reason;
  }
  return "there is no transport rma";
}

CostTerms cost_of_rma_reserve(const PatternShape& shape) {
  return {.puts = 3.0 * shape.peers,
          .round_trips = shape.peers > 0.0 ? 2.0 : 0.0,
          .global_steps = global_steps_among(shape.ranks),
          .kilobytes = shape.bytes / 1e3,
          .copied = 2.0 * shape.bytes / 1e3};
}

}  // namespace sterna::comm
