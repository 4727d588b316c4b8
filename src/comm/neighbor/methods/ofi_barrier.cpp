// Idea:
//   It is rdma_barrier by libfabric: items are put into the peer's registered memory, and a barrier
//     ends the round once all puts have arrived.
// Source:
//   It is uTofu put with a barrier on Wisteria-O (row RDMA), on the networks of libfabric.
// Cost:
//   A round takes one put for each link, whose completion tells that it has arrived, and a barrier
//     of
//     log2(ranks) notices.
//   The order of puts is not asked for, so providers with and without it do the same.
// Hazards:
//   The barrier couples all ranks, also those that are no neighbors.
//   Over TCP and in shared memory puts and barrier need the help of ranks that compute.
//   One-way links need no notice back, as the barrier is one.
// Others:
//   ofi_double_buffer wins with few neighbors; the barrier costs the same for any number.

#include "comm/family/requirements.hpp"
#include "comm/neighbor/put_with_barrier.hpp"
#include "comm/neighbor/table.hpp"
#include "comm/transport/ofi/transport.hpp"

namespace sterna::comm {
namespace {

constexpr std::string_view ofi_barrier_aliases[] = {"libfabric put+barrier", "libfabric_barrier"};

}  // namespace

const NeighborMethodRow neighbor_method::ofi_barrier{
    .info =
        {
            .name = "ofi_barrier",
            .description = "libfabric put, and a barrier of all ranks ends the round",
            .needs = "ofi",
            .aliases = ofi_barrier_aliases,
            .traits = {.names_late_rank = false, .ends_together = true},
        },
    .why_unavailable = needs_ofi,
    .make = make_method<PutWithBarrier<ofi::Transport>, NeighborMethod>,
    .cost = cost_of_put_with_barrier,
    .races = Races::between_nodes,
};

}  // namespace sterna::comm
