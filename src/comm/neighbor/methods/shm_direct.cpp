// Idea:
//   An outbox is the peer's inbox, mapped.
//   What is packed there has arrived, and a notice says so.
// Source:
//   QWS and GHEX have such a path in the node.
//   Notices back on one-way links are as in neighbor/inboxes.hpp.
// Cost:
//   A round takes the stores of packing, and of count and notice beside them.
//   There is no copy and no system call.
// Hazards:
//   Packing may wait for the notice back of a one-way link.
//   Memory is shared by all ranks of a node: twice the capacity of every link counts against it.
// Others:
//   Where a peer is on another node this cannot be used at all.

#include <algorithm>
#include <memory>

#include "comm/family/requirements.hpp"
#include "comm/neighbor/inboxes.hpp"
#include "comm/neighbor/table.hpp"
#include "comm/onesided/window.hpp"
#include "comm/transport/shm/transport.hpp"

namespace sterna::comm {
namespace {

class SharedMemoryDirect final : public NeighborMethod {
 public:
  using NeighborMethod::NeighborMethod;

  MemoryNeed memory_for(std::span<const Link> links) const override {
    return {.shared = Inboxes(links, setting_.item_size).bytes()};
  }

  void prepare(std::vector<Link> links, std::uint64_t round) override {
    links_ = std::move(links);
    inboxes_ = std::make_unique<Inboxes>(links_, setting_.item_size);
    window_.reset();  // freed first, so that old and new memory do not exist at once
    window_ = std::make_unique<Window<shm::Transport, InboxOffsets>>(
        setting_.context, setting_.exchange_name, setting_.control_tag, inboxes_->bytes(),
        ranks_of(links_), [&](std::byte* memory) {
          inboxes_->use(memory, round);
          std::vector<InboxOffsets> offsets;
          for (std::size_t i = 0; i < links_.size(); ++i) offsets.push_back(inboxes_->offsets(i));
          return offsets;
        });
    counts_.assign(links_.size(), 0);
    link_buffers_.clear();
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const auto& [memory, offsets, rank] = window_->remotes()[i];
      link_buffers_.push_back(
          {.outbox = {memory.mapped() + offsets.items[0], memory.mapped() + offsets.items[1]},
           .inbox = {inboxes_->items(i, 0), inboxes_->items(i, 1)}});
    }
    // For other links a notice was seen in the previous round.
    outbox_may_wait_ =
        std::ranges::any_of(links_, [](const Link& link) { return link.receive_items == 0; });
  }

  void await_outbox(std::size_t link, std::uint64_t round) override { await_credit(link, round); }

  void commit(std::size_t link, std::size_t count, std::uint64_t) override {
    counts_[link] = count;
  }

  void start(std::uint64_t round) override {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      auto& [memory, offsets, rank] = window_->remotes()[i];
      if (links_[i].send_items > 0) {
        await_credit(i, round);
        const std::uint64_t count = counts_[i];
        memory.put(offsets.count(round), &count, sizeof count);
      }
      memory.notify(offsets.notice(round), round);
    }
  }

  std::size_t take_arrived(std::span<std::size_t> missing, std::uint64_t round) override {
    return bring_forward(missing, [&](std::size_t link) { return inboxes_->noticed(link, round); });
  }

  void finish(std::uint64_t) override {}

  Watched watched() const override { return Watched::memory; }

 private:
  void await_credit(std::size_t link, std::uint64_t round) {
    if (inboxes_->noticed(link, round - 1)) return;
    await([&] { return inboxes_->noticed(link, round - 1); }, round, {links_[link].rank});
  }

  std::unique_ptr<Inboxes> inboxes_;
  std::unique_ptr<Window<shm::Transport, InboxOffsets>> window_;
  std::vector<std::size_t> counts_;
};

CostTerms cost_of_shm_direct(const PatternShape& shape) {
  return {.stores = shape.peers, .kilobytes = shape.bytes / 1e3};
}

constexpr std::string_view shm_direct_aliases[] = {"shared memory", "direct store", "load/store"};

}  // namespace

const NeighborMethodRow neighbor_method::shm_direct{
    .info =
        {
            .name = "shm_direct",
            .description =
                "items are written right into the neighbor's memory, two buffers in turn",
            .needs = "shm, all peers on one node",
            .aliases = shm_direct_aliases,
            .traits = {.between_nodes = false, .one_way_takes_notice = true},
        },
    .why_unavailable = needs_shm_with_all,
    .make = make_method<SharedMemoryDirect, NeighborMethod>,
    .cost = cost_of_shm_direct,
    .first_choice = {3, "all peers are on one node"},
};

}  // namespace sterna::comm
