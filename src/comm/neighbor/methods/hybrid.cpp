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
  explicit Hybrid(const NeighborSetting& setting) : NeighborMethod(setting) {
    inside_.method = make_shm_direct(setting);
    for (const Context::Transport& transport : setting.context.transports) {
      if (transport.name != "rdma") continue;
      beyond_.method = transport.available ? make_rdma_double_buffer(setting) : make_p2p(setting);
    }
  }

  MemoryNeed memory_for(std::span<const Link> links) const override {
    std::vector<Link> inside;
    std::vector<Link> beyond;
    for (const Link& link : links) (is_near(link) ? inside : beyond).push_back(link);
    MemoryNeed need = inside_.method->memory_for(inside);
    need += beyond_.method->memory_for(beyond);
    return need;
  }

  void prepare(std::vector<Link> links, std::uint64_t round) override {
    links_ = std::move(links);
    routes_.clear();
    here_.assign(links_.size(), false);
    std::vector<Link> inside;
    std::vector<Link> beyond;
    for (Part* const part : {&inside_, &beyond_}) part->whole.clear();
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const bool near = is_near(links_[i]);
      Part& part = near ? inside_ : beyond_;
      routes_.push_back({part.method.get(), part.whole.size()});
      part.whole.push_back(i);
      (near ? inside : beyond).push_back(links_[i]);
    }
    inside_.method->prepare(std::move(inside), round);
    beyond_.method->prepare(std::move(beyond), round);
    places_.clear();
    for (const auto& [method, link] : routes_) places_.push_back(method->places()[link]);
    outbox_may_wait_ = inside_.method->outbox_may_wait();
  }

  void await_outbox(std::size_t link, std::uint64_t round) override {
    routes_[link].method->await_outbox(routes_[link].link, round);
  }

  void commit(std::size_t link, std::size_t count, std::uint64_t round) override {
    routes_[link].method->commit(routes_[link].link, count, round);
  }

  /// The longer way first.
  void start(std::uint64_t round) override {
    for (Part* const part : {&beyond_, &inside_}) {
      part->method->start(round);
      part->missing.clear();
      for (std::size_t i = 0; i < part->whole.size(); ++i) {
        if (links_[part->whole[i]].receive_items > 0) part->missing.push_back(i);
      }
    }
    here_.assign(links_.size(), false);
  }

  std::size_t take_arrived(std::span<std::size_t> missing, std::uint64_t round) override {
    for (Part* const part : {&beyond_, &inside_}) {
      if (part->missing.empty()) continue;
      const auto here =
          static_cast<std::ptrdiff_t>(part->method->take_arrived(part->missing, round));
      const auto begin = part->missing.begin();
      for (auto link = begin; link != begin + here; ++link) here_[part->whole[*link]] = true;
      part->missing.erase(begin, begin + here);
    }
    return bring_forward(missing, [&](std::size_t link) { return here_[link]; });
  }

  void finish(std::uint64_t round) override {
    inside_.method->finish(round);
    beyond_.method->finish(round);
  }

  void end() override {
    inside_.method->end();
    beyond_.method->end();
  }

  void leave() override {
    inside_.method->leave();
    beyond_.method->leave();
  }

  Watched watched() const override { return beyond_.method->watched(); }

 private:
  bool is_near(const Link& link) const {
    const auto& node_of = setting_.context.node_of;
    return node_of[static_cast<std::size_t>(link.rank)] ==
           node_of[static_cast<std::size_t>(setting_.context.rank)];
  }

  struct Route {
    NeighborMethod* method;
    std::size_t link;  ///< as that method numbers them
  };

  struct Part {
    std::unique_ptr<NeighborMethod> method;
    std::vector<std::size_t> whole;    ///< its links as this method numbers them
    std::vector<std::size_t> missing;  ///< as it numbers them itself
  };

  Part inside_;
  Part beyond_;
  std::vector<Route> routes_;
  std::vector<bool> here_;  ///< links that have arrived in this round
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
