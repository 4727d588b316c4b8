// Idea:
//   Each peer is reached by its best route: stores into mapped memory within the node, puts by
//     UCX or libfabric beyond it, or messages where neither works.
//   Every pair of ranks exchanges directly: messages between two nodes are not joined into one.
// Source:
//   GHEX and QWS have a path in the node beside their path over the network.
// Cost:
//   It costs what shm_direct costs for the peers of the node, and rdma_double_buffer for the
//     others.
// Hazards:
//   They are those of both.
//   A round is as late as its slowest peer: what is gained is only the time that the messages in
//     the node took from the processor.
// Others:
//   shm_direct wins where all peers are on one node, rdma_double_buffer where none is.
//   This is then the same with one indirection more.

#include <algorithm>
#include <string_view>
#include <utility>

#include "comm/family/requirements.hpp"
#include "comm/neighbor/table.hpp"

namespace sterna::comm {
namespace {

/// Returns the best method between nodes.
const NeighborMethodRow& method_beyond(const Context::Implementation& context) {
  const auto works = [&](std::string_view name) {
    return std::ranges::any_of(context.transports, [&](const Context::Transport& transport) {
      return transport.name == name && transport.available;
    });
  };
  if (works("rdma")) return neighbor_method::rdma_double_buffer;
  // Without UCX the context has started libfabric.
  if (works("ofi")) return neighbor_method::ofi_double_buffer;
  return neighbor_method::p2p;
}

class Hybrid final : public NeighborMethod {
 public:
  explicit Hybrid(const NeighborSetting& setting) : NeighborMethod(setting) {
    inside_.method = neighbor_method::shm_direct.make(setting);
    beyond_.method = method_beyond(setting.context).make(setting);
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
    link_buffers_.clear();
    for (const auto& [method, link] : routes_)
      link_buffers_.push_back(method->link_buffers()[link]);
    outbox_may_wait_ = inside_.method->outbox_may_wait();
  }

  void await_outbox(std::size_t link, std::uint64_t round) override {
    routes_[link].method->await_outbox(routes_[link].link, round);
  }

  void commit(std::size_t link, std::size_t count, std::uint64_t round) override {
    routes_[link].method->commit(routes_[link].link, count, round);
  }

  /// Starts the longer route first.
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

  void keep_until_exit() override {
    inside_.method->keep_until_exit();
    beyond_.method->keep_until_exit();
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
    std::size_t link;  ///< the index of the link in `method`
  };

  struct Part {
    std::unique_ptr<NeighborMethod> method;
    std::vector<std::size_t> whole;    ///< the links of this part, by the indices of hybrid
    std::vector<std::size_t> missing;  ///< missing links, by the indices of `method`
  };

  Part inside_;
  Part beyond_;
  std::vector<Route> routes_;
  std::vector<bool> here_;  ///< links that have arrived in this round
};

CostTerms cost_of_hybrid(const PatternShape& shape) {
  const double beyond = shape.off_node_share;
  return {.puts = 2.0 * shape.peers * beyond,
          .stores = shape.peers * (1.0 - beyond),
          .kilobytes = shape.bytes / 1e3};
}

}  // namespace

const NeighborMethodRow neighbor_method::hybrid{
    .info =
        {
            .name = "hybrid",
            .description = "shared memory in the node (shm_direct), puts between nodes "
                           "(rdma_double_buffer, ofi_double_buffer or p2p)",
            .needs = "shm",
            .traits = {.one_way_takes_notice = true, .ends_together = true},
        },
    .why_unavailable = needs_shm,
    .make = make_method<Hybrid, NeighborMethod>,
    .cost = cost_of_hybrid,
    .same_as = "shm_direct",
};

}  // namespace sterna::comm
