// Idea: a Reduce_scatter tells each rank how many messages come to it; they are sent meanwhile.
// Paper: personalized census (PCX) in Hoefler, Siebert, Lumsdaine, PPoPP 2010, section 3.
// Cost: k messages + alpha log P + 4 P bytes; memory grows with P (one word a rank).
// Hazards: a global synchronization; each rank fills a vector of P words.
// Another wins: superset where the sources are known; nbx and rdma_reserve on very many ranks.
#include "comm/sparse/methods/reduce_scatter.hpp"

#include <mpi.h>

#include <vector>

#include "comm/context/context_implementation.hpp"
#include "comm/context/mpi_error.hpp"
#include "comm/context/waiter.hpp"
#include "comm/sparse/counted_messages.hpp"

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
    wait_for_request(setting_.context.implementation(), request, setting_.exchange, setting_.method,
                     round.number);
    for (const OutgoingRow& row : round.rows) outgoing_[row.destination] = 0;
    messages_.receive(round, count, incoming);
    return round.rows.size() + 1;
  }

 private:
  SparseSetting setting_;
  CountedMessages messages_;
  std::vector<int> outgoing_;  ///< 1 where this rank sends; all 0 between rounds
};

}  // namespace

std::unique_ptr<SparseMethod> make_reduce_scatter(const SparseSetting& setting) {
  return std::make_unique<ReduceScatter>(setting);
}

CostTerms cost_of_reduce_scatter(const PatternShape& shape) {
  return {.messages = shape.peers,
          .global_steps = global_steps_among(shape.ranks),
          .kilobytes = (shape.bytes + 4.0 * shape.ranks) / 1e3,
          .copied = shape.bytes / 1e3};
}

}  // namespace sterna::comm
