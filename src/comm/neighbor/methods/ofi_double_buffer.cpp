// Idea:
//   It is rdma_double_buffer by libfabric: items are put into the peer's registered memory, and a
//     notice, an atomic store, follows behind a fence.
//   Two buffers in turn replace acknowledgments.
// Source:
//   UCX has no transport for Slingshot (Frontier, Aurora, LUMI, ARCHER2); libfabric has.
//   Where a provider promises no order, it takes from OpenSHMEM over libfabric that a fence waits
//     for the completions at the target.
// Cost:
//   A round takes two puts for each link; no matching, no rendezvous, no barrier.
//   Without order (transport/ofi/worker.hpp) a notice leaves only after the answer to its items.
// Hazards:
//   One-way links would overrun their receiver, so it sends a notice back (neighbor/inboxes.hpp).
//   Over TCP and in shared memory a put needs the target's help: a rank that computes long delays
//     those that wait.
//   A notice that waits for an answer leaves in a wait of its sender, not while that computes.
// Others:
//   shm_direct wins in a node.
//   rdma_double_buffer wins where UCX knows the network: it orders puts by the connection, and
//     stores
//     into the memory of the node.

#include "comm/family/requirements.hpp"
#include "comm/neighbor/put_with_notice.hpp"
#include "comm/neighbor/table.hpp"
#include "comm/transport/ofi/transport.hpp"

namespace sterna::comm {
namespace {

constexpr std::string_view ofi_double_buffer_aliases[] = {"libfabric put with notice",
                                                          "libfabric_double_buffer"};

}  // namespace

const NeighborMethodRow neighbor_method::ofi_double_buffer{
    .info =
        {
            .name = "ofi_double_buffer",
            .description = "libfabric put with a notice into two buffers in turn, no barrier",
            .needs = "ofi",
            .aliases = ofi_double_buffer_aliases,
            .traits = {.one_way_takes_notice = true, .ends_together = true},
        },
    .why_unavailable = needs_ofi,
    .make = make_method<PutWithNotice<ofi::Transport>, NeighborMethod>,
    .cost = cost_of_put_with_notice,
    .first_choice = {2, "peers on other nodes, and libfabric works"},
    .races = Races::between_nodes,
};

}  // namespace sterna::comm
