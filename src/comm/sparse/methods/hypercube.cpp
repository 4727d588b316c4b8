// Idea:
//   Ranks store and forward: in step s each sends one message, 2^s ranks ahead.
//   It holds every row whose way to its destination still has this distance, own ones and others'.
//   Each rank thus receives one message in each step, from a rank that it knows: nobody has to
//     find out who sends.
// Source:
//   The crystal router of Fox et al. (1988) does so along the edges of a hypercube.
//   The distances of Bruck et al. (1997) serve any number of ranks.
// Cost:
//   A round takes log P messages, whatever the number of destinations. Long ones are two.
//   Items travel as often as the distance has binary ones, log P / 2 on average.
//   Memory grows with the rows on the way.
// Hazards:
//   Items are packed and copied at every step.
//   A rank on the way carries the load of others.
// Others:
//   grid has two hops, and more messages.
//   Any direct method wins where rows are long or partners are few: in simulation, with 5 to 14
//     partners on 64 and 256 ranks, all but rma_reserve do.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "comm/context/byte_block.hpp"
#include "comm/context/context_implementation.hpp"
#include "comm/context/mpi_error.hpp"
#include "comm/family/requirements.hpp"
#include "comm/sparse/copy_items.hpp"
#include "comm/sparse/request_list.hpp"
#include "comm/sparse/round_wait.hpp"
#include "comm/sparse/routed_rows.hpp"
#include "comm/sparse/table.hpp"

namespace sterna::comm {

namespace {

// Two tags serve all steps and rounds, one for each of the two messages. The messages from one rank
// belong to one step, since the distances differ, and MPI keeps their order.
class Hypercube final : public SparseMethod {
 public:
  explicit Hypercube(const SparseSetting& setting)
      : setting_(setting),
        communicator_(setting.context.implementation().communicator),
        first_tag_(setting.context.implementation().reserve_tags(2)),
        rank_(setting.context.rank()),
        size_(setting.context.size()) {
    for (int distance = 1; distance < size_; distance *= 2) {
      steps_.push_back({(rank_ + distance) % size_,
                        (rank_ - distance + size_) % size_,
                        RowPacker(setting.item_size),
                        IncomingRows(1),
                        {},
                        {}});
    }
  }

  std::size_t exchange(const OutgoingRound& round, IncomingRows& incoming) override {
    arrived_.clear();
    messages_ = 0;
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
    wait_for(sends_, round);
    return messages_;
  }

 private:
  /// A message has the number of bytes that its sender has for this step, and as many of them as
  /// fit. The rest follows in a message of its own, of which the receiver then knows the length. The
  /// first is below the eager limit of shared-memory transports (4 KiB), so that it leaves without a
  /// handshake.
  static constexpr std::size_t first_message_bytes = 3968;
  using Length = std::uint64_t;
  static constexpr std::size_t first_part = first_message_bytes - sizeof(Length);

  /// The exchange with the ranks at one distance. Its memory holds the rows until the round ends.
  struct Step {
    int target, source;
    RowPacker packer;
    IncomingRows incoming;  ///< of bytes
    std::array<std::byte, first_message_bytes> outbox, inbox;
  };

  /// Gives a row to the step of the lowest binary one of the distance that is left. No step before
  /// it has the row, so the step is still to come.
  void forward(const RoutedRow& row) {
    const auto left = static_cast<unsigned>((row.head.destination - rank_ + size_) % size_);
    Step& step = steps_[static_cast<std::size_t>(std::countr_zero(left))];
    step.packer.add(step.target, row);
  }

  /// Begins to send the rows of a step, of which there may be none.
  void send(Step& step) {
    const std::span<const OutgoingRow> packed = step.packer.pack();
    const Length length = packed.empty() ? 0 : packed[0].count;
    const std::size_t first = std::min<std::size_t>(length, first_part);
    std::memcpy(step.outbox.data(), &length, sizeof length);
    if (first > 0) copy_items(step.outbox.data() + sizeof length, packed[0].items, first);
    check_mpi(MPI_Isend(step.outbox.data(), static_cast<int>(sizeof length + first), MPI_BYTE,
                        step.target, first_tag_, communicator_, sends_.add(step.target)),
              "MPI_Isend");
    ++messages_;
    if (length == first) return;
    const ByteBlock rest(length - first);
    check_mpi(MPI_Isend(packed[0].items + first, rest.count(), rest.type(), step.target,
                        first_tag_ + 1, communicator_, sends_.add(step.target)),
              "MPI_Isend");
    ++messages_;
  }

  void receive(Step& step, const OutgoingRound& round) {
    check_mpi(MPI_Irecv(step.inbox.data(), static_cast<int>(step.inbox.size()), MPI_BYTE,
                        step.source, first_tag_, communicator_, receives_.add(step.source)),
              "MPI_Irecv");
    wait_for(receives_, round);
    Length length = 0;
    std::memcpy(&length, step.inbox.data(), sizeof length);
    step.incoming.clear();
    if (length > 0) step.incoming.announce(step.source, length);
    step.incoming.arrange();
    if (length == 0) return;
    std::byte* const place = step.incoming.row(step.source);
    const std::size_t first = std::min<std::size_t>(length, first_part);
    copy_items(place, step.inbox.data() + sizeof length, first);
    if (length == first) return;
    const ByteBlock rest(length - first);
    check_mpi(MPI_Irecv(place + first, rest.count(), rest.type(), step.source, first_tag_ + 1,
                        communicator_, receives_.add(step.source)),
              "MPI_Irecv");
    wait_for(receives_, round);
  }

  void wait_for(RequestList& requests, const OutgoingRound& round) {
    wait_in_round(
        setting_, round.number, [&] { return requests.test(); },
        [&] { return requests.late_peers(); });
  }

  SparseSetting setting_;
  MPI_Comm communicator_;
  int first_tag_;
  int rank_, size_;
  std::vector<Step> steps_;
  RequestList sends_, receives_;
  std::vector<RoutedRow> arrived_;
  std::size_t messages_ = 0;
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
