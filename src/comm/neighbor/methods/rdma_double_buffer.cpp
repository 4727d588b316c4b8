// Idea: items are put into the peer's registered memory, a notice follows behind a fence; two
//   buffers in turn replace acknowledgements.
// Paper: rdma_comlib_2buf of QWS; Put with double buffering beside Isend on Fugaku and Wisteria-O.
// Cost: two puts per link and round and one fence; no matching, no rendezvous, no barrier.
// Hazards: one-way links overrun their receiver without credits (neighbor/inboxes.hpp); over TCP a
//   put needs the target's help, so a rank that computes long delays those that wait for it.
// Others win: shm_direct in a node (no copy out of the outbox); p2p over TCP with UCX 1.13.

#include "comm/neighbor/methods/rdma_double_buffer.hpp"

#include "comm/transport/rdma/peer.hpp"
#include "sterna/comm/error.hpp"

#ifdef STERNA_HAVE_UCX

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>

#include "comm/context/agreement.hpp"
#include "comm/context/handshake.hpp"
#include "comm/context/waiter.hpp"
#include "comm/neighbor/inboxes.hpp"
#include "comm/transport/rdma/memory.hpp"
#include "comm/transport/rdma/worker.hpp"

namespace sterna::comm {
namespace {

class RdmaDoubleBuffer final : public NeighborMethod {
 public:
  explicit RdmaDoubleBuffer(const NeighborSetting& setting)
      : NeighborMethod(setting), worker_(rdma::Worker::instance()) {
    setting_.context.rdma_in_use = true;
  }

  ~RdmaDoubleBuffer() override {
    try {
      if (memory_ != nullptr && !setting_.context.failed && std::uncaught_exceptions() == 0) {
        drain();
        return;
      }
    } catch (const Error&) {
      // A rank is gone; whoever still needs it will say so.
    }
    setting_.context.keep_until_exit(memory_);
    setting_.context.keep_until_exit(outgoing_);
  }

  void prepare(std::vector<Link> links, std::uint64_t round) override {
    if (memory_ != nullptr) drain();
    links_ = std::move(links);
    round_ = round;
    peers_.clear();
    inboxes_ = std::make_unique<Inboxes>(links_, setting_.item_size);
    // The outboxes are laid out as the peers' inboxes are, with half of the buffers.
    std::vector<Link> reversed;
    for (const Link& link : links_) reversed.push_back({link.rank, 0, link.send_items});
    outboxes_ = std::make_unique<Inboxes>(reversed, setting_.item_size);
    std::string fault;
    std::vector<std::string> letters;
    try {
      memory_ = std::make_shared<rdma::Memory>(inboxes_->bytes());
      outgoing_ = std::make_shared<rdma::Memory>(notice_bytes + outboxes_->bytes());
      inboxes_->use(memory_->data(), round);
      for (std::size_t i = 0; i < links_.size(); ++i) letters.push_back(write_letter(i));
    } catch (const Error& error) {
      fault = error.what();
    }
    throw_on_all(fault);
    const auto incoming = exchange_letters(setting_.context, setting_.exchange,
                                           setting_.control_tag, ranks_of(links_), letters);
    try {
      for (const std::string& letter : incoming) read_letter(letter);
    } catch (const Error& error) {
      fault = error.what();
    }
    throw_on_all(fault);
    committed_.assign(links_.size(), {});
  }

  std::byte* outbox(std::size_t link, std::uint64_t) override {
    return outgoing_->data() + notice_bytes + outboxes_->offsets(link).items[0];
  }

  void commit(std::size_t link, std::size_t count, std::uint64_t round) override {
    const std::uint64_t header = count;
    std::memcpy(outbox(link, round) - count_bytes, &header, sizeof header);
    committed_[link] = {count_bytes + count * setting_.item_size, true};
    if (has_credit(link, round)) put_items(link, round);
  }

  void start(std::uint64_t round) override {
    round_ = round;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (!committed_[i].waiting) continue;
      await([&] { return has_credit(i, round); }, {links_[i].rank});
      put_items(i, round);
    }
    worker_.fence();
    std::memcpy(outgoing_->data(), &round, sizeof round);
    for (std::size_t i = 0; i < links_.size(); ++i) {
      put(i, peers_[i].offsets.notice, outgoing_->data(), sizeof round);
    }
  }

