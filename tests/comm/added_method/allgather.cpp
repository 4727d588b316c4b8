// Idea:
//   An allgather tells each rank how many items all ranks send to all others.
//   Each rank then knows its sources, and receives their items into their places.
// Source:
//   This is the example of docs/howto/add-a-sparse-method.md.
// Cost:
//   A round takes k messages, alpha log P, and 8 P^2 bytes at each rank.
//   Memory grows with the square of P.
// Hazards:
//   It synchronizes all ranks.
//   Each rank receives the counts of all pairs and reads those that concern it.
// Others:
//   alltoall sends each rank only its own counts.

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "comm/context/byte_block.hpp"
#include "comm/context/context_implementation.hpp"
#include "comm/context/mpi_error.hpp"
#include "comm/context/waiter.hpp"
#include "comm/family/requirements.hpp"
#include "comm/sparse/request_list.hpp"
#include "comm/sparse/round_wait.hpp"
#include "comm/sparse/table.hpp"

namespace sterna::comm {
namespace {

class Allgather final : public SparseMethod {
 public:
  explicit Allgather(const SparseSetting& setting)
      : setting_(setting),
        communicator_(setting.context.implementation().communicator),
        tag_(setting.context.implementation().reserve_tags(1)),
        mine_(static_cast<std::size_t>(setting.context.size())),
        all_(mine_.size() * mine_.size()) {}

  std::size_t exchange(const OutgoingRound& round, IncomingRows& incoming) override {
    gather_counts(round);
    const auto self = static_cast<std::size_t>(setting_.context.rank());
    for (std::size_t source = 0; source < mine_.size(); ++source) {
      const std::uint64_t count = all_[source * mine_.size() + self];
      if (count > 0) incoming.announce(static_cast<int>(source), count);
    }
    incoming.arrange();
    exchange_items(round, incoming);
    return round.rows.size() + 1;
  }

 private:
  void gather_counts(const OutgoingRound& round) {
    const auto ranks = static_cast<int>(mine_.size());
    mine_.assign(mine_.size(), 0);
    for (const OutgoingRow& row : round.rows) {
      mine_[static_cast<std::size_t>(row.destination)] = row.count;
    }
    MPI_Request request;
    check_mpi(MPI_Iallgather(mine_.data(), ranks, MPI_UINT64_T, all_.data(), ranks, MPI_UINT64_T,
                             communicator_, &request),
              "MPI_Iallgather");
    wait_for_request(setting_.context.implementation(), request, setting_.exchange_name,
                     setting_.method_name, round.number);
  }

  /// One tag is enough: a source sends at most one message a round, and MPI keeps their order.
  void exchange_items(const OutgoingRound& round, const IncomingRows& incoming) {
    for (const int source : incoming.sources()) {
      if (source == setting_.context.rank()) continue;
      const ByteBlock block(incoming.bytes(source));
      check_mpi(MPI_Irecv(incoming.row(source), block.count(), block.type(), source, tag_,
                          communicator_, requests_.add(source)),
                "MPI_Irecv");
    }
    for (const OutgoingRow& row : round.rows) {
      const ByteBlock block(row.count * setting_.item_size);
      check_mpi(MPI_Isend(row.items, block.count(), block.type(), row.destination, tag_,
                          communicator_, requests_.add(row.destination)),
                "MPI_Isend");
    }
    wait_in_round(
        setting_, round.number, [&] { return requests_.test(); },
        [&] { return requests_.late_peers(); });
  }

  SparseSetting setting_;
  MPI_Comm communicator_;
  int tag_;
  std::vector<std::uint64_t> mine_;  ///< items that this rank sends, by destination
  std::vector<std::uint64_t> all_;   ///< the same of all ranks, one after the other
  RequestList requests_;
};

CostTerms cost_of_allgather(const PatternShape& shape) {
  return {.messages = shape.peers,
          .global_steps = global_steps_among(shape.ranks),
          .kilobytes = (shape.bytes + 8.0 * shape.ranks * shape.ranks) / 1e3,
          .copied = shape.bytes / 1e3};
}

constexpr std::string_view allgather_aliases[] = {"Iallgather"};

}  // namespace

const SparseMethodRow sparse_method::allgather{
    .info = {.name = "allgather",
             .description = "the counts of all pairs by an allgather, then the data pair by pair",
             .needs = "two_sided",
             .aliases = allgather_aliases,
             .traits = {.names_late_rank = false}},
    .why_unavailable = needs_messages,
    .make = make_method<Allgather, SparseMethod>,
    .cost = cost_of_allgather,
};

}  // namespace sterna::comm
