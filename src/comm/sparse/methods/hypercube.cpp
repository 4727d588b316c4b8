// Idea:
//   Ranks store and forward: in step s each sends one message, 2^s ranks ahead.
//   It holds every row whose way to its destination still has this distance, own ones and others'.
//   Each rank thus receives one message in each step, from a rank that it knows: nobody has to
//     find out who sends.
// Source:
//   The crystal router of Fox et al. (1988) does so along the edges of a hypercube.
//   The distances of Bruck et al. (1997) serve any number of ranks.
// Cost:
//   A round takes log P messages, whatever the number of destinations.
//   Items travel as often as the distance has binary ones, log P / 2 on average.
//   Memory grows with the rows on the way.
// Hazards:
//   Items are packed and copied at every step.
//   A rank on the way carries the load of others.
// Others:
//   grid has two hops, and more messages.
//   Any direct method wins where rows are long or partners are few.

#include <mpi.h>

#include <bit>
#include <vector>

#include "comm/context/byte_block.hpp"
#include "comm/context/context_implementation.hpp"
#include "comm/context/mpi_error.hpp"
#include "comm/family/requirements.hpp"
#include "comm/sparse/request_list.hpp"
#include "comm/sparse/round_wait.hpp"
#include "comm/sparse/routed_rows.hpp"
#include "comm/sparse/table.hpp"

namespace sterna::comm {

namespace {

// One tag serves all steps and rounds. The messages from one rank belong to one step, since the
// distances differ, and MPI keeps their order.
class Hypercube final : public SparseMethod {
 public:
  explicit Hypercube(const SparseSetting& setting)
      : setting_(setting),
        communicator_(setting.context.implementation().communicator),
        tag_(setting.context.implementation().reserve_tags(1)),
        rank_(setting.context.rank()),
        size_(setting.context.size()) {
    for (int distance = 1; distance < size_; distance *= 2) {
      steps_.push_back({(rank_ + distance) % size_, (rank_ - distance + size_) % size_,
                        RowPacker(setting.item_size), IncomingRows(1)});
    }
  }

  std::size_t exchange(const OutgoingRound& round, IncomingRows& incoming) override {
    arrived_.clear();
    for (Step& step : steps_) step.packer.clear();
    for (const OutgoingRow& row : round.rows) {
      forward({{row.destination, rank_, row.count}, row.items});
    }
    for (Step& step : steps_) {
      send(step);
      receive(step, round);
      for_each_routed_row(step.incoming, setting_.item_size, [&](const RoutedRow& row) {
        if (row.head.destination == rank_) {
          arrived_.push_back(row);
        } else {
          forward(row);
        }
      });
    }
    deliver(arrived_, setting_.item_size, incoming);
    wait_in_round(
        setting_, round.number, [&] { return sends_.test(); }, [&] { return sends_.late_peers(); });
    return steps_.size();
  }

 private:
  /// The exchange with the ranks at one distance. Its memory holds the rows until the round ends.
  struct Step {
    int target, source;
    RowPacker packer;
    IncomingRows incoming;  ///< of bytes
  };

  /// Gives a row to the step of the lowest binary one of the distance that is left. No step before
  /// it has the row, so the step is still to come.
  void forward(const RoutedRow& row) {
    const auto left = static_cast<unsigned>((row.head.destination - rank_ + size_) % size_);
    Step& step = steps_[static_cast<std::size_t>(std::countr_zero(left))];
    step.packer.add(step.target, row);
  }

  /// Begins to send the rows of a step, in a message that may be empty.
  void send(Step& step) {
    const std::span<const OutgoingRow> packed = step.packer.pack();
    const std::byte* const bytes = packed.empty() ? nullptr : packed[0].items;
    const ByteBlock block(packed.empty() ? 0 : packed[0].count);
    check_mpi(MPI_Isend(bytes, block.count(), block.type(), step.target, tag_, communicator_,
                        sends_.add(step.target)),
              "MPI_Isend");
  }

  void receive(Step& step, const OutgoingRound& round) {
    int found = 0;
    MPI_Message message;
    MPI_Status status;
    wait_in_round(
        setting_, round.number,
        [&] {
          check_mpi(MPI_Improbe(step.source, tag_, communicator_, &found, &message, &status),
                    "MPI_Improbe");
          return found != 0;
        },
        [&] { return std::vector<int>{step.source}; });
    MPI_Count bytes = 0;
    check_mpi(MPI_Get_elements_x(&status, MPI_BYTE, &bytes), "MPI_Get_elements_x");
    step.incoming.clear();
    if (bytes > 0) step.incoming.announce(step.source, static_cast<std::size_t>(bytes));
    step.incoming.arrange();
    const ByteBlock block(static_cast<std::size_t>(bytes));
    std::byte* const place = bytes > 0 ? step.incoming.row(step.source) : nullptr;
    check_mpi(MPI_Imrecv(place, block.count(), block.type(), &message, receives_.add(step.source)),
              "MPI_Imrecv");
    wait_in_round(
        setting_, round.number, [&] { return receives_.test(); },
        [&] { return receives_.late_peers(); });
  }

  SparseSetting setting_;
  MPI_Comm communicator_;
  int tag_;
  int rank_, size_;
  std::vector<Step> steps_;
  RequestList sends_, receives_;
  std::vector<RoutedRow> arrived_;
};

CostTerms cost_of_hypercube(const PatternShape& shape) {
  const double steps = global_steps_among(shape.ranks);
  double ones = 0.0;  // of all distances
  for (unsigned distance = 1; distance < static_cast<unsigned>(shape.ranks); ++distance) {
    ones += std::popcount(distance);
  }
  const double hops = shape.ranks > 1 ? ones / (shape.ranks - 1) : 0.0;
  const double heads = sizeof(RoutedRow::Head) * shape.peers;
  return {.messages = steps,
          .global_steps = steps,
          .kilobytes = hops * (shape.bytes + heads) / 1e3,
          .copied = (hops + 1.0) * shape.bytes / 1e3};
}

constexpr std::string_view hypercube_aliases[] = {"store and forward", "Bruck", "crystal_router",
                                                  "dimension exchange"};

}  // namespace

const SparseMethodRow sparse_method::hypercube{
    .info =
        {
            .name = "hypercube",
            .description =
                "stored and forwarded in log P steps, each with one message to a known rank",
            .needs = "two_sided",
            .aliases = hypercube_aliases,
        },
    .why_unavailable = needs_messages,
    .make = make_method<Hypercube, SparseMethod>,
    .cost = cost_of_hypercube,
};

}  // namespace sterna::comm
