// Idea: items are put into the peer's registered memory and flushed, a barrier ends the round.
// Paper: uTofu put + barrier on Wisteria-O (row RDMA).
// Cost: one put and one flush per link, and a barrier of log2(ranks) notices per round (two
//   buffers in turn: the barrier of round r tells that all have given up their inbox of round r-1,
//   which round r+1 overwrites; with one buffer two barriers would be needed).
// Hazards: couples all ranks, also those that are no neighbors; over TCP flush and barrier need
//   the help of ranks that compute. One-way links need no credit, the barrier is one.
// Others win: rdma_double_buffer with few neighbors; the barrier costs the same for any number.

#include "comm/neighbor/methods/rdma_barrier.hpp"

#include "comm/neighbor/rdma_boxes.hpp"
#include "sterna/comm/error.hpp"

#ifdef STERNA_HAVE_UCX

#include "comm/transport/rdma/barrier.hpp"
#include "comm/transport/rdma/worker.hpp"

namespace sterna::comm {
namespace {

class RdmaBarrier final : public NeighborMethod, rdma::Helper {
 public:
  explicit RdmaBarrier(const NeighborSetting& setting)
      : NeighborMethod(setting),
        barrier_(std::make_shared<rdma::Barrier>(setting_.context, setting_.exchange,
                                                 setting_.control_tag)) {
    setting_.context.rdma_in_use = true;
  }

  /// Another round without items: when it is done nothing is under way to this rank.
  void end() override {
    if (boxes_ == nullptr) return;
    start(round_ + 1);
    finish(round_);
    await([&] { return barrier_->idle(); }, round_, {});
  }

  void leave() override {
    setting_.context.keep_until_exit(boxes_);
    setting_.context.keep_until_exit(barrier_);
  }

  MemoryNeed memory_for(std::span<const Link> links) const override {
    return RdmaBoxes::memory_for(links, setting_.item_size);
  }

  void prepare(std::vector<Link> links, std::uint64_t round) override {
    end();
    links_ = std::move(links);
    boxes_ = make_rdma_boxes(setting_, links_, round);
    places_ = boxes_->places();
    round_ = round;
    phase_ = Phase::done;
  }

  void commit(std::size_t link, std::size_t count, std::uint64_t round) override {
    boxes_->put(link, count, round);
  }

  void start(std::uint64_t round) override {
    round_ = round;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (links_[i].send_items > 0) boxes_->peer(i).flush();
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

  void progress() override { rdma::make_progress(); }

  /// Also while this rank waits for something else.
  void help() override { advance(); }

  void advance() {
    if (phase_ == Phase::flush) {
      for (std::size_t i = 0; i < links_.size(); ++i) {
        if (!boxes_->peer(i).arrived()) return;
      }
      barrier_->enter();
      phase_ = Phase::barrier;
    }
    if (phase_ == Phase::barrier && barrier_->test()) phase_ = Phase::done;
  }

  Phase phase_ = Phase::done;  ///< first: making the barrier waits already, and calls help
  std::shared_ptr<rdma::Barrier> barrier_;
  std::shared_ptr<RdmaBoxes> boxes_;
  std::uint64_t round_ = 0;
};

}  // namespace

std::unique_ptr<NeighborMethod> make_rdma_barrier(const NeighborSetting& setting) {
  return std::make_unique<RdmaBarrier>(setting);
}

}  // namespace sterna::comm

#else

namespace sterna::comm {

std::unique_ptr<NeighborMethod> make_rdma_barrier(const NeighborSetting& setting) {
  throw Error(setting.exchange + ": method rdma_barrier is built without UCX");
}

}  // namespace sterna::comm

#endif

namespace sterna::comm {

CostTerms cost_of_rdma_barrier(const PatternShape& shape) {
  return {.puts = shape.peers,
          .round_trips = 1.0,
          .global_steps = global_steps_among(shape.ranks),
          .kilobytes = shape.bytes / 1e3};
}

}  // namespace sterna::comm
