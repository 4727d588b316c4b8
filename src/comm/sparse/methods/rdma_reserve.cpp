// Idea:
//   A fetching addition reserves a part of the receiver's buffer, and the items are put there.
//   Then comes a barrier.
// Source:
//   It is Susukita's particle exchange on ACP.
//   Gerstenberger, Besta and Hoefler (SC 2013) describe it for MPI.
// Cost:
//   All reservations together take one round trip, a message takes a put and its trailer.
//   Nothing is matched in the barrier: a counter in the node, log nodes puts beyond.
//   Memory grows with what is received in a round (twice) and with the ranks of the node and those
//     sent to, not with all.
// Hazards:
//   A buffer that is too small costs the round twice: all agree, it grows, all is sent again.
//   Buffers never shrink.
//   Over TCP atomics and puts need the target's help.
// Others:
//   superset wins where the sources are few and known.
//   alltoall wins where most pairs exchange.

#include <span>
#include <string>

#include "comm/family/requirements.hpp"
#include "comm/sparse/reserve_and_put.hpp"
#include "comm/sparse/table.hpp"
#include "comm/transport/rdma/transport.hpp"

namespace sterna::comm {

namespace {

std::string why_no_rdma_reserve(const Context& context, std::span<const int> peers) {
  if (context.node_count() == 1 && shares_memory(context)) return {};
  return needs_rdma(context, peers);
}

constexpr std::string_view rdma_reserve_aliases[] = {"ACP", "one-sided ACP", "reserve and put"};

}  // namespace

const SparseMethodRow sparse_method::rdma_reserve{
    .info =
        {
            .name = "rdma_reserve",
            .description = "a part of the receiver's buffer reserved by UCX atomics, then puts; "
                           "one-sided barrier",
            .needs = "shm on one node, rdma beyond",
            .aliases = rdma_reserve_aliases,
            .traits = {.ends_together = true},
        },
    .why_unavailable = why_no_rdma_reserve,
    .make = make_method<ReserveAndPut<rdma::Transport>, SparseMethod>,
    .cost = cost_of_reserve_and_put,
};

}  // namespace sterna::comm