  void progress() override { worker_.progress(); }

  bool arrived(std::size_t link, std::uint64_t round) override {
    return inboxes_->notice(link) >= round;
  }

  std::span<const std::byte> inbox(std::size_t link, std::uint64_t round) const override {
    return inboxes_->items(link, round);
  }

  void finish(std::uint64_t) override {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (peers_[i].memory.sent()) continue;
      await([&] { return peers_[i].memory.sent(); }, {links_[i].rank});
    }
  }

 private:
  /// The outgoing memory begins with the word that is put as the notice.
  static constexpr std::size_t notice_bytes = 128;

  struct Target {
    rdma::Peer memory;
    InboxOffsets offsets;
  };
  struct Committed {
    std::size_t bytes = 0;
    bool waiting = false;  ///< not put yet
  };

  bool has_credit(std::size_t link, std::uint64_t round) const {
    return inboxes_->notice(link) >= round - 1;
  }

  void put_items(std::size_t link, std::uint64_t round) {
    put(link, peers_[link].offsets.items[round % 2] - count_bytes,
        outbox(link, round) - count_bytes, committed_[link].bytes);
    committed_[link].waiting = false;
  }

  void put(std::size_t link, std::size_t offset, const std::byte* source, std::size_t bytes) {
    try {
      peers_[link].memory.put(offset, source, bytes, outgoing_.get());
    } catch (const Error& error) {
      const int rank = links_[link].rank;
      throw Error(
          fmt::format("rank {}: {}{}", rank, error.what(), obituary(setting_.context, rank)));
    }
  }

  template <class Condition>
  void await(Condition&& condition, std::vector<int> ranks) {
    Waiter(setting_.context)
        .wait(
            [&] {
              if (condition()) return true;
              worker_.progress();
              return false;
            },
            [&] {
              return Awaited{setting_.exchange, setting_.method, round_, ranks};
            });
  }

  /// Waits until nothing is under way to or from this rank. The notice of a round is the last that
  /// a peer writes in it.
  void drain() {
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      peers_[i].memory.flush();
      await([&] { return inboxes_->notice(i) >= round_ && peers_[i].memory.arrived(); },
            {links_[i].rank});
    }
  }

  void throw_on_all(const std::string& fault) {
    const std::string agreed = agree_on_reason(setting_.context, fault, setting_.exchange);
    if (!agreed.empty()) throw Error(setting_.exchange + ": " + agreed);
  }

  /// What a peer needs to write to this rank: offsets, length of the address, address, handle.
  std::string write_letter(std::size_t link) const {
    const InboxOffsets& offsets = inboxes_->offsets(link);
    const std::string& address = worker_.address();
    const std::uint64_t length = address.size();
    std::string letter(reinterpret_cast<const char*>(&offsets), sizeof offsets);
    letter.append(reinterpret_cast<const char*>(&length), sizeof length);
    return letter + address + memory_->handle();
  }

  void read_letter(const std::string& letter) {
    InboxOffsets offsets;
    std::uint64_t length = 0;
    std::memcpy(&offsets, letter.data(), sizeof offsets);
    std::memcpy(&length, letter.data() + sizeof offsets, sizeof length);
    const std::size_t begin = sizeof offsets + sizeof length;
    peers_.push_back(
        {rdma::Peer(letter.substr(begin, length), letter.substr(begin + length)), offsets});
  }

  rdma::Worker& worker_;
  std::uint64_t round_ = 0;
  std::shared_ptr<rdma::Memory> memory_;
  std::shared_ptr<rdma::Memory> outgoing_;
  std::unique_ptr<Inboxes> inboxes_;
  std::unique_ptr<Inboxes> outboxes_;
  std::vector<Target> peers_;
  std::vector<Committed> committed_;
};

}  // namespace

std::unique_ptr<NeighborMethod> make_rdma_double_buffer(const NeighborSetting& setting) {
  return std::make_unique<RdmaDoubleBuffer>(setting);
}

}  // namespace sterna::comm

#else

namespace sterna::comm {

std::unique_ptr<NeighborMethod> make_rdma_double_buffer(const NeighborSetting& setting) {
  throw Error(setting.exchange + ": method rdma_double_buffer is built without UCX");
}

}  // namespace sterna::comm

#endif
