// Idea:
//   The messages of p2p are set up once and only started in each round.
//   All start with the round, the receives first.
// Source:
//   Persistent requests are from MPI-1.
//   Collom et al. (arXiv 2508.13370) measure up to 37 % over p2p.
// Cost:
//   It costs what p2p costs without building the requests.
//   A changed count sets up its send again.
// Hazards:
//   They are those of p2p.
//   Open MPI's persistent requests are no faster than its ordinary ones.
// Others:
//   p2p wins where counts change in each round.
//   The one-sided methods win nearly always.

#include <memory>
#include <utility>

#include "comm/context/byte_block.hpp"
#include "comm/context/mpi_error.hpp"
#include "comm/family/requirements.hpp"
#include "comm/neighbor/arrival_polls.hpp"
#include "comm/neighbor/link_requests.hpp"
#include "comm/neighbor/table.hpp"

namespace sterna::comm {
namespace {

class PersistentPointToPoint final : public NeighborMethod {
 public:
  using NeighborMethod::NeighborMethod;

  void prepare(std::vector<Link> links, std::uint64_t round) override {
    links_ = std::move(links);
    const std::size_t n = links_.size();
    requests_.reset();
    requests_ = std::make_unique<LinkRequests>(setting_.context, allocate_buffers(round), n);
    for (std::size_t i = 0; i < n; ++i) {
      const auto& [rank, sends, receives] = links_[i];
      if (receives == 0) continue;
      const auto inbox = with_count(link_buffers_[i].inbox[0], receives * setting_.item_size);
      const ByteBlock block(inbox.size());
      check_mpi(MPI_Recv_init(inbox.data(), block.count(), block.type(), rank, setting_.data_tag,
                              setting_.context.communicator, &requests_->receive(i)),
                "MPI_Recv_init");
    }
    send_counts_.assign(n, not_set_up);
  }

  /// Sets the send up again if its count has changed since the previous round.
  void commit(std::size_t link, std::size_t count, std::uint64_t) override {
    if (count == send_counts_[link]) return;
    MPI_Request& request = requests_->send(link);
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    std::byte* const items = link_buffers_[link].outbox[0];
    set_count_before(items, count);
    const auto message = with_count(items, count * setting_.item_size);
    const ByteBlock block(message.size());
    // A send to a peer that never answers is synchronous, which bounds how far this rank runs
    // ahead.
    const auto init = links_[link].receive_items == 0 ? MPI_Ssend_init : MPI_Send_init;
    check_mpi(init(message.data(), block.count(), block.type(), links_[link].rank,
                   setting_.data_tag, setting_.context.communicator, &request),
              "MPI_Send_init");
    send_counts_[link] = count;
  }

  void start(std::uint64_t) override {
    polls_.start();
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (links_[i].receive_items > 0) check_mpi(MPI_Start(&requests_->receive(i)), "MPI_Start");
    }
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (links_[i].send_items > 0) check_mpi(MPI_Start(&requests_->send(i)), "MPI_Start");
    }
  }

  std::size_t take_arrived(std::span<std::size_t> missing, std::uint64_t) override {
    return polls_.ask({requests_->receives(), links_.size()}, missing);
  }

  void finish(std::uint64_t round) override { await_sends(*requests_, round); }

 private:
  static constexpr std::size_t not_set_up = static_cast<std::size_t>(-1);

  std::unique_ptr<LinkRequests> requests_;
  std::vector<std::size_t> send_counts_;  ///< counts for which the sends are set up
  ArrivalPolls polls_{setting_.exchange_name};
};

CostTerms cost_of_p2p_persistent(const PatternShape& shape) {
  return {.messages = shape.peers, .kilobytes = shape.bytes / 1e3, .copied = shape.bytes / 1e3};
}

constexpr std::string_view p2p_persistent_aliases[] = {"persistent", "MPI_Start", "Send_init"};

}  // namespace

const NeighborMethodRow neighbor_method::p2p_persistent{
    .info =
        {
            .name = "p2p_persistent",
            .description = "the same messages, set up once and started in each round",
            .needs = "two_sided",
            .aliases = p2p_persistent_aliases,
        },
    .why_unavailable = needs_messages,
    .make = make_method<PersistentPointToPoint, NeighborMethod>,
    .cost = cost_of_p2p_persistent,
};

}  // namespace sterna::comm
