// Idea:
//   A Reduce_scatter tells each rank how many messages come to it; they are sent meanwhile.
// Source:
//   It is the personalized census (PCX) of Hoefler, Siebert and Lumsdaine (PPoPP 2010, section 3).
// Cost:
//   A round takes k messages, alpha log P, and 4 P bytes.
//   Memory grows with P: one word a rank.
// Hazards:
//   It synchronizes all ranks.
//   Each rank fills a vector of P words.
// Others:
//   superset wins where the sources are known.
//   nbx and rdma_reserve win on very many ranks.

#include <mpi.h>

#include <vector>

#include "comm/context/context_implementation.hpp"
#include "comm/context/mpi_error.hpp"
#include "comm/context/waiter.hpp"
#include "comm/family/requirements.hpp"
#include "comm/sparse/counted_messages.hpp"
#include "comm/sparse/table.hpp"

namespace sterna::comm {

namespace {

class ReduceScatter final : public SparseMethod {
 public:
  explicit ReduceScatter(const SparseSetting& setting)
      : setting_(setting),
        messages_(setting_),
        outgoing_(static_cast<std::size_t>(setting.context.size())) {}

  std::size_t exchange(const OutgoingRound& round, IncomingRows& incoming) override {
    messages_.send(round);
    for (const OutgoingRow& row : round.rows) outgoing_[row.destination] = 1;
    int count = 0;
    MPI_Request request;
    check_mpi(MPI_Ireduce_scatter_block(outgoing_.data(), &count, 1, MPI_INT, MPI_SUM,
                                        setting_.context.implementation().communicator, &request),
              "MPI_Ireduce_scatter_block");
    wait_for_request(setting_.context.implementation(), request, setting_.exchange_name,
                     setting_.method_name, round.number);
    for (const OutgoingRow& row : round.rows) outgoing_[row.destination] = 0;
    messages_.receive(round, count, incoming);
    return round.rows.size() + 1;
  }

 private:
  SparseSetting setting_;
  CountedMessages messages_;
  std::vector<int> outgoing_;  ///< 1 for ranks to which this rank sends; all 0 between rounds
};

CostTerms cost_of_reduce_scatter(const PatternShape& shape) {
  return {.messages = shape.peers,
          .global_steps = global_steps_among(shape.ranks),
          .kilobytes = (shape.bytes + 4.0 * shape.ranks) / 1e3,
          .copied = shape.bytes / 1e3};
}

constexpr std::string_view reduce_scatter_aliases[] = {"PCX", "personalized census", "redscatter",
                                                       "Reduce_scatter_block"};

}  // namespace

const SparseMethodRow sparse_method::reduce_scatter{
    .info =
        {
            .name = "reduce_scatter",
            .description =
                "the number of messages to this rank by Reduce_scatter, then sends and receives",
            .needs = "two_sided",
            .aliases = reduce_scatter_aliases,
            .traits = {.names_late_rank = false},
        },
    .why_unavailable = needs_messages,
    .make = make_method<ReduceScatter, SparseMethod>,
    .cost = cost_of_reduce_scatter,
};

}  // namespace sterna::comm
