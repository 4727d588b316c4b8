// Idea:
//   Every rank tells each other how many items will come, then sends them.
// Source:
//   It is the personalized exchange (PEX) of Hoefler, Siebert and Lumsdaine (PPoPP 2010).
//   Counts travel as in Bruck et al. (1997).
// Cost:
//   Up to 11 ranks P-1 counts leave in one step; beyond, log P steps carry 4 P bytes each.
//   Then each pair that has items exchanges a message.
//   Memory grows with P.
// Hazards:
//   It synchronizes all ranks.
//   The counts of all ranks travel even where few have any.
// Others:
//   nbx or superset win where each rank has few partners.
//   This one wins below about 100 ranks.

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "comm/context/byte_block.hpp"
#include "comm/context/context_implementation.hpp"
#include "comm/context/mpi_error.hpp"
#include "comm/family/requirements.hpp"
#include "comm/sparse/request_list.hpp"
#include "comm/sparse/round_wait.hpp"
#include "comm/sparse/table.hpp"

namespace sterna::comm {

namespace {

/// Up to this number of ranks all counts leave at once, each in its own message. Beyond it they
/// travel in log P steps.
constexpr int most_ranks_for_one_step = 11;

bool counts_leave_at_once(int ranks) {
  return ranks <= most_ranks_for_one_step;
}

/// The number of messages with counts that a rank sends in a round.
std::size_t count_messages(int ranks) {
  return static_cast<std::size_t>(counts_leave_at_once(ranks) ? ranks - 1
                                                              : global_steps_among(ranks));
}

class Alltoall final : public SparseMethod {
 public:
  explicit Alltoall(const SparseSetting& setting)
      : setting_(setting),
        communicator_(setting.context.implementation().communicator),
        first_tag_(setting.context.implementation().reserve_tags(2)),
        counts_(static_cast<std::size_t>(setting.context.size())),
        outgoing_(counts_.size()),
        incoming_(counts_.size()) {}

  std::size_t exchange(const OutgoingRound& round, IncomingRows& incoming) override {
    exchange_counts(round);
    for (int source = 0; source < size(); ++source) {
      const std::uint64_t count = counts_[distance(source, rank())];
      if (count > 0) incoming.announce(source, count);
    }
    incoming.arrange();
    exchange_items(round, incoming);
    return count_messages(size()) + round.rows.size();
  }

 private:
  int rank() const { return setting_.context.rank(); }
  int size() const { return setting_.context.size(); }
  std::size_t distance(int from, int to) const {
    return static_cast<std::size_t>((to - from + size()) % size());
  }

  /// Exchanges the counts. Afterwards `counts_[d]` is the number of items that the rank at distance
  /// d before this one sends here. MPI_Ialltoall is not used: in Open MPI it takes longer to build
  /// its schedule than two ranks need to exchange. One tag is enough, because each source sends one
  /// message a round and MPI keeps their order.
  void exchange_counts(const OutgoingRound& round) {
    counts_.assign(counts_.size(), 0);
    for (const OutgoingRow& row : round.rows) {
      counts_[distance(rank(), row.destination)] = row.count;
    }
    if (counts_leave_at_once(size())) {
      outgoing_ = counts_;
      for (std::size_t d = 1; d < counts_.size(); ++d) shift(&outgoing_[d], &counts_[d], 1, d);
      wait(round);
      return;
    }
    // A count makes one step for each binary digit 1 of its distance.
    for (std::size_t step = 1; step < counts_.size(); step *= 2) {
      int n = 0;
      for (std::size_t d = step; d < counts_.size(); d = (d + 1) | step) {
        outgoing_[static_cast<std::size_t>(n++)] = counts_[d];
      }
      shift(outgoing_.data(), incoming_.data(), n, step);
      wait(round);
      n = 0;
      for (std::size_t d = step; d < counts_.size(); d = (d + 1) | step) {
        counts_[d] = incoming_[static_cast<std::size_t>(n++)];
      }
    }
  }

  /// Sends `n` counts to the rank at `distance` after this one, and receives as many from the rank
  /// at `distance` before it.
  void shift(const std::uint64_t* outgoing, std::uint64_t* incoming, int n, std::size_t distance) {
    const auto by = static_cast<int>(distance);
    const int to = (rank() + by) % size();
    const int from = (rank() + size() - by) % size();
    check_mpi(
        MPI_Irecv(incoming, n, MPI_UINT64_T, from, first_tag_, communicator_, requests_.add(from)),
        "MPI_Irecv");
    check_mpi(
        MPI_Isend(outgoing, n, MPI_UINT64_T, to, first_tag_, communicator_, requests_.add(to)),
        "MPI_Isend");
  }

  /// Exchanges the items, like Alltoallv for the case that most pairs have nothing to send. It
  /// needs no vectors of P counts and offsets, whose type is int.
  void exchange_items(const OutgoingRound& round, const IncomingRows& incoming) {
    for (const int source : incoming.sources()) {
      if (source == setting_.context.rank()) continue;
      const ByteBlock block(incoming.bytes(source));
      check_mpi(MPI_Irecv(incoming.row(source), block.count(), block.type(), source, first_tag_ + 1,
                          communicator_, requests_.add(source)),
                "MPI_Irecv");
    }
    for (const OutgoingRow& row : round.rows) {
      const ByteBlock block(row.count * setting_.item_size);
      check_mpi(MPI_Isend(row.items, block.count(), block.type(), row.destination, first_tag_ + 1,
                          communicator_, requests_.add(row.destination)),
                "MPI_Isend");
    }
    wait(round);
  }

  void wait(const OutgoingRound& round) {
    wait_in_round(
        setting_, round.number, [&] { return requests_.test(); },
        [&] { return requests_.late_peers(); });
  }

  SparseSetting setting_;
  MPI_Comm communicator_;
  int first_tag_;
  std::vector<std::uint64_t> counts_;  ///< by distance, see `exchange_counts`
  std::vector<std::uint64_t> outgoing_, incoming_;
  RequestList requests_;
};

CostTerms cost_of_alltoall(const PatternShape& shape) {
  constexpr double count_bytes = sizeof(std::uint64_t);
  // All ranks take part in each step. Up to 11 ranks there is one step, in which each count is a
  // message to be matched. Beyond that, each step has one message with half of the counts.
  const bool at_once = counts_leave_at_once(shape.ranks);
  const double others = shape.ranks - 1.0;
  const double steps = at_once ? std::min(others, 1.0) : global_steps_among(shape.ranks);
  const double counts = at_once ? others : 0.5 * shape.ranks * steps;
  return {.messages = shape.peers + (at_once ? others : 0.0),
          .global_steps = steps,
          .kilobytes = (shape.bytes + count_bytes * counts) / 1e3,
          .copied = shape.bytes / 1e3};
}

constexpr std::string_view alltoall_aliases[] = {"PEX", "personalized exchange", "Alltoallv",
                                                 "Bruck"};

}  // namespace

const SparseMethodRow sparse_method::alltoall{
    .info =
        {
            .name = "alltoall",
            .description = "counts to everyone by an all-to-all, then the data pair by pair",
            .needs = "two_sided",
            .aliases = alltoall_aliases,
        },
    .why_unavailable = needs_messages,
    .make = make_method<Alltoall, SparseMethod>,
    .cost = cost_of_alltoall,
};

}  // namespace sterna::comm
