// Idea: items are put into the peer's window and flushed, then a notice is written behind them;
//   two buffers in turn replace acknowledgments, and no rank waits but for its neighbors.
// Paper: MPI_RMA_DB, Put with double buffering, on Wisteria-O; the signal windows of Neko.
// Cost: a put, an accumulate and two flushes per link and round; a flush of one peer waits for
//   that peer's network only.
// Hazards: data and notice in one put would be unsafe (stale data seen in Open MPI 4 and MPICH 5);
//   one-way links overrun their receiver without credits (neighbor/inboxes.hpp); some MPIs move
//   puts only while the target calls MPI, so waits poke it; a flush blocks in MPI, where the
//   deadline cannot throw but ends the job.
// Others win: rdma_double_buffer, whose fence needs no answer from the network; shm_direct.

#include "comm/neighbor/methods/rma_double_buffer.hpp"

#include "comm/neighbor/committed.hpp"
#include "comm/neighbor/window_boxes.hpp"
#include "sterna/comm/error.hpp"

#ifdef STERNA_HAVE_RMA

#include "comm/context/agreement.hpp"
#include "comm/context/blocking_call.hpp"

namespace sterna::comm {
namespace {

class RmaDoubleBuffer final : public NeighborMethod {
 public:
  explicit RmaDoubleBuffer(const NeighborSetting& setting) : NeighborMethod(setting) {}

  /// Nothing is under way: every start has flushed.
  void end() override { boxes_.reset(); }

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
    flush_ = std::make_unique<BlockingCall>(setting_.context, setting_.exchange, setting_.method,
                                            ranks_of(links_));
    boxes_ = std::make_shared<WindowBoxes>(setting_, links_, rma::Epoch::passive, round);
    places_ = boxes_->places();
    committed_.assign(links_.size(), {});
  }

  void commit(std::size_t link, std::size_t count, std::uint64_t round) override {
    committed_[link] = {count, true};
    if (boxes_->leave_at_once(count) && has_credit(link, round)) {
      boxes_->put(link, committed_[link].take(), round);
    }
  }

  void start(std::uint64_t round) override {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (!committed_[i].waiting) continue;
      await([&] { return has_credit(i, round); }, round, {links_[i].rank});
      boxes_->put(i, committed_[i].take(), round);
    }
    const BlockingCall::Guard guard(*flush_, round);
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (links_[i].send_items > 0) boxes_->flush(i);
    }
    boxes_->set_notice(round);
    for (std::size_t i = 0; i < links_.size(); ++i) boxes_->put_notice(i);
    for (std::size_t i = 0; i < links_.size(); ++i) boxes_->flush(i);
  }

  std::size_t take_arrived(std::span<std::size_t> missing, std::uint64_t round) override {
    const std::size_t here =
        bring_forward(missing, [&](std::size_t link) { return boxes_->noticed(link, round); });
    if (here == 0) progress();
    return here;
  }

  void finish(std::uint64_t) override {}

  Watched watched() const override { return Watched::memory; }

 private:
  static constexpr unsigned polls_between_pokes = 64;

  void progress() override {
    if (++polls_ % polls_between_pokes == 0) make_progress(setting_.context);
  }

  bool has_credit(std::size_t link, std::uint64_t round) const {
    return boxes_->noticed(link, round - 1);
  }

  std::unique_ptr<BlockingCall> flush_;
  std::shared_ptr<WindowBoxes> boxes_;
  std::vector<Committed> committed_;
  unsigned polls_ = 0;
};

}  // namespace

std::unique_ptr<NeighborMethod> make_rma_double_buffer(const NeighborSetting& setting) {
  return std::make_unique<RmaDoubleBuffer>(setting);
}

}  // namespace sterna::comm

#else

namespace sterna::comm {

std::unique_ptr<NeighborMethod> make_rma_double_buffer(const NeighborSetting& setting) {
  throw Error(setting.exchange + ": method rma_double_buffer is built without MPI windows");
}

}  // namespace sterna::comm

#endif

namespace sterna::comm {

CostTerms cost_of_rma_double_buffer(const PatternShape& shape) {
  return {.puts = 2.0 * shape.peers,
          .round_trips = 2.0,
          .kilobytes = shape.bytes / 1e3,
          .copied = shape.bytes / 1e3};
}

}  // namespace sterna::comm
