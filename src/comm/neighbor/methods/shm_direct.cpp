// Idea: an outbox is the peer's inbox, mapped; what is packed there has arrived, a notice says so.
// Paper: the in-node path of QWS and GHEX; credits of one-way links as in neighbor/inboxes.hpp.
// Cost: the stores of packing and of count and notice beside them; no copy, no system call.
// Hazards: packing may wait for the credit of a one-way link; memory of all ranks of a node is
//   shared, so twice the capacity of every link counts against the node.
// Others win: where a peer is on another node this cannot be used at all.

#include "comm/neighbor/methods/shm_direct.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "comm/context/handshake.hpp"
#include "comm/neighbor/inboxes.hpp"
#include "comm/transport/shm/memory.hpp"
#include "comm/transport/shm/peer.hpp"
#include "sterna/comm/error.hpp"

#ifdef STERNA_HAVE_SHM

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
    peers_.clear();
    std::string fault;
    try {
      memory_ = std::make_unique<shm::Memory>(inboxes_->bytes());
      inboxes_->use(memory_->data(), round);
    } catch (const Error& error) {
      fault = error.what();
    }
    throw_on_all(setting_, fault);

    std::vector<std::string> outgoing;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const Door door{memory_->handle(), inboxes_->offsets(i)};
      outgoing.emplace_back(reinterpret_cast<const char*>(&door), sizeof door);
    }
    const auto incoming = exchange_letters(setting_.context, setting_.exchange,
                                           setting_.control_tag, ranks_of(links_), outgoing);
    try {
      for (const std::string& bytes : incoming) {
        Door door;
        std::memcpy(&door, bytes.data(), sizeof door);
        peers_.push_back({shm::Peer(door.handle), door.offsets});
      }
    } catch (const Error& error) {
      fault = error.what();
    }
    throw_on_all(setting_, fault);  // also: nobody goes on before all have mapped
    counts_.assign(links_.size(), 0);
    places_.clear();
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const auto outbox = [&](std::uint64_t parity) {
        return peers_[i].memory.data() + peers_[i].offsets.items[parity];
      };
      places_.push_back({.outbox = {outbox(0), outbox(1)},
                         .inbox = {inboxes_->items(i, 0), inboxes_->items(i, 1)}});
    }
    // Of others a notice was seen in the round before.
    outbox_may_wait_ =
        std::ranges::any_of(links_, [](const Link& link) { return link.receive_items == 0; });
  }

  void await_outbox(std::size_t link, std::uint64_t round) override { await_credit(link, round); }

  void commit(std::size_t link, std::size_t count, std::uint64_t) override {
    counts_[link] = count;
  }

  void start(std::uint64_t round) override {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      Mapped& peer = peers_[i];
      if (links_[i].send_items > 0) {
        await_credit(i, round);
        const std::uint64_t count = counts_[i];
        peer.memory.put(peer.offsets.count(round), &count, sizeof count);
      }
      peer.memory.notify(peer.offsets.notice(round), round);
    }
  }

  std::size_t take_arrived(std::span<std::size_t> missing, std::uint64_t round) override {
    return bring_forward(missing, [&](std::size_t link) { return inboxes_->noticed(link, round); });
  }

  void finish(std::uint64_t) override {}

  Watched watched() const override { return Watched::memory; }

 private:
  /// What a peer needs to write to this rank.
  struct Door {
    shm::Handle handle;
    InboxOffsets offsets;
  };
  struct Mapped {
    shm::Peer memory;
    InboxOffsets offsets;
  };

  void await_credit(std::size_t link, std::uint64_t round) {
    if (inboxes_->noticed(link, round - 1)) return;
    await([&] { return inboxes_->noticed(link, round - 1); }, round, {links_[link].rank});
  }

  std::unique_ptr<shm::Memory> memory_;
  std::unique_ptr<Inboxes> inboxes_;
  std::vector<Mapped> peers_;
  std::vector<std::size_t> counts_;
};

}  // namespace

std::unique_ptr<NeighborMethod> make_shm_direct(const NeighborSetting& setting) {
  return std::make_unique<SharedMemoryDirect>(setting);
}

}  // namespace sterna::comm

#else

namespace sterna::comm {

std::unique_ptr<NeighborMethod> make_shm_direct(const NeighborSetting& setting) {
  throw Error(setting.exchange + ": method shm_direct is built without shared memory");
}

}  // namespace sterna::comm

#endif

namespace sterna::comm {

CostTerms cost_of_shm_direct(const PatternShape& shape) {
  return {.stores = shape.peers, .kilobytes = shape.bytes / 1e3};
}

}  // namespace sterna::comm
