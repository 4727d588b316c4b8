// Idea:
//   Items are put into the peer's registered memory, and a notice follows behind a fence.
//   Two buffers in turn replace acknowledgments.
// Source:
//   QWS has it as rdma_comlib_2buf.
//   Put with double buffering was measured beside Isend on Fugaku and Wisteria-O.
// Cost:
//   A round takes two puts for each link and one fence; no matching, no rendezvous, no barrier.
//   In a node a put is a copy by this processor, and the fence falls away.
// Hazards:
//   One-way links would overrun their receiver, so it sends a notice back (neighbor/inboxes.hpp).
//   Over TCP a put needs the target's help: a rank that computes long delays those that wait.
// Others:
//   shm_direct wins in a node: it has no copy out of the outbox.
//   p2p wins over TCP with UCX 1.13.

#include "comm/family/requirements.hpp"
#include "comm/neighbor/put_with_notice.hpp"
#include "comm/neighbor/table.hpp"
#include "comm/transport/rdma/transport.hpp"

namespace sterna::comm {
namespace {

constexpr std::string_view rdma_double_buffer_aliases[] = {"RDMA_DB", "notified put",
                                                           "put with notice", "rdma_comlib_2buf"};

}  // namespace

const NeighborMethodRow neighbor_method::rdma_double_buffer{
    .info =
        {
            .name = "rdma_double_buffer",
            .description = "UCX put with a notice into two buffers in turn, no barrier",
            .needs = "rdma",
            .aliases = rdma_double_buffer_aliases,
            .traits = {.one_way_takes_notice = true, .ends_together = true},
        },
    .why_unavailable = needs_rdma,
    .make = make_method<PutWithNotice<rdma::Transport>, NeighborMethod>,
    .cost = cost_of_put_with_notice,
    .first_choice = {2, "peers on other nodes, and UCX works"},
};

}  // namespace sterna::comm
