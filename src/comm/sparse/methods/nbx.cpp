// Idea:
//   Send synchronously, and receive what a probe finds.
//   A rank whose sends are all matched enters a barrier; when that ends, the round is over.
// Source:
//   It is the nonblocking consensus (NBX) of Hoefler, Siebert and Lumsdaine (PPoPP 2010).
//   The barrier is our own: dissemination_barrier.hpp.
// Cost:
//   A round takes k messages with acknowledgment, and alpha log P.
//   Memory grows with the rank's own messages only.
// Hazards:
//   Rounds must not mix: see the tags below.
//   Messages are received into a staging area and then copied.
// Others:
//   superset wins where the sources are known.
//   alltoall wins where most pairs exchange.

#include <mpi.h>

#include <vector>

#include "comm/context/byte_block.hpp"
#include "comm/context/context_implementation.hpp"
#include "comm/context/dissemination_barrier.hpp"
#include "comm/context/mpi_error.hpp"
#include "comm/family/requirements.hpp"
#include "comm/sparse/arena.hpp"
#include "comm/sparse/copy_items.hpp"
#include "comm/sparse/request_list.hpp"
#include "comm/sparse/round_wait.hpp"
#include "comm/sparse/table.hpp"

namespace sterna::comm {

namespace {

// Two tags, used in turn, keep the rounds apart without a second barrier. To see why, let rank a be
// the first to send with the tag of round i again, in round i+2. It has left round i+1, so every
// rank has entered the barrier of round i+1, so every rank has left round i: no rank probes for
// round i any more, and no probe can take the message for one of round i. Nor can a message of
// round i still be on its way to a probe of round i+2: the barrier of round i was entered only by
// ranks whose synchronous sends of round i had all been matched.
//
// With a single tag the first argument fails: a may be in round i+1 while another rank, which has
// not yet seen the end of the barrier, probes in round i.
class Nbx final : public SparseMethod {
 public:
  explicit Nbx(const SparseSetting& setting)
      : setting_(setting),
        communicator_(setting.context.implementation().communicator),
        first_tag_(setting.context.implementation().reserve_tags(3)),
        barrier_(setting.context, first_tag_ + 2) {}

  std::size_t exchange(const OutgoingRound& round, IncomingRows& incoming) override {
    const int tag = first_tag_ + static_cast<int>(round.number % 2);
    arrivals_.clear();
    staging_.clear();
    for (const OutgoingRow& row : round.rows) {
      const ByteBlock block(row.count * setting_.item_size);
      check_mpi(MPI_Issend(row.items, block.count(), block.type(), row.destination, tag,
                           communicator_, sends_.add(row.destination)),
                "MPI_Issend");
    }
    wait_in_round(
        setting_, round.number,
        [&] {
          receive_what_is_there(tag);
          if (!barrier_.entered()) {
            if (!sends_.test()) return false;
            barrier_.enter();
          }
          return barrier_.test();
        },
        [&] {
          return barrier_.entered() ? std::vector<int>{barrier_.late_peer()} : sends_.late_peers();
        });
    wait_in_round(
        setting_, round.number, [&] { return receives_.test(); },
        [&] { return receives_.late_peers(); });
    for (const Arrival& arrival : arrivals_) {
      incoming.announce(arrival.source, arrival.bytes / setting_.item_size);
    }
    incoming.arrange();
    for (const Arrival& arrival : arrivals_) {
      copy_items(incoming.row(arrival.source), arrival.items, arrival.bytes);
    }
    return round.rows.size();
  }

 private:
  struct Arrival {
    int source;
    std::size_t bytes;
    const std::byte* items;
  };

  void receive_what_is_there(int tag) {
    for (;;) {
      int found = 0;
      MPI_Message message;
      MPI_Status status;
      check_mpi(MPI_Improbe(MPI_ANY_SOURCE, tag, communicator_, &found, &message, &status),
                "MPI_Improbe");
      if (!found) return;
      MPI_Count bytes = 0;
      check_mpi(MPI_Get_elements_x(&status, MPI_BYTE, &bytes), "MPI_Get_elements_x");
      const auto size = static_cast<std::size_t>(bytes);
      std::byte* const items = staging_.take(size);
      arrivals_.push_back({status.MPI_SOURCE, size, items});
      const ByteBlock block(size);
      // MPI_Imrecv is used instead of MPI_Mrecv, so that other messages are received during a long
      // one.
      check_mpi(MPI_Imrecv(items, block.count(), block.type(), &message,
                           receives_.add(status.MPI_SOURCE)),
                "MPI_Imrecv");
    }
  }

  SparseSetting setting_;
  MPI_Comm communicator_;
  int first_tag_;
  DisseminationBarrier barrier_;
  RequestList sends_, receives_;
  std::vector<Arrival> arrivals_;
  Arena staging_;
};

CostTerms cost_of_nbx(const PatternShape& shape) {
  return {.messages = shape.peers,
          .round_trips = shape.peers > 0.0 ? 1.0 : 0.0,
          .global_steps = global_steps_among(shape.ranks),
          .kilobytes = shape.bytes / 1e3,
          .copied = 2.0 * shape.bytes / 1e3};
}

constexpr std::string_view nbx_aliases[] = {
    "consensus", "nonblocking consensus", "ibarrier", "DSDE", "SPARSE", "alltoallv_sparse"};

}  // namespace

const SparseMethodRow sparse_method::nbx{
    .info =
        {
            .name = "nbx",
            .description =
                "synchronous sends, probes, and a non-blocking barrier that ends the round",
            .needs = "two_sided",
            .aliases = nbx_aliases,
        },
    .why_unavailable = needs_messages,
    .make = make_method<Nbx, SparseMethod>,
    .cost = cost_of_nbx,
    .first_choice = {1,
                     "any rank may be a source, so cost and memory should grow with the messages "
                     "sent, not with the number of ranks"},
};

}  // namespace sterna::comm
