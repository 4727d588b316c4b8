// Idea: each rank posts a receive for each peer, then sends a message to each, without blocking.
// Paper: the usual halo exchange; row MPI_SENDRECV of any comparison, so also of ours.
// Cost: per message its matching in software, and a copy where it comes before its receive: a
//   peer's that is ahead.
// Hazards: none of its own; ahead of a slow one-way peer a sender would fill that rank's memory
//   with unexpected messages, so sends to peers that never answer are synchronous.
// Others win: nearly always in a node, and on networks that can write remote memory.

#include "comm/neighbor/methods/p2p.hpp"

#include <algorithm>
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

  void prepare(std::vector<Link> links, std::uint64_t round) override {
    links_ = std::move(links);
    const std::size_t n = links_.size();
    memory_ = place_boxes(round);
    channels_.clear();
    for (const Link& link : links_) {
      channels_.push_back({.peer = {setting_.context.communicator, link.rank, setting_.data_tag}});
    }
    requests_.assign(2 * n, MPI_REQUEST_NULL);
    completed_.resize(n);
    statuses_.resize(n);
  }

  void commit(std::size_t link, std::size_t count, std::uint64_t) override {
    channels_[link].committed_items = count;
  }

  void start(std::uint64_t) override {
    const std::size_t n = links_.size();
    for (std::size_t i = 0; i < n; ++i) {
      if (links_[i].receive_items == 0) continue;
      const auto [type, number] = item_.sequence(links_[i].receive_items);
      channels_[i].peer.receive(places_[i].inbox[0], number, type, requests_[i]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (links_[i].send_items == 0) continue;
      const Channel& channel = channels_[i];
      const auto [type, number] = item_.sequence(channel.committed_items);
      if (links_[i].receive_items == 0) {
        channel.peer.send_synchronous(places_[i].outbox[0], number, type, *send_request(i));
      } else {
        channel.peer.send(places_[i].outbox[0], number, type, *send_request(i));
      }
    }
    polls_ = 0;
  }

  /// Asks in turn for all together, which is the least work where all have come, and for one
  /// message, which need not wait for the others; now and then for each of them.
  std::size_t take_arrived(std::span<std::size_t> missing, std::uint64_t) override {
    ++polls_;
    if (polls_ % polls_of_each == 0) return ask_for_each(missing);
    return polls_ % 2 == 1 ? ask_for_all(missing) : ask_for_first(missing);
  }

  void finish(std::uint64_t round) override {
    Waiter(setting_.context)
        .wait(
            [&] {
              int done = 0;
              check_mpi(MPI_Testall(static_cast<int>(links_.size()), send_request(0), &done,
                                    MPI_STATUSES_IGNORE),
                        setting_.exchange);
              return done != 0;
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
  static constexpr unsigned polls_of_each = 8;

  struct Channel {
    two_sided::Peer peer;
    std::size_t committed_items = 0;
  };

  std::size_t ask_for_all(std::span<const std::size_t> missing) {
    int done = 0;
    check_mpi(
        MPI_Testall(static_cast<int>(links_.size()), requests_.data(), &done, statuses_.data()),
        setting_.exchange);
    if (done == 0) return 0;
    for (const std::size_t link : missing) note_arrival(link, statuses_[link]);
    return missing.size();
  }

  std::size_t ask_for_first(std::span<const std::size_t> missing) {
    MPI_Status status;
    int here = 0;
    check_mpi(MPI_Test(&requests_[missing.front()], &here, &status), setting_.exchange);
    if (here == 0) return 0;
    polls_ = 0;
    note_arrival(missing.front(), status);
    return 1;
  }

  std::size_t ask_for_each(std::span<std::size_t> missing) {
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
    set_count_before(places_[link].inbox[0], item_.received(status, links_[link].receive_items));
  }

  /// Receives lie before sends, so that each kind is one array.
  MPI_Request* send_request(std::size_t link) { return requests_.data() + links_.size() + link; }

  two_sided::ItemType item_;
  unsigned polls_ = 0;                         ///< in vain
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
