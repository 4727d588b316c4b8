// Idea: each rank posts a receive for each peer, then sends a message to each, without blocking.
// Paper: the usual halo exchange; row MPI_SENDRECV of any comparison, so also of ours.
// Cost: per message its matching in software, and a copy where it comes before its receive: a
//   peer's that is ahead. The count travels before the items; asking MPI for it takes longer.
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
  using NeighborMethod::NeighborMethod;

  ~PointToPoint() override {
    // Messages under way can only be those of a round that was given up: their buffers must stay.
    if (std::ranges::all_of(requests_, [](MPI_Request r) { return r == MPI_REQUEST_NULL; })) return;
    setting_.context.keep_until_exit(memory_);
  }

  void prepare(std::vector<Link> links, std::uint64_t round) override {
    links_ = std::move(links);
    const std::size_t n = links_.size();
    memory_ = place_boxes(round);
    peers_.clear();
    for (const Link& link : links_) {
      peers_.emplace_back(setting_.context.communicator, link.rank, setting_.data_tag);
    }
    requests_.assign(2 * n, MPI_REQUEST_NULL);
    completed_.resize(n);
  }

  void commit(std::size_t link, std::size_t count, std::uint64_t) override {
    set_count_before(places_[link].outbox[0], count);
  }

  void start(std::uint64_t) override {
    const std::size_t n = links_.size();
    for (std::size_t i = 0; i < n; ++i) {
      if (links_[i].receive_items == 0) continue;
      peers_[i].receive(
          with_count(places_[i].inbox[0], links_[i].receive_items * setting_.item_size),
          requests_[i]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (links_[i].send_items == 0) continue;
      std::byte* const items = places_[i].outbox[0];
      const auto message = with_count(items, count_before(items) * setting_.item_size);
      if (links_[i].receive_items == 0) {
        peers_[i].send_synchronous(message, *send_request(i));
      } else {
        peers_[i].send(message, *send_request(i));
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

  std::size_t ask_for_all(std::span<const std::size_t> missing) {
    int done = 0;
    check_mpi(
        MPI_Testall(static_cast<int>(links_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE),
        setting_.exchange);
    return done == 0 ? 0 : missing.size();
  }

  std::size_t ask_for_first(std::span<const std::size_t> missing) {
    int here = 0;
    check_mpi(MPI_Test(&requests_[missing.front()], &here, MPI_STATUS_IGNORE), setting_.exchange);
    if (here == 0) return 0;
    polls_ = 0;
    return 1;
  }

  std::size_t ask_for_each(std::span<std::size_t> missing) {
    int count = 0;
    check_mpi(MPI_Testsome(static_cast<int>(links_.size()), requests_.data(), &count,
                           completed_.data(), MPI_STATUSES_IGNORE),
              setting_.exchange);
    if (count == MPI_UNDEFINED || count == 0) return 0;
    return bring_forward(missing,
                         [&](std::size_t link) { return requests_[link] == MPI_REQUEST_NULL; });
  }

  /// Receives lie before sends, so that each kind is one array.
  MPI_Request* send_request(std::size_t link) { return requests_.data() + links_.size() + link; }

  unsigned polls_ = 0;                         ///< in vain
  std::shared_ptr<two_sided::Memory> memory_;  ///< of all boxes
  std::vector<two_sided::Peer> peers_;         ///< by link
  std::vector<MPI_Request> requests_;
  std::vector<int> completed_;
};

}  // namespace

std::unique_ptr<NeighborMethod> make_p2p(const NeighborSetting& setting) {
  return std::make_unique<PointToPoint>(setting);
}

CostTerms cost_of_p2p(const PatternShape& shape) {
  return {.messages = shape.peers, .kilobytes = shape.bytes / 1e3, .copied = shape.bytes / 1e3};
}

}  // namespace sterna::comm
