// Idea:
//   Items are put into the peer's window and flushed, then a notice is written behind them.
//   Two buffers in turn replace acknowledgments, and no rank waits but for its neighbors.
// Source:
//   It is MPI_RMA_DB, Put with double buffering, measured on Wisteria-O.
//   Neko has signal windows.
// Cost:
//   A round takes a put, an accumulate and two flushes for each link.
//   A flush of one peer waits for that peer's network only.
// Hazards:
//   Data and notice in one put would be unsafe: Open MPI 4 and MPICH 5 have shown stale data.
//   One-way links would overrun their receiver, so it sends a notice back (neighbor/inboxes.hpp).
//   Some MPIs move puts only while the target calls MPI, so waits call it now and then.
//   A flush blocks in MPI, where the deadline cannot throw but ends the job.
// Others:
//   rdma_double_buffer wins: its fence needs no answer from the network.
//   shm_direct wins in a node.

#include "comm/context/blocking_call.hpp"
#include "comm/family/requirements.hpp"
#include "comm/neighbor/put_method.hpp"
#include "comm/neighbor/table.hpp"
#include "comm/transport/rma/transport.hpp"

namespace sterna::comm {
namespace {

class RmaDoubleBuffer final : public PutMethod<rma::Transport> {
 public:
  using PutMethod::PutMethod;

  /// Nothing is under way at the end, because every start has flushed.
  void end() override { put_buffers_.reset(); }

  void prepare(std::vector<Link> links, std::uint64_t round) override {
    end_after_agreement();
    flush_ = std::make_unique<BlockingCall>(setting_.context, setting_.exchange_name,
                                            setting_.method_name, ranks_of(links));
    make_buffers(std::move(links), round);
  }

  void commit(std::size_t link, std::size_t count, std::uint64_t round) override {
    committed_[link] = {count, true};
    if (leaves_at_once(put_buffers_->bytes_of(count)) && has_credit(link, round)) {
      put_committed(link, round);
    }
  }

  void start(std::uint64_t round) override {
    put_all_committed(round);
    const BlockingCall::Guard guard(*flush_, round);
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (links_[i].send_items > 0) put_buffers_->peer(i).flush();
    }
    put_buffers_->set_notice(round);
    for (std::size_t i = 0; i < links_.size(); ++i) put_buffers_->put_notice(i);
    for (std::size_t i = 0; i < links_.size(); ++i) put_buffers_->peer(i).flush();
  }

  std::size_t take_arrived(std::span<std::size_t> missing, std::uint64_t round) override {
    const std::size_t here = bring_forward(
        missing, [&](std::size_t link) { return put_buffers_->noticed(link, round); });
    if (here == 0) progress();
    return here;
  }

  void finish(std::uint64_t) override {}

  Watched watched() const override { return Watched::memory; }

 private:
  static constexpr unsigned polls_between_progress = 64;

  void progress() override {
    if (++polls_ % polls_between_progress == 0) make_progress(setting_.context);
  }

  std::unique_ptr<BlockingCall> flush_;
  unsigned polls_ = 0;
};

CostTerms cost_of_rma_double_buffer(const PatternShape& shape) {
  return {.puts = 2.0 * shape.peers,
          .round_trips = 2.0,
          .kilobytes = shape.bytes / 1e3,
          .copied = shape.bytes / 1e3};
}

constexpr std::string_view rma_double_buffer_aliases[] = {"MPI_RMA_DB", "signal window"};

}  // namespace

const NeighborMethodRow neighbor_method::rma_double_buffer{
    .info =
        {
            .name = "rma_double_buffer",
            .description = "MPI_Put and flush with a notice into two buffers in turn, no barrier",
            .needs = "rma",
            .aliases = rma_double_buffer_aliases,
            .traits = {.blocks_in_mpi = BlocksInMpi::for_help,
                       .one_way_takes_notice = true,
                       .ends_together = true},
        },
    .why_unavailable = needs_rma,
    .make = make_method<RmaDoubleBuffer, NeighborMethod>,
    .cost = cost_of_rma_double_buffer,
};

}  // namespace sterna::comm
