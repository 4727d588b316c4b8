// Idea:
//   Each rank posts all receives and all sends of a round.
//   It then asks MPI for all receives together.
// Source:
//   This is the example of docs/howto/add-an-exchange-method.md.
// Cost:
//   Software matches each message with its receive.
//   Nothing is unpacked before the last message has come.
// Hazards:
//   An error cannot tell which rank is late, as MPI says only whether all have come.
// Others:
//   p2p wins where messages come at different times.

#include <memory>
#include <utility>

#include "comm/context/byte_block.hpp"
#include "comm/context/mpi_error.hpp"
#include "comm/family/requirements.hpp"
#include "comm/neighbor/link_requests.hpp"
#include "comm/neighbor/table.hpp"

namespace sterna::comm {
namespace {

class AllTogether final : public NeighborMethod {
 public:
  using NeighborMethod::NeighborMethod;

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
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (links_[i].receive_items > 0) receive(i);
    }
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (links_[i].send_items > 0) send(i);
    }
  }

  std::size_t take_arrived(std::span<std::size_t> missing, std::uint64_t) override {
    int all_here = 0;
    check_mpi(MPI_Testall(static_cast<int>(links_.size()), requests_->receives(), &all_here,
                          MPI_STATUSES_IGNORE),
              setting_.exchange_name);
    return all_here != 0 ? missing.size() : 0;
  }

  void finish(std::uint64_t round) override { await_sends(*requests_, round); }

 private:
  void receive(std::size_t link) {
    const auto inbox =
        with_count(link_buffers_[link].inbox[0], links_[link].receive_items * setting_.item_size);
    const ByteBlock block(inbox.size());
    check_mpi(
        MPI_Irecv(inbox.data(), block.count(), block.type(), links_[link].rank, setting_.data_tag,
                  setting_.context.communicator, &requests_->receive(link)),
        "MPI_Irecv");
  }

  void send(std::size_t link) {
    std::byte* const items = link_buffers_[link].outbox[0];
    const auto message = with_count(items, count_before(items) * setting_.item_size);
    const ByteBlock block(message.size());
    // Synchronous, so that no rank runs ahead of one that never answers.
    check_mpi(MPI_Issend(message.data(), block.count(), block.type(), links_[link].rank,
                         setting_.data_tag, setting_.context.communicator, &requests_->send(link)),
              "MPI_Issend");
  }

  std::unique_ptr<LinkRequests> requests_;
};

CostTerms cost_of_p2p_all(const PatternShape& shape) {
  return {.messages = shape.peers,
          .round_trips = 1.0,
          .kilobytes = shape.bytes / 1e3,
          .copied = shape.bytes / 1e3};
}

constexpr std::string_view p2p_all_aliases[] = {"Waitall"};

}  // namespace

const NeighborMethodRow neighbor_method::p2p_all{
    .info = {.name = "p2p_all",
             .description = "all messages posted, then awaited together",
             .needs = "two_sided",
             .aliases = p2p_all_aliases,
             .traits = {.names_late_rank = false}},
    .why_unavailable = needs_messages,
    .make = make_method<AllTogether, NeighborMethod>,
    .cost = cost_of_p2p_all,
};

}  // namespace sterna::comm
