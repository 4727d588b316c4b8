// Idea: each rank posts a receive for each peer, then sends a message to each, without blocking.
// Paper: the usual halo exchange; row MPI_SENDRECV of any comparison, so also of ours.
// Cost: per message its matching in software, and a copy where it comes before its receive: a
//   peer's that is ahead.
// Hazards: none of its own; ahead of a slow one-way peer a sender would fill that rank's memory
//   with unexpected messages, so sends to peers that never answer are synchronous.
// Others win: nearly always in a node, and on networks that can write remote memory.

#include "comm/neighbor/methods/p2p.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "comm/context/mpi_error.hpp"
#include "comm/context/waiter.hpp"
#include "comm/transport/two_sided/memory.hpp"
#include "comm/transport/two_sided/peer.hpp"

namespace sterna::comm {
namespace {

class PointToPoint final : public NeighborMethod {
 public:
  explicit PointToPoint(const NeighborSetting& setting)
      : NeighborMethod(setting), item_(setting.item_size) {}

  ~PointToPoint() override {
    // Messages under way can only be those of a round that was given up: their buffers must stay.
    if (std::ranges::all_of(requests_, [](MPI_Request r) { return r == MPI_REQUEST_NULL; })) return;
    setting_.context.keep_until_exit(memory_);
  }

  void prepare(std::vector<Link> links, std::uint64_t) override {
    links_ = std::move(links);
    const std::size_t n = links_.size();
    std::size_t bytes = 0;
    const auto place = [&](std::size_t items) {
      constexpr std::size_t line = 128;
      return std::exchange(bytes, bytes + (items * setting_.item_size + line - 1) / line * line);
    };
    std::vector<std::array<std::size_t, 2>> places;
    for (const Link& link : links_) {
      places.push_back({place(link.send_items), place(link.receive_items)});
    }
    memory_ = std::make_shared<two_sided::Memory>(bytes);
    channels_.clear();
    for (std::size_t i = 0; i < n; ++i) {
      std::byte* const begin = memory_->data();
      channels_.push_back(
          {.peer = {setting_.context.communicator, links_[i].rank, setting_.data_tag},
           .outbox = begin + places[i][0],
           .inbox = begin + places[i][1]});
    }
    requests_.assign(2 * n, MPI_REQUEST_NULL);
    completed_.resize(n);
    statuses_.resize(n);
  }

  std::byte* outbox(std::size_t link, std::uint64_t) override { return channels_[link].outbox; }

  void commit(std::size_t link, std::size_t count, std::uint64_t) override {
    channels_[link].committed_items = count;
  }

  void start(std::uint64_t) override {
    const std::size_t n = links_.size();
    for (std::size_t i = 0; i < n; ++i) {
      if (links_[i].receive_items == 0) continue;
      const auto [type, number] = item_.sequence(links_[i].receive_items);
      channels_[i].peer.receive(channels_[i].inbox, number, type, requests_[i]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (links_[i].send_items == 0) continue;
      const Channel& channel = channels_[i];
      const auto [type, number] = item_.sequence(channel.committed_items);
      if (links_[i].receive_items == 0) {
        channel.peer.send_synchronous(channel.outbox, number, type, *send_request(i));
      } else {
        channel.peer.send(channel.outbox, number, type, *send_request(i));
      }
    }
    polls_ = 0;
  }

  /// Asks for one message only, which is the least work where all have come; for all of them where
  /// that one keeps everybody waiting.
  std::size_t take_arrived(std::span<std::size_t> missing, std::uint64_t) override {
    if (++polls_ == polls_of_one) {
      polls_ = 0;
      return ask_for_all(missing);
    }
    const std::size_t link = missing.front();
    MPI_Status status;
    int done = 0;
    check_mpi(MPI_Test(&requests_[link], &done, &status), setting_.exchange);
    if (done == 0) return 0;
    polls_ = 0;
    note_arrival(link, status);
    return 1;
  }

  std::span<const std::byte> inbox(std::size_t link, std::uint64_t) const override {
    const Channel& channel = channels_[link];
    return {channel.inbox, channel.received_items * setting_.item_size};
  }

  void finish(std::uint64_t round) override {
    int all_sent = 0;
    check_mpi(MPI_Testall(static_cast<int>(links_.size()), send_request(0), &all_sent,
                          MPI_STATUSES_IGNORE),
              setting_.exchange);
    if (all_sent != 0) return;
    std::size_t sent = 0;
    Waiter(setting_.context)
        .wait(
            [&] {
              for (; sent < links_.size(); ++sent) {
                int done = 0;
                check_mpi(MPI_Test(send_request(sent), &done, MPI_STATUS_IGNORE),
                          setting_.exchange);
                if (done == 0) return false;
              }
              return true;
            },
            [&] {
              Awaited awaited{setting_.exchange, setting_.method, round, {}};
              for (std::size_t i = 0; i < links_.size(); ++i) {
                if (*send_request(i) != MPI_REQUEST_NULL) awaited.ranks.push_back(links_[i].rank);
              }
              return awaited;
            });
  }

 private:
  static constexpr unsigned polls_of_one = 8;

  struct Channel {
    two_sided::Peer peer;
    std::byte* outbox;
    std::byte* inbox;
    std::size_t committed_items = 0;
    std::size_t received_items = 0;
  };

  std::size_t ask_for_all(std::span<std::size_t> missing) {
    int count = 0;
    check_mpi(MPI_Testsome(static_cast<int>(links_.size()), requests_.data(), &count,
                           completed_.data(), statuses_.data()),
              setting_.exchange);
    if (count == MPI_UNDEFINED || count == 0) return 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      note_arrival(static_cast<std::size_t>(completed_[i]), statuses_[i]);
    }
    return bring_forward(missing,
                         [&](std::size_t link) { return requests_[link] == MPI_REQUEST_NULL; });
  }

  void note_arrival(std::size_t link, const MPI_Status& status) {
    channels_[link].received_items = item_.received(status, links_[link].receive_items);
  }

  /// Receives lie before sends, so that each kind is one array.
  MPI_Request* send_request(std::size_t link) { return requests_.data() + links_.size() + link; }

  two_sided::ItemType item_;
  unsigned polls_ = 0;                         ///< in vain, for one message
  std::shared_ptr<two_sided::Memory> memory_;  ///< of all boxes
  std::vector<Channel> channels_;              ///< by link
  std::vector<MPI_Request> requests_;
  std::vector<int> completed_;
  std::vector<MPI_Status> statuses_;
};

}  // namespace

std::unique_ptr<NeighborMethod> make_p2p(const NeighborSetting& setting) {
  return std::make_unique<PointToPoint>(setting);
}

CostTerms cost_of_p2p(const PatternShape& shape) {
  return {.messages = shape.peers, .kilobytes = shape.bytes / 1e3, .copied = shape.bytes / 1e3};
}

}  // namespace sterna::comm
