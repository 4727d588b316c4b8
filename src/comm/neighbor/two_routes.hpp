#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "comm/neighbor/method.hpp"
#include "comm/neighbor/table.hpp"

namespace sterna::comm {

/// A method that carries the links within the node by shm_direct and all others by a second method.
class TwoRoutes : public NeighborMethod {
 public:
  TwoRoutes(const NeighborSetting& setting, std::unique_ptr<NeighborMethod> beyond)
      : NeighborMethod(setting) {
    inside_.method = neighbor_method::shm_direct.make(setting);
    beyond_.method = std::move(beyond);
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

  bool commit_shared(std::size_t link, std::size_t other, std::span<const ItemRange> ranges,
                     std::size_t count, std::uint64_t round) override {
    NeighborMethod* const method = routes_[link].method;
    return method == routes_[other].method &&
           method->commit_shared(routes_[link].link, routes_[other].link, ranges, count, round);
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

  std::span<const std::byte> inbox(std::size_t link, std::uint64_t round) const override {
    return routes_[link].method->inbox(routes_[link].link, round);
  }

  void add_late(std::vector<int>& ranks, std::uint64_t round) const override {
    beyond_.method->add_late(ranks, round);
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
    std::vector<std::size_t> whole;    ///< the links of this part, by the indices of the whole
    std::vector<std::size_t> missing;  ///< missing links, by the indices of `method`
  };

  Part inside_;
  Part beyond_;
  std::vector<Route> routes_;
  std::vector<bool> here_;  ///< links that have arrived in this round
};

}  // namespace sterna::comm
