// Idea:
//   Each rank posts a receive for each peer, then sends each a message, without blocking.
// Source:
//   It is the usual halo exchange, and the row MPI_SENDRECV of most comparisons.
// Cost:
//   Software matches each message with its receive.
//   A message that comes before its receive, from a peer that is ahead, is copied once more.
//   The count travels before the items, as asking MPI for it takes longer.
// Hazards:
//   It has none of its own.
//   Ahead of a slow one-way peer a sender would fill that rank's memory with unexpected messages.
//   So sends to peers that never answer are synchronous.
// Others:
//   Nearly all others win in a node, and on networks that can write remote memory.

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

class PointToPoint final : public NeighborMethod {
 public:
  explicit PointToPoint(const NeighborSetting& setting)
      : NeighborMethod(setting), polls_(setting_.exchange_name) {}

  void prepare(std::vector<Link> links, std::uint64_t round) override {
    links_ = std::move(links);
    requests_.reset();
    requests_ =
        std::make_unique<LinkRequests>(setting_.context, allocate_buffers(round), links_.size());
  }

  void commit(std::size_t link, std::size_t count, std::uint64_t) override {
    set_count_before(link_buffers_[link].outbox[0], count);
  }

  void start(std::uint64_t) override {
    const MPI_Comm communicator = setting_.context.communicator;
    const int tag = setting_.data_tag;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const auto& [rank, sends, receives] = links_[i];
      if (receives == 0) continue;
      const auto inbox = with_count(link_buffers_[i].inbox[0], receives * setting_.item_size);
      const ByteBlock block(inbox.size());
      check_mpi(MPI_Irecv(inbox.data(), block.count(), block.type(), rank, tag, communicator,
                          &requests_->receive(i)),
                "MPI_Irecv");
    }
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const auto& [rank, sends, receives] = links_[i];
      if (sends == 0) continue;
      std::byte* const items = link_buffers_[i].outbox[0];
      const auto message = with_count(items, count_before(items) * setting_.item_size);
      const ByteBlock block(message.size());
      // A send to a peer that never answers is synchronous, which bounds how far this rank runs
      // ahead.
      const auto send = receives == 0 ? MPI_Issend : MPI_Isend;
      check_mpi(send(message.data(), block.count(), block.type(), rank, tag, communicator,
                     &requests_->send(i)),
                "MPI_Isend");
    }
    polls_.start();
  }

  std::size_t take_arrived(std::span<std::size_t> missing, std::uint64_t) override {
    return polls_.ask({requests_->receives(), links_.size()}, missing);
  }

  void finish(std::uint64_t round) override { await_sends(*requests_, round); }

 private:
  ArrivalPolls polls_;
  std::unique_ptr<LinkRequests> requests_;
};

CostTerms cost_of_p2p(const PatternShape& shape) {
  return {.messages = shape.peers, .kilobytes = shape.bytes / 1e3, .copied = shape.bytes / 1e3};
}

constexpr std::string_view p2p_aliases[] = {"Isend/Irecv", "MPI_SENDRECV", "send-recv",
                                            "nonblocking"};

}  // namespace

const NeighborMethodRow neighbor_method::p2p{
    .info =
        {
            .name = "p2p",
            .description = "a message each way by non-blocking send and receive",
            .needs = "two_sided",
            .aliases = p2p_aliases,
        },
    .why_unavailable = needs_messages,
    .make = make_method<PointToPoint, NeighborMethod>,
    .cost = cost_of_p2p,
    .first_choice = {1, "neither shared memory nor UCX serves this pattern"},
};

}  // namespace sterna::comm
