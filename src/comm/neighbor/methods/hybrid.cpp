// Idea: each peer by its best route: stores into mapped memory within the node, UCX puts beyond it
//   (messages where UCX does not work).
// Paper: the in-node path of GHEX and QWS beside their network path; design 3.2 of this library.
// Cost: that of shm_direct for the peers of the node, of rdma_double_buffer for the others.
// Hazards: those of both; a round is as late as its slowest peer, so it gains only the time that
//   the in-node messages took from the processor.
// Others win: shm_direct where all peers are on one node, rdma_double_buffer where none is: this
//   is then the same with one indirection more.

#include "comm/neighbor/methods/hybrid.hpp"

#include <utility>

#include "comm/neighbor/methods/p2p.hpp"
#include "comm/neighbor/methods/rdma_double_buffer.hpp"
#include "comm/neighbor/methods/shm_direct.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {
namespace {

class Hybrid final : public NeighborMethod {
 public:
  explicit Hybrid(const NeighborSetting& setting)
      : NeighborMethod(setting), inside_(make_shm_direct(setting)) {
    for (const Context::Transport& transport : setting.context.transports) {
      if (transport.name != "rdma") continue;
      beyond_ = transport.available ? make_rdma_double_buffer(setting) : make_p2p(setting);
    }
  }

  void prepare(std::vector<Link> links, std::uint64_t round) override {
    links_ = std::move(links);
    routes_.clear();
    std::vector<Link> inside;
    std::vector<Link> beyond;
    const auto& node_of = setting_.context.node_of;
    const auto node = [&](int rank) { return node_of[static_cast<std::size_t>(rank)]; };
    for (const Link& link : links_) {
      const bool here = node(link.rank) == node(setting_.context.rank);
      std::vector<Link>& part = here ? inside : beyond;
      routes_.push_back({here ? inside_.get() : beyond_.get(), part.size()});
      part.push_back(link);
    }
    inside_->prepare(std::move(inside), round);
    beyond_->prepare(std::move(beyond), round);
  }

  std::byte* outbox(std::size_t link, std::uint64_t round) override {
    return routes_[link].method->outbox(routes_[link].link, round);
  }

  void commit(std::size_t link, std::size_t count, std::uint64_t round) override {
    routes_[link].method->commit(routes_[link].link, count, round);
  }

  /// The longer way first.
  void start(std::uint64_t round) override {
    beyond_->start(round);
    inside_->start(round);
  }

  bool progress() override {
    beyond_->progress();
    return true;  // by stores, perhaps
  }

  bool arrived(std::size_t link, std::uint64_t round) override {
    return routes_[link].method->arrived(routes_[link].link, round);
  }

  std::span<const std::byte> inbox(std::size_t link, std::uint64_t round) const override {
    return routes_[link].method->inbox(routes_[link].link, round);
  }

  void finish(std::uint64_t round) override {
    inside_->finish(round);
    beyond_->finish(round);
  }

  Watched watched() const override { return beyond_->watched(); }

 private:
  struct Route {
    NeighborMethod* method;
    std::size_t link;  ///< as that method numbers them
  };

  std::unique_ptr<NeighborMethod> inside_;
  std::unique_ptr<NeighborMethod> beyond_;
  std::vector<Route> routes_;
};

}  // namespace

std::unique_ptr<NeighborMethod> make_hybrid(const NeighborSetting& setting) {
  return std::make_unique<Hybrid>(setting);
}

CostTerms cost_of_hybrid(const PatternShape& shape) {
  const double beyond = shape.off_node_share;
  return {.puts = 2.0 * shape.peers * beyond,
          .stores = shape.peers * (1.0 - beyond),
          .kilobytes = shape.bytes / 1e3};
}

}  // namespace sterna::comm
