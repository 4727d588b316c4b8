// Idea:
//   It is rdma_reserve by libfabric: a fetching addition reserves a part of the receiver's buffer,
//     and
//     the items are put there.
//   Then comes a barrier.
// Source:
//   It is Susukita's particle exchange on ACP, on the networks of libfabric.
// Cost:
//   It costs what rdma_reserve costs.
//   Without order (transport/ofi/worker.hpp) a trailer leaves only after the answer to its items,
//     one
//     round trip more.
// Hazards:
//   They are those of rdma_reserve.
//   Additions are atomic among those by libfabric only, so no other transport may add to the word.
// Others:
//   rdma_reserve wins where UCX knows the network.
//   superset wins where the sources are few and known.

#include <span>
#include <string>

#include "comm/family/requirements.hpp"
#include "comm/sparse/reserve_and_put.hpp"
#include "comm/sparse/table.hpp"
#include "comm/transport/ofi/transport.hpp"

namespace sterna::comm {

namespace {

std::string why_no_ofi_reserve(const Context& context, std::span<const int> peers) {
  if (context.node_count() == 1 && shares_memory(context)) return {};
  return needs_ofi(context, peers);
}

constexpr std::string_view ofi_reserve_aliases[] = {"libfabric_reserve",
                                                    "libfabric reserve and put"};

}  // namespace

const SparseMethodRow sparse_method::ofi_reserve{
    .info =
        {
            .name = "ofi_reserve",
            .description =
                "a part of the receiver's buffer reserved by libfabric atomics, then puts; "
                "one-sided barrier",
            .needs = "shm on one node, ofi beyond",
            .aliases = ofi_reserve_aliases,
            .traits = {.ends_together = true},
        },
    .why_unavailable = why_no_ofi_reserve,
    .make = make_method<ReserveAndPut<ofi::Transport>, SparseMethod>,
    .cost = cost_of_reserve_and_put,
    .races = Races::between_nodes,
};

}  // namespace sterna::comm
