// Idea:
//   Items are put into the peer's registered memory and flushed, and a barrier ends the round.
// Source:
//   It is uTofu put with a barrier on Wisteria-O (row RDMA).
// Cost:
//   A round takes one put and one flush for each link, and a barrier of log2(ranks) notices.
//   Two buffers take turns: the barrier of round r tells that all have given up their inbox of
//     round r-1, which round r+1 overwrites.
//   With one buffer two barriers would be needed.
// Hazards:
//   The barrier couples all ranks, also those that are no neighbors.
//   Over TCP flush and barrier need the help of ranks that compute.
//   One-way links need no notice back, as the barrier is one.
// Others:
//   rdma_double_buffer wins with few neighbors; the barrier costs the same for any number.

#include "comm/family/requirements.hpp"
#include "comm/neighbor/put_with_barrier.hpp"
#include "comm/neighbor/table.hpp"
#include "comm/transport/rdma/transport.hpp"

namespace sterna::comm {
namespace {

constexpr std::string_view rdma_barrier_aliases[] = {"RDMA", "put+barrier"};

}  // namespace

const NeighborMethodRow neighbor_method::rdma_barrier{
    .info =
        {
            .name = "rdma_barrier",
            .description = "UCX put, and a barrier of all ranks ends the round",
            .needs = "rdma",
            .aliases = rdma_barrier_aliases,
            .traits = {.names_late_rank = false, .ends_together = true},
        },
    .why_unavailable = needs_rdma,
    .make = make_method<PutWithBarrier<rdma::Transport>, NeighborMethod>,
    .cost = cost_of_put_with_barrier,
};

}  // namespace sterna::comm
