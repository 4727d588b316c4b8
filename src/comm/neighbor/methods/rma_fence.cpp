// Idea:
//   Items are put into the peer's window, and a fence of all ranks ends the round.
// Source:
//   Wisteria-O was measured with MPI_Put and MPI_Win_fence beside Isend.
//   ADCL has fence halo functions.
// Cost:
//   A round takes one put for each link and one fence of all ranks.
//   Two buffers take turns: the fence that ends round r also tells that all have given up their
//     inbox of round r-1, which round r+1 overwrites.
//   With one buffer two fences would be needed.
// Hazards:
//   The fence couples all ranks, also those that are no neighbors.
//   It blocks in MPI, where the deadline cannot throw but ends the job.
//   Two exchanges under way must be started in the same order on all ranks.
//   A rank that starts a round and gives its exchange up still takes part in the fence, without
//     which the others could not finish.
//   Where it was the only one to start, it waits for them until the deadline.
//   One-way links need no notice back, as the fence is one.
// Others:
//   Others win nearly always where ranks share cores.
//   This one wins with many neighbors on few ranks.

#include <array>

#include "comm/context/blocking_call.hpp"
#include "comm/context/mpi_error.hpp"
#include "comm/family/requirements.hpp"
#include "comm/neighbor/put_method.hpp"
#include "comm/neighbor/table.hpp"
#include "comm/transport/rma/transport.hpp"

namespace sterna::comm {
namespace {

class RmaFence final : public PutMethod<rma::Transport> {
 public:
  explicit RmaFence(const NeighborSetting& setting)
      : PutMethod(setting),
        fence_(setting_.context, setting_.exchange_name, setting_.method_name, {}) {
    all().push_back(this);
  }

  ~RmaFence() override { std::erase(all(), this); }

  void end() override {
    if (put_buffers_ == nullptr) return;
    fence(MPI_MODE_NOSUCCEED, round_ + 1);
    put_buffers_.reset();
  }

  void prepare(std::vector<Link> links, std::uint64_t round) override {
    end_after_agreement();
    make_buffers(std::move(links), round, rma::Transport{rma::Epoch::active});
    for (const std::size_t parity : {0, 1}) {
      ends_[parity].clear();
      for (std::size_t i = 0; i < links_.size(); ++i) {
        const std::byte* const items = link_buffers_[i].inbox[parity];
        const std::size_t bytes = links_[i].receive_items * setting_.item_size;
        if (bytes == 0) continue;
        ends_[parity].push_back(items - count_bytes);
        ends_[parity].push_back(items + bytes - 1);
      }
    }
    fence(MPI_MODE_NOPRECEDE, round + 1);
    fenced_round_ = round;
    round_ = round;
  }

  void commit(std::size_t link, std::size_t count, std::uint64_t round) override {
    committed_[link] = {count, true};
    if (leaves_at_once(put_buffers_->bytes_of(count))) put_committed(link, round);
  }

  /// The fence waits for all ranks, so it comes only when the caller has nothing else to do.
  void start(std::uint64_t round) override {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (committed_[i].waiting) put_committed(i, round);
    }
    round_ = round;
  }

  std::size_t take_arrived(std::span<std::size_t> missing, std::uint64_t round) override {
    finish(round);
    for (const std::byte* const end : ends_[round % 2]) __builtin_prefetch(end);
    return missing.size();
  }

  /// The fences of several exchanges must come in the same order on all ranks, whichever of them a
  /// rank finishes first. That order is the one in which the exchanges were made.
  void finish(std::uint64_t) override {
    if (fenced_round_ == round_) return;
    for (RmaFence* const each : all()) {
      if (&each->setting_.context == &setting_.context) each->fence_started_round();
      if (each == this) return;
    }
  }

  void abandon(std::uint64_t round) override { finish(round); }

 private:
  /// All objects of this process, in the order in which they were made.
  static std::vector<RmaFence*>& all() {
    static std::vector<RmaFence*> objects;
    return objects;
  }

  void fence_started_round() {
    if (fenced_round_ == round_) return;
    fence(0, round_);
    fenced_round_ = round_;
  }

  void fence(int assertion, std::uint64_t round) {
    const BlockingCall::Guard guard(fence_, round);
    check_mpi(MPI_Win_fence(assertion, put_buffers_->memory().window()), "MPI_Win_fence");
  }

  BlockingCall fence_;
  /// Of each inbox, in even and odd rounds, its count with the first items and the last byte of a
  /// full one: they lie in the cache of the core that wrote them, and are fetched all at once.
  std::array<std::vector<const std::byte*>, 2> ends_;
  std::uint64_t round_ = 0;
  std::uint64_t fenced_round_ = 0;
};

CostTerms cost_of_rma_fence(const PatternShape& shape) {
  return {.puts = shape.peers,
          .global_steps = global_steps_among(shape.ranks),
          .kilobytes = shape.bytes / 1e3,
          .copied = shape.bytes / 1e3};
}

constexpr std::string_view rma_fence_aliases[] = {"fence", "MPI_RMA", "Put+fence"};

}  // namespace

const NeighborMethodRow neighbor_method::rma_fence{
    .info =
        {
            .name = "rma_fence",
            .description = "MPI_Put, and a fence of all ranks ends the round",
            .needs = "rma",
            .aliases = rma_fence_aliases,
            .traits = {.blocks_in_mpi = BlocksInMpi::always,
                       .names_late_rank = false,
                       .ends_together = true},
        },
    .why_unavailable = needs_rma,
    .make = make_method<RmaFence, NeighborMethod>,
    .cost = cost_of_rma_fence,
};

}  // namespace sterna::comm
