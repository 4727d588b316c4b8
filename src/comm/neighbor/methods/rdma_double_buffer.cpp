// Idea:
//   Items are put into the peer's registered memory, and a notice follows behind a fence.
//   Two buffers in turn replace acknowledgments.
// Source:
//   QWS has it as rdma_comlib_2buf.
//   Put with double buffering was measured beside Isend on Fugaku and Wisteria-O.
// Cost:
//   A round takes two puts for each link and one fence; no matching, no rendezvous, no barrier.
//   In a node a put is a copy by this processor, and the fence falls away.
// Hazards:
//   One-way links would overrun their receiver, so it sends a notice back (neighbor/inboxes.hpp).
//   Over TCP a put needs the target's help: a rank that computes long delays those that wait.
// Others:
//   shm_direct wins in a node: it has no copy out of the outbox.
//   p2p wins over TCP with UCX 1.13.

#include <algorithm>

#include "comm/family/requirements.hpp"
#include "comm/neighbor/put_method.hpp"
#include "comm/neighbor/table.hpp"
#include "comm/transport/rdma/transport.hpp"

namespace sterna::comm {
namespace {

class RdmaDoubleBuffer final : public PutMethod<rdma::Transport> {
 public:
  explicit RdmaDoubleBuffer(const NeighborSetting& setting)
      : PutMethod(setting), worker_(rdma::Worker::instance()) {
    setting_.context.rdma_in_use = true;
  }

  /// Waits until no transfer is under way to or from this rank. The notice of a round is the last
  /// word that a peer writes in it.
  void end() override {
    if (put_buffers_ == nullptr) return;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      rdma::RemoteMemory& peer = put_buffers_->peer(i);
      peer.flush();
      await([&] { return put_buffers_->noticed(i, round_) && peer.arrived(); }, round_,
            {links_[i].rank});
    }
  }

  void prepare(std::vector<Link> links, std::uint64_t round) override {
    end();
    round_ = round;
    make_buffers(std::move(links), round);
    all_mapped_ = put_buffers_->all_mapped();
  }

  void commit(std::size_t link, std::size_t count, std::uint64_t round) override {
    committed_[link] = {count, true};
    if (has_credit(link, round)) put_committed(link, round);
  }

  void start(std::uint64_t round) override {
    round_ = round;
    put_all_committed(round);
    if (!all_mapped_) worker_.fence();
    put_buffers_->set_notice(round);
    for (std::size_t i = 0; i < links_.size(); ++i) put_buffers_->put_notice(i);
  }

  std::size_t take_arrived(std::span<std::size_t> missing, std::uint64_t round) override {
    const auto arrived = [&](std::size_t link) { return put_buffers_->noticed(link, round); };
    const std::size_t here = bring_forward(missing, arrived);
    if (here > 0 || all_mapped_) return here;
    progress();
    return bring_forward(missing, arrived);
  }

  void finish(std::uint64_t round) override {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      rdma::RemoteMemory& peer = put_buffers_->peer(i);
      if (!peer.sent()) await([&] { return peer.sent(); }, round, {links_[i].rank});
    }
  }

  Watched watched() const override { return Watched::memory; }

 private:
  /// Stores need no help, but a wait advances the network for other ranks now and then.
  void progress() override {
    if (!all_mapped_) worker_.progress();
  }

  rdma::Worker& worker_;
  std::uint64_t round_ = 0;
  bool all_mapped_ = false;
};

CostTerms cost_of_rdma_double_buffer(const PatternShape& shape) {
  return {.puts = 2.0 * shape.peers, .kilobytes = shape.bytes / 1e3};
}

constexpr std::string_view rdma_double_buffer_aliases[] = {"RDMA_DB", "notified put",
                                                           "put with notice", "rdma_comlib_2buf"};

}  // namespace

const NeighborMethodRow neighbor_method::rdma_double_buffer{
    .info =
        {
            .name = "rdma_double_buffer",
            .description = "UCX put with a notice into two buffers in turn, no barrier",
            .needs = "rdma",
            .aliases = rdma_double_buffer_aliases,
            .traits = {.one_way_takes_notice = true, .ends_together = true},
        },
    .why_unavailable = needs_rdma,
    .make = make_method<RdmaDoubleBuffer, NeighborMethod>,
    .cost = cost_of_rdma_double_buffer,
    .first_choice = {2, "peers on other nodes, and UCX works"},
};

}  // namespace sterna::comm
