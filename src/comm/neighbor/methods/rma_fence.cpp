// Idea: items are put into the peer's window, a fence of all ranks ends the round.
// Paper: MPI_Put + MPI_Win_fence beside Isend on Wisteria-O; the fence halo functions of ADCL.
// Cost: one put per link and one fence of all ranks per round (two buffers in turn: the fence that
//   ends round r also tells that everybody has given up its inbox of round r-1, which round r+1
//   overwrites; with one buffer two fences would be needed).
// Hazards: the fence couples all ranks, also those that are no neighbors, and blocks in MPI: the
//   deadline cannot throw but ends the job, and two exchanges under way must be started in the same
//   order on all ranks. One-way links need no credit, the fence is one.
// Others win: nearly always where ranks share cores; it wins with many neighbors on few ranks.

#include "comm/neighbor/methods/rma_fence.hpp"

#include "comm/neighbor/committed.hpp"
#include "comm/neighbor/window_boxes.hpp"
#include "sterna/comm/error.hpp"

#ifdef STERNA_HAVE_RMA

#include <array>

#include "comm/context/agreement.hpp"
#include "comm/context/blocking_call.hpp"
#include "comm/context/mpi_error.hpp"

namespace sterna::comm {
namespace {

class RmaFence final : public NeighborMethod {
 public:
  explicit RmaFence(const NeighborSetting& setting)
      : NeighborMethod(setting), fence_(setting_.context, setting_.exchange, setting_.method, {}) {
    all().push_back(this);
  }

  ~RmaFence() override { std::erase(all(), this); }

  void end() override {
    if (boxes_ == nullptr) return;
    fence(MPI_MODE_NOSUCCEED, round_ + 1);
    boxes_.reset();
  }

  void leave() override { setting_.context.keep_until_exit(boxes_); }

  MemoryNeed memory_for(std::span<const Link> links) const override {
    return WindowBoxes::memory_for(links, setting_.item_size);
  }

  void prepare(std::vector<Link> links, std::uint64_t round) override {
    if (boxes_ != nullptr) {
      largest(setting_.context, 0, setting_.exchange);  // with a deadline that can be caught
      end();
    }
    links_ = std::move(links);
    boxes_ = std::make_shared<WindowBoxes>(setting_, links_, rma::Epoch::active, round);
    places_ = boxes_->places();
    for (const std::size_t parity : {0, 1}) {
      ends_[parity].clear();
      for (std::size_t i = 0; i < links_.size(); ++i) {
        const std::byte* const items = places_[i].inbox[parity];
        const std::size_t bytes = links_[i].receive_items * setting_.item_size;
        if (bytes == 0) continue;
        ends_[parity].push_back(items - count_bytes);
        ends_[parity].push_back(items + bytes - 1);
      }
    }
    committed_.assign(links_.size(), {});
    fence(MPI_MODE_NOPRECEDE, round + 1);
    fenced_round_ = round;
    round_ = round;
  }

  void commit(std::size_t link, std::size_t count, std::uint64_t round) override {
    committed_[link] = {count, true};
    if (boxes_->leave_at_once(count)) boxes_->put(link, committed_[link].take(), round);
  }

  /// The fence waits for everybody, so it comes only when the caller has nothing else to do.
  void start(std::uint64_t round) override {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (committed_[i].waiting) boxes_->put(i, committed_[i].take(), round);
    }
    round_ = round;
  }

  std::size_t take_arrived(std::span<std::size_t> missing, std::uint64_t round) override {
    finish(round);
    for (const std::byte* const end : ends_[round % 2]) __builtin_prefetch(end);
    return missing.size();
  }

  /// The fences of several exchanges must come in the same order on all ranks, whichever of them a
  /// rank finishes first: that in which the exchanges were made.
  void finish(std::uint64_t) override {
    if (fenced_round_ == round_) return;
    for (RmaFence* const each : all()) {
      if (&each->setting_.context == &setting_.context) each->fence_started_round();
      if (each == this) return;
    }
  }

  void abandon(std::uint64_t round) override { finish(round); }

 private:
  /// Of this process, in the order of making.
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
    check_mpi(MPI_Win_fence(assertion, boxes_->window()), "MPI_Win_fence");
  }

  BlockingCall fence_;
  std::shared_ptr<WindowBoxes> boxes_;
  std::vector<Committed> committed_;
  /// Of each inbox, in even and odd rounds, its count with the first items and the last byte of a
  /// full one: they lie in the cache of the core that wrote them, and are fetched all at once.
  std::array<std::vector<const std::byte*>, 2> ends_;
  std::uint64_t round_ = 0;
  std::uint64_t fenced_round_ = 0;
};

}  // namespace

std::unique_ptr<NeighborMethod> make_rma_fence(const NeighborSetting& setting) {
  return std::make_unique<RmaFence>(setting);
}

}  // namespace sterna::comm

#else

namespace sterna::comm {

std::unique_ptr<NeighborMethod> make_rma_fence(const NeighborSetting& setting) {
  throw Error(setting.exchange + ": method rma_fence is built without MPI windows");
}

}  // namespace sterna::comm

#endif

namespace sterna::comm {

CostTerms cost_of_rma_fence(const PatternShape& shape) {
  return {.puts = shape.peers,
          .global_steps = global_steps_among(shape.ranks),
          .kilobytes = shape.bytes / 1e3,
          .copied = shape.bytes / 1e3};
}

}  // namespace sterna::comm
