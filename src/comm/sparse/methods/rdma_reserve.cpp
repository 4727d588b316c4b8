// Idea: a fetching addition reserves room at the receiver, the items are put there; then a barrier.
// Paper: Susukita's particle exchange on ACP; Gerstenberger, Besta, Hoefler, SC 2013.
// Cost: one round trip for all reservations, a put and its trailer a message, a barrier in which
//   nothing is matched (a counter in the node, log nodes puts beyond); memory grows with what is
//   received in a round (twice) and with the ranks of the node and those sent to, not with all.
// Hazards: a room that is too small costs the round twice (all agree, it grows, all is sent again);
//   rooms never shrink; over TCP atomics and puts need the target's help.
// Another wins: superset where the sources are few and known; alltoall where most pairs exchange.
#include "comm/sparse/methods/rdma_reserve.hpp"

#include <memory>
#include <vector>

#include "comm/context/agreement.hpp"
#include "comm/context/context_implementation.hpp"
#include "comm/sparse/far_barrier.hpp"
#include "comm/sparse/far_rooms.hpp"
#include "comm/sparse/near_rooms.hpp"
#include "comm/sparse/parcels.hpp"
#include "comm/sparse/round_wait.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {

namespace {

bool works(const Context& context, std::string_view transport) {
  for (const Context::Transport& row : context.transports()) {
    if (row.name == transport) return row.available;
  }
  return false;
}

/// A rank in each group of ranks that share memory.
std::vector<int> group_leaders(const Context& context, bool shared_memory) {
  std::vector<int> leaders;
  for (int rank = 0; rank < context.size(); ++rank) {
    // Nodes are numbered by their lowest rank.
    if (!shared_memory || context.node_of(rank) == static_cast<int>(leaders.size())) {
      leaders.push_back(rank);
    }
  }
  return leaders;
}

// How a receiver knows that all has come: when a rank has entered the barrier, all its reservations
// are made. So after the barrier the words of this rank's rooms say how much comes. What came from
// the node is there by then. What comes from beyond may still be under way: its trailers tell.
class RdmaReserve final : public SparseMethod {
 public:
  explicit RdmaReserve(const SparseSetting& setting) : setting_(setting) {
    const Context& context = setting_.context;
    if (works(context, "shm")) near_ = make_near_rooms(setting_);
    const std::vector<int> leaders = group_leaders(context, near_ != nullptr);
    if (leaders.size() < 2) return;
    far_ = make_far_rooms(setting_);
    far_barrier_ = make_far_barrier(setting_, leaders);
  }

  /// What is under way to this rank has arrived with the last round, what leaves it may not have.
  void end() override {
    if (far_barrier_) await([&] { return far_barrier_->idle(); }, [] { return none; });
  }

  void leave() override {
    Context::Implementation& context = setting_.context.implementation();
    context.keep_until_exit(std::shared_ptr<FarRooms>(std::move(far_)));
    context.keep_until_exit(std::shared_ptr<FarBarrier>(std::move(far_barrier_)));
  }

  std::size_t exchange(const OutgoingRound& round, IncomingRows& incoming) override {
    round_ = round.number;
    near_rows_.clear();
    far_rows_.clear();
    for (const OutgoingRow& row : round.rows) {
      (near_ && setting_.context.on_my_node(row.destination) ? near_rows_ : far_rows_)
          .push_back(row);
    }
    while (!try_step()) grow();

    arrived_.clear();
    if (near_) near_->room(half()).collect(setting_.context.rank(), setting_.item_size, arrived_);
    if (far_) {
      await([&] { return collect_far(); }, [] { return none; });
    }
    deliver(arrived_, setting_.item_size, incoming);
    if (near_) near_->room(half()).open();
    if (far_) {
      far_->room(half()).clear_and_open();
      await([&] { return far_->sent(); }, [&] { return far_->late_ranks(); });
    }
    return round.rows.size();
  }

 private:
  /// Late ranks, where they are not known.
  inline static const std::vector<int> none;

  unsigned half() const { return static_cast<unsigned>(step_ % 2); }

