// Idea: each rank sends a message to each peer and receives one from each, without blocking.
// Paper: the usual halo exchange; row MPI_SENDRECV of any comparison, so also of ours.
// Cost: per message its matching in software, and a copy where it comes before its receive.
// Hazards: none of its own; ahead of a slow one-way peer a sender would fill that rank's memory
//   with unexpected messages, so sends to peers that never answer are synchronous.
// Others win: nearly always in a node, and on networks that can write remote memory.

#include "comm/neighbor/methods/p2p.hpp"

#include <algorithm>
#include <exception>

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
    for (auto& buffers : {outboxes_, inboxes_}) {
      for (const auto& memory : buffers) setting_.context.keep_until_exit(memory);
    }
  }

  void prepare(std::vector<Link> links, std::uint64_t) override {
    links_ = std::move(links);
    const std::size_t n = links_.size();
    peers_.clear();
    outboxes_.clear();
    inboxes_.clear();
    for (const Link& link : links_) {
      peers_.emplace_back(setting_.context.communicator, link.rank, setting_.data_tag);
      outboxes_.push_back(
          std::make_shared<two_sided::Memory>(link.send_items * setting_.item_size));
      inboxes_.push_back(
          std::make_shared<two_sided::Memory>(link.receive_items * setting_.item_size));
    }
    requests_.assign(2 * n, MPI_REQUEST_NULL);
    completed_.resize(n);
    statuses_.resize(n);
    received_items_.assign(n, 0);
    arrived_round_.assign(n, 0);
  }

  std::byte* outbox(std::size_t link, std::uint64_t) override { return outboxes_[link]->data(); }

  void commit(std::size_t link, std::size_t count, std::uint64_t) override {
    const std::byte* const items = outboxes_[link]->data();
    const auto [type, number] = item_.sequence(count);
    if (links_[link].receive_items == 0) {
      peers_[link].send_synchronous(items, number, type, *send_request(link));
    } else {
      peers_[link].send(items, number, type, *send_request(link));
    }
  }

  void start(std::uint64_t round) override {
    round_ = round;
    first_missing_ = 0;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (links_[i].receive_items == 0) continue;
      const auto [type, number] = item_.sequence(links_[i].receive_items);
      peers_[i].receive(inboxes_[i]->data(), number, type, requests_[i]);
    }
  }

  /// Open MPI looks at a request again after the progress that its Test makes, but leaves that to
  /// the next call of Testsome. So polls ask for one message only, the first that is missing, and
  /// for all others once that is there.
  void progress() override {
    while (first_missing_ < links_.size() && requests_[first_missing_] == MPI_REQUEST_NULL) {
      ++first_missing_;
    }
    if (first_missing_ == links_.size()) return;
    if (++polls_ % polls_between_all != 0) {
      int done = 0;
      MPI_Status status;
      check_mpi(MPI_Test(&requests_[first_missing_], &done, &status), setting_.exchange);
      if (done == 0) return;
      note_arrival(first_missing_, status);
    }
    ask_for_all();
  }

  bool arrived(std::size_t link, std::uint64_t round) override {
    return arrived_round_[link] == round;
  }

  std::span<const std::byte> inbox(std::size_t link, std::uint64_t) const override {
    return {inboxes_[link]->data(), received_items_[link] * setting_.item_size};
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
  static constexpr unsigned polls_between_all = 8;

  void ask_for_all() {
    int count = 0;
    check_mpi(MPI_Testsome(static_cast<int>(links_.size()), requests_.data(), &count,
                           completed_.data(), statuses_.data()),
              setting_.exchange);
    if (count == MPI_UNDEFINED) return;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      note_arrival(static_cast<std::size_t>(completed_[i]), statuses_[i]);
    }
  }

  void note_arrival(std::size_t link, const MPI_Status& status) {
    received_items_[link] = item_.received(status, links_[link].receive_items);
    arrived_round_[link] = round_;
  }

  /// Receives lie before sends, so that each kind is one array.
  MPI_Request* send_request(std::size_t link) { return requests_.data() + links_.size() + link; }

  two_sided::ItemType item_;
  std::uint64_t round_ = 0;
  std::size_t first_missing_ = 0;  ///< no message of a link before it is awaited in this round
  unsigned polls_ = 0;
  std::vector<two_sided::Peer> peers_;
  std::vector<std::shared_ptr<two_sided::Memory>> outboxes_;
  std::vector<std::shared_ptr<two_sided::Memory>> inboxes_;
  std::vector<MPI_Request> requests_;
  std::vector<int> completed_;
  std::vector<MPI_Status> statuses_;
  std::vector<std::size_t> received_items_;
  std::vector<std::uint64_t> arrived_round_;
};

}  // namespace

std::unique_ptr<NeighborMethod> make_p2p(const NeighborSetting& setting) {
  return std::make_unique<PointToPoint>(setting);
}

CostTerms cost_of_p2p(const PatternShape& shape) {
  return {.messages = shape.peers, .kilobytes = shape.bytes / 1e3, .copied = shape.bytes / 1e3};
}

}  // namespace sterna::comm
