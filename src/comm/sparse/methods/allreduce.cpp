// Idea:
//   A census by Allreduce says how many messages come to each rank; they are sent meanwhile.
// Source:
//   It is the allreduce variant of PETSc's PetscCommBuildTwoSided.
//   MPI Advance has it as the personalized census.
// Cost:
//   A round takes k messages, alpha log P, and 4 P log P bytes.
//   Memory grows with P: two words a rank.
// Hazards:
//   Every rank gets the numbers of all, which makes it slow on many ranks.
// Others:
//   reduce_scatter wins: it sends each rank its own number only.
//   nbx has no vector of P words.

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

class Allreduce final : public SparseMethod {
 public:
  explicit Allreduce(const SparseSetting& setting)
      : setting_(setting),
        messages_(setting_),
        outgoing_(static_cast<std::size_t>(setting.context.size())),
        incoming_(outgoing_.size()) {}

  std::size_t exchange(const OutgoingRound& round, IncomingRows& incoming) override {
    messages_.send(round);
    for (const OutgoingRow& row : round.rows) outgoing_[row.destination] = 1;
    MPI_Request request;
    check_mpi(MPI_Iallreduce(outgoing_.data(), incoming_.data(), setting_.context.size(), MPI_INT,
                             MPI_SUM, setting_.context.implementation().communicator, &request),
              "MPI_Iallreduce");
    wait_for_request(setting_.context.implementation(), request, setting_.exchange_name,
                     setting_.method_name, round.number);
    for (const OutgoingRow& row : round.rows) outgoing_[row.destination] = 0;
    messages_.receive(round, incoming_[setting_.context.rank()], incoming);
    return round.rows.size() + 1;
  }

 private:
  SparseSetting setting_;
  CountedMessages messages_;
  std::vector<int> outgoing_;  ///< 1 for ranks to which this rank sends; all 0 between rounds
  std::vector<int> incoming_;  ///< number of messages to each rank
};

CostTerms cost_of_allreduce(const PatternShape& shape) {
  return {.messages = shape.peers,
          .global_steps = global_steps_among(shape.ranks),
          .kilobytes = (shape.bytes + 4.0 * shape.ranks * global_steps_among(shape.ranks)) / 1e3,
          .copied = shape.bytes / 1e3};
}

constexpr std::string_view allreduce_aliases[] = {"census", "personalized census", "PERSONALIZED"};

}  // namespace

const SparseMethodRow sparse_method::allreduce{
    .info =
        {
            .name = "allreduce",
            .description =
                "the number of messages to each rank by Allreduce, then sends and receives",
            .needs = "two_sided",
            .aliases = allreduce_aliases,
            .traits = {.names_late_rank = false},
        },
    .why_unavailable = needs_messages,
    .make = make_method<Allreduce, SparseMethod>,
    .cost = cost_of_allreduce,
};

}  // namespace sterna::comm
