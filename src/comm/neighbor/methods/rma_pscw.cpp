// Idea:
//   A rank posts its window to those that send to it and starts on those that it sends to.
//   It puts and completes: only neighbors synchronize.
// Source:
//   Post, start, complete and wait are from MPI-2.
//   ADCL has pscw halo functions.
// Cost:
//   A round takes one put, one post and one complete message for each link.
//   Two windows take turns: that of round r+1 is posted when round r starts, so that no start waits
//     for a neighbor that the round before has not waited for.
// Hazards:
//   Start and complete may block in MPI, for the post of a slow receiver: the deadline ends the
//     job.
//   MPI tells only when all have completed, so an error names all that had to.
// Others:
//   rma_double_buffer wins: its notice is one message and also tells who has arrived.

#include <array>

#include "comm/context/agreement.hpp"
#include "comm/context/blocking_call.hpp"
#include "comm/context/mpi_error.hpp"
#include "comm/family/requirements.hpp"
#include "comm/neighbor/put_buffers.hpp"
#include "comm/neighbor/table.hpp"
#include "comm/transport/rma/transport.hpp"

namespace sterna::comm {
namespace {

/// An MPI group of some of the context's ranks.
class Group {
 public:
  Group(MPI_Comm communicator, const std::vector<int>& ranks) : empty_(ranks.empty()) {
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Comm_group(communicator, &all);
    MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &group_);
    MPI_Group_free(&all);
  }
  ~Group() {
    if (group_ == MPI_GROUP_EMPTY || Context::Implementation::mpi_has_ended()) return;
    MPI_Group_free(&group_);
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  bool empty() const { return empty_; }
  MPI_Group get() const { return group_; }

 private:
  bool empty_;
  MPI_Group group_ = MPI_GROUP_EMPTY;
};

class RmaPscw final : public NeighborMethod {
 public:
  explicit RmaPscw(const NeighborSetting& setting) : NeighborMethod(setting) {}

  /// MPI wants an access for each post, and the peers have posted for a round that never comes.
  void end() override {
    if (put_buffers_[0] == nullptr) return;
    ++round_;
    access(round_, [] {});
    finish(round_);
    for (auto& buffers : put_buffers_) buffers.reset();
  }

  void keep_until_exit() override {
    for (const auto& buffers : put_buffers_) setting_.context.keep_until_exit(buffers);
  }

  MemoryNeed memory_for(std::span<const Link> links) const override {
    MemoryNeed need;
    for ([[maybe_unused]] const auto& buffers : put_buffers_) {
      need += PutBuffers<rma::Transport>::memory_for(links, setting_.item_size, 1);
    }
    return need;
  }

  void prepare(std::vector<Link> links, std::uint64_t round) override {
    if (put_buffers_[0] != nullptr) {
      // This reduction meets all ranks with a deadline that can throw; MPI could only block.
      largest(setting_.context, 0, setting_.exchange_name);
      end();
    }
    links_ = std::move(links);
    round_ = round;
    closed_round_ = round;
    counts_.assign(links_.size(), 0);
    std::vector<int> targets;
    sources_.clear();
    for (const Link& link : links_) {
      if (link.send_items > 0) targets.push_back(link.rank);
      if (link.receive_items > 0) sources_.push_back(link.rank);
    }
    target_group_ = std::make_unique<Group>(setting_.context.communicator, targets);
    source_group_ = std::make_unique<Group>(setting_.context.communicator, sources_);
    access_ = std::make_unique<BlockingCall>(setting_.context, setting_.exchange_name,
                                             setting_.method_name, targets);
    for (auto& buffers : put_buffers_) {
      buffers = std::make_shared<PutBuffers<rma::Transport>>(setting_, links_, round,
                                                             rma::Transport{rma::Epoch::active}, 1);
    }
    link_buffers_ = put_buffers_[0]->link_buffers();
    const std::vector<LinkBuffers> odd = put_buffers_[1]->link_buffers();
    for (std::size_t i = 0; i < links_.size(); ++i) {
      link_buffers_[i].outbox[1] = odd[i].outbox[1];
      link_buffers_[i].inbox[1] = odd[i].inbox[1];
    }
    post(round + 1);
  }

  void commit(std::size_t link, std::size_t count, std::uint64_t) override {
    counts_[link] = count;
  }

  void start(std::uint64_t round) override {
    round_ = round;
    post(round + 1);  // into the inbox of round - 1, which the caller no longer reads
    access(round, [&] {
      for (std::size_t i = 0; i < links_.size(); ++i) {
        if (links_[i].send_items > 0) put_buffers_[round % 2]->put(i, counts_[i], round);
      }
    });
  }

  std::size_t take_arrived(std::span<std::size_t> missing, std::uint64_t round) override {
    progress();
    return closed_round_ == round ? missing.size() : 0;
  }

  void finish(std::uint64_t round) override {
    await([&] { return closed_round_ == round_; }, round, sources_);
  }

 private:
  void progress() override {
    if (closed_round_ == round_) return;
    int complete = 1;
    if (!source_group_->empty()) {
      check_mpi(MPI_Win_test(put_buffers_[round_ % 2]->memory().window(), &complete),
                "MPI_Win_test");
    }
    if (complete != 0) closed_round_ = round_;
  }

  void post(std::uint64_t round) {
    if (source_group_->empty()) return;
    check_mpi(MPI_Win_post(source_group_->get(), 0, put_buffers_[round % 2]->memory().window()),
              "MPI_Win_post");
  }

  template <class Puts>
  void access(std::uint64_t round, Puts&& puts) {
    if (target_group_->empty()) return;
    const MPI_Win window = put_buffers_[round % 2]->memory().window();
    const BlockingCall::Guard guard(*access_, round);
    check_mpi(MPI_Win_start(target_group_->get(), 0, window), "MPI_Win_start");
    puts();
    check_mpi(MPI_Win_complete(window), "MPI_Win_complete");
  }

  std::array<std::shared_ptr<PutBuffers<rma::Transport>>, 2>
      put_buffers_;  ///< for even and odd rounds
  std::unique_ptr<Group> target_group_;
  std::unique_ptr<Group> source_group_;
  std::unique_ptr<BlockingCall> access_;
  std::vector<int> sources_;
  std::vector<std::size_t> counts_;
  std::uint64_t round_ = 0;
  std::uint64_t closed_round_ = 0;  ///< the last round whose puts have all arrived
};

CostTerms cost_of_rma_pscw(const PatternShape& shape) {
  return {.puts = 3.0 * shape.peers,
          .round_trips = 1.0,
          .kilobytes = shape.bytes / 1e3,
          .copied = shape.bytes / 1e3};
}

constexpr std::string_view rma_pscw_aliases[] = {"PSCW", "generalized active target",
                                                 "post-start-complete-wait"};

}  // namespace

const NeighborMethodRow neighbor_method::rma_pscw{
    .info =
        {
            .name = "rma_pscw",
            .description =
                "MPI_Put between start and complete, post and wait: neighbors synchronize",
            .needs = "rma",
            .aliases = rma_pscw_aliases,
            .traits = {.blocks_in_mpi = BlocksInMpi::for_help,
                       .names_late_rank = false,
                       .ends_together = true},
        },
    .why_unavailable = needs_rma,
    .make = make_method<RmaPscw, NeighborMethod>,
    .cost = cost_of_rma_pscw,
};

}  // namespace sterna::comm