  template <class Condition, class LateRanks>
  void await(Condition condition, LateRanks late_ranks) {
    wait_in_round(
        setting_, round_,
        [&] {
          if (condition()) return true;
          if (far_) far_->serve();
          return false;
        },
        late_ranks, Watched::memory);
  }

  /// Sends all rows; false where anywhere a room was too small.
  bool try_step() {
    ++step_;
    bool overflow = false;
    if (far_) far_->reserve(far_rows_, half());
    for (const OutgoingRow& row : near_rows_) overflow = !near_->send(row, half()) || overflow;
    if (far_) {
      await([&] { return far_->reserved(); }, [&] { return far_->late_ranks(); });
      overflow = !far_->send(far_rows_, half()) || overflow;
    }
    return !any_overflow(overflow);
  }

  /// The barrier of the step.
  bool any_overflow(bool overflow) {
    if (near_) {
      near_->arrive(step_, overflow);
      if (!far_ || far_barrier_) {
        await([&] { return near_->all_arrived(step_); }, [&] { return near_->late_ranks(step_); });
        overflow = near_->overflowed(step_);
      }
    }
    if (far_barrier_) {
      far_barrier_->enter(step_, overflow);
      await([&] { return far_barrier_->test(); },
            [&] { return std::vector<int>{far_barrier_->late_rank()}; });
      overflow = far_barrier_->overflowed();
      if (near_) near_->release(step_, overflow);
    } else if (far_) {
      await([&] { return near_->released(step_); },
            [&] { return std::vector<int>{setting_.context.ranks_on_node().front()}; });
      overflow = near_->overflowed(step_);
    }
    return overflow;
  }

  void grow() {
    if (far_) {
      far_->flush();
      await([&] { return far_->sent(); }, [&] { return far_->late_ranks(); });
    }
    Context::Implementation& context = setting_.context.implementation();
    largest(context, 0, setting_.exchange);  // now nobody writes into a room any more
    std::string fault;
    try {
      if (near_) near_->grow();
      if (far_) far_->grow();
    } catch (const Error& error) {
      fault = error.what();
    }
    const std::string agreed = agree_on_reason(context, fault, setting_.exchange);
    if (!agreed.empty()) throw Error(setting_.exchange + ": " + agreed);
  }

  bool collect_far() {
    return far_->room(half()).collect(setting_.context.rank(), setting_.item_size, arrived_);
  }

  SparseSetting setting_;
  std::unique_ptr<NearRooms> near_;          ///< null without shared memory
  std::unique_ptr<FarRooms> far_;            ///< null where all ranks share memory
  std::unique_ptr<FarBarrier> far_barrier_;  ///< on one rank of each node
  std::uint64_t round_ = 0;
  std::uint64_t step_ = 0;  ///< a round that met an overflow takes two
  std::vector<OutgoingRow> near_rows_, far_rows_;
  std::vector<Parcel> arrived_;
};

}  // namespace

std::string why_rdma_reserve_unavailable(const Context& context) {
  if (context.node_count() == 1 && works(context, "shm")) return {};
  for (const Context::Transport& row : context.transports()) {
    if (row.name == "rdma") return row.reason;
  }
  return "there is no transport rdma";
}

std::unique_ptr<SparseMethod> make_rdma_reserve(const SparseSetting& setting) {
  return std::make_unique<RdmaReserve>(setting);
}

CostTerms cost_of_rdma_reserve(const PatternShape& shape) {
  const double nodes = static_cast<double>(shape.ranks) / shape.ranks_per_node;
  const double far = shape.peers * shape.off_node_share;
  return {.puts = 3.0 * far + (nodes > 1.0 ? global_steps_among(static_cast<int>(nodes)) : 0.0),
          .stores = 2.0 * (shape.peers - far) + 1.0,
          .round_trips = far > 0.0 ? 1.0 : 0.0,
          .global_steps = nodes > 1.0 ? global_steps_among(static_cast<int>(nodes)) + 2.0 : 1.0,
          .kilobytes = shape.bytes / 1e3,
          .copied = 2.0 * shape.bytes / 1e3};
}

}  // namespace sterna::comm
