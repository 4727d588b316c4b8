#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "comm/context/progress.hpp"
#include "comm/neighbor/put_method.hpp"
#include "comm/onesided/barrier.hpp"

namespace sterna::comm {

inline std::vector<int> all_ranks_of(const Context::Implementation& context) {
  std::vector<int> ranks(static_cast<std::size_t>(context.size));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

/// The method of rdma_barrier.cpp, for the transports of a network.
template <class Transport>
class PutWithBarrier final : public PutMethod<Transport>, ProgressHelper {
 public:
  explicit PutWithBarrier(const NeighborSetting& setting)
      : PutMethod<Transport>(setting),
        barrier_(std::make_shared<PutBarrier<Transport>>(setting_.context, setting_.exchange_name,
                                                         setting_.control_tag,
                                                         all_ranks_of(setting_.context))) {
    setting_.context.rdma_in_use = true;
  }

  /// Runs another round without items. After it no transfer is under way to this rank.
  void end() override {
    if (put_buffers_ == nullptr) return;
    start(round_ + 1);
    finish(round_);
    this->await([&] { return barrier_->idle(); }, round_, {});
  }

  void keep_until_exit() override {
    PutMethod<Transport>::keep_until_exit();
    setting_.context.keep_until_exit(barrier_);
  }

  void prepare(std::vector<Link> links, std::uint64_t round) override {
    end();
    this->make_buffers(std::move(links), round);
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
    this->await([&] { return phase_ == Phase::done; }, round, {});
  }

  Watched watched() const override { return Watched::memory; }

 private:
  using PutMethod<Transport>::links_;
  using PutMethod<Transport>::put_buffers_;
  using PutMethod<Transport>::setting_;

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
  std::shared_ptr<PutBarrier<Transport>> barrier_;
  std::uint64_t round_ = 0;
  std::uint64_t barriers_ = 0;  ///< number of barriers entered
};

/// Its costs.
inline CostTerms cost_of_put_with_barrier(const PatternShape& shape) {
  return {.puts = shape.peers,
          .round_trips = 1.0,
          .global_steps = global_steps_among(shape.ranks),
          .kilobytes = shape.bytes / 1e3};
}

}  // namespace sterna::comm
