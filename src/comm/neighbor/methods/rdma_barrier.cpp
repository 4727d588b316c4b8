// Idea:
//   Items are put into the peer's registered memory and flushed, and a barrier ends the round.
// Source:
//   It is uTofu put with a barrier on Wisteria-O (row RDMA).
// Cost:
//   A round takes one put and one flush for each link, and a barrier of log2(ranks) notices.
//   Two buffers take turns: the barrier of round r tells that all have given up their inbox of
//     round r-1, which round r+1 overwrites.
//   With one buffer two barriers would be needed.
// Hazards:
//   The barrier couples all ranks, also those that are no neighbors.
//   Over TCP flush and barrier need the help of ranks that compute.
//   One-way links need no notice back, as the barrier is one.
// Others:
//   rdma_double_buffer wins with few neighbors; the barrier costs the same for any number.

#include <numeric>

#include "comm/context/progress.hpp"
#include "comm/family/requirements.hpp"
#include "comm/neighbor/put_method.hpp"
#include "comm/neighbor/table.hpp"
#include "comm/onesided/barrier.hpp"
#include "comm/transport/rdma/transport.hpp"

namespace sterna::comm {
namespace {

std::vector<int> all_ranks(const Context::Implementation& context) {
  std::vector<int> ranks(static_cast<std::size_t>(context.size));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

class RdmaBarrier final : public PutMethod<rdma::Transport>, ProgressHelper {
 public:
  explicit RdmaBarrier(const NeighborSetting& setting)
      : PutMethod(setting),
        barrier_(std::make_shared<PutBarrier>(setting_.context, setting_.exchange_name,
                                              setting_.control_tag, all_ranks(setting_.context))) {
    setting_.context.rdma_in_use = true;
  }

  /// Runs another round without items. After it no transfer is under way to this rank.
  void end() override {
    if (put_buffers_ == nullptr) return;
    start(round_ + 1);
    finish(round_);
    await([&] { return barrier_->idle(); }, round_, {});
  }

  void keep_until_exit() override {
    PutMethod::keep_until_exit();
    setting_.context.keep_until_exit(barrier_);
  }

  void prepare(std::vector<Link> links, std::uint64_t round) override {
    end();
    make_buffers(std::move(links), round);
    round_ = round;
    phase_ = Phase::done;
  }

  void commit(std::size_t link, std::size_t count, std::uint64_t round) override {
    put_buffers_->put(link, count, round);
  }

  void start(std::uint64_t round) override {
    round_ = round;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (links_[i].send_items > 0) put_buffers_->peer(i).flush();
    }
    phase_ = Phase::flush;
    advance();
  }

  std::size_t take_arrived(std::span<std::size_t> missing, std::uint64_t) override {
    if (phase_ != Phase::done) progress();
    return phase_ == Phase::done ? missing.size() : 0;
  }

  void finish(std::uint64_t round) override {
    await([&] { return phase_ == Phase::done; }, round, {});
  }

  Watched watched() const override { return Watched::memory; }

 private:
  enum class Phase { flush, barrier, done };

  void progress() override { call_progress_helpers(); }

  /// Advances the barrier while this rank waits for something else.
  void help() override { advance(); }

  void advance() {
    if (phase_ == Phase::flush) {
      for (std::size_t i = 0; i < links_.size(); ++i) {
        if (!put_buffers_->peer(i).arrived()) return;
      }
      barrier_->enter(++barriers_);
      phase_ = Phase::barrier;
    }
    if (phase_ == Phase::barrier && barrier_->test()) phase_ = Phase::done;
  }

  /// declared first, because making the barrier already waits, and the wait calls help
  Phase phase_ = Phase::done;
  std::shared_ptr<PutBarrier> barrier_;
  std::uint64_t round_ = 0;
  std::uint64_t barriers_ = 0;  ///< number of barriers entered
};

CostTerms cost_of_rdma_barrier(const PatternShape& shape) {
  return {.puts = shape.peers,
          .round_trips = 1.0,
          .global_steps = global_steps_among(shape.ranks),
          .kilobytes = shape.bytes / 1e3};
}

constexpr std::string_view rdma_barrier_aliases[] = {"RDMA", "put+barrier"};

}  // namespace

const NeighborMethodRow neighbor_method::rdma_barrier{
    .info =
        {
            .name = "rdma_barrier",
            .description = "UCX put, and a barrier of all ranks ends the round",
            .needs = "rdma",
            .aliases = rdma_barrier_aliases,
            .traits = {.names_late_rank = false, .ends_together = true},
        },
    .why_unavailable = needs_rdma,
    .make = make_method<RdmaBarrier, NeighborMethod>,
    .cost = cost_of_rdma_barrier,
};

}  // namespace sterna::comm
