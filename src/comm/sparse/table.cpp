#include "comm/sparse/table.hpp"

#include <vector>

#include "comm/sparse/methods/allreduce.hpp"
#include "comm/sparse/methods/alltoall.hpp"
#include "comm/sparse/methods/grid.hpp"
#include "comm/sparse/methods/nbx.hpp"
#include "comm/sparse/methods/rdma_reserve.hpp"
#include "comm/sparse/methods/reduce_scatter.hpp"
#include "comm/sparse/methods/rma_reserve.hpp"
#include "comm/sparse/methods/superset.hpp"
#include "comm/sparse/methods/two_level.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::comm {

namespace {

std::string always_available(const Context&) {
  return {};
}

constexpr bool ends_together = true;
constexpr bool ends_alone = false;

const SparseMethodRow table[] = {
    {{"alltoall", "counts to everyone by Alltoall, then the data pair by pair", "two_sided"},
     false,
     always_available,
     make_alltoall,
     cost_of_alltoall,
     ends_alone},
    {{"allreduce", "the number of messages to each rank by Allreduce, then sends and receives",
      "two_sided"},
     false,
     always_available,
     make_allreduce,
     cost_of_allreduce,
     ends_alone},
    {{"nbx", "synchronous sends, probes, and a non-blocking barrier that ends the round",
      "two_sided"},
     false,
     always_available,
     make_nbx,
     cost_of_nbx,
     ends_alone},
    {{"reduce_scatter",
      "the number of messages to this rank by Reduce_scatter, then sends and receives",
      "two_sided"},
     false,
     always_available,
     make_reduce_scatter,
     cost_of_reduce_scatter,
     ends_alone},
    {{"rma_reserve",
      "room reserved in the receiver's window by Fetch_and_op, then Put, flush, barrier", "rma"},
     false,
     why_rma_reserve_unavailable,
     make_rma_reserve,
     cost_of_rma_reserve,
     ends_together},
    {{"rdma_reserve", "room reserved at the receiver by UCX atomics, then puts; one-sided barrier",
      "shm on one node, rdma beyond"},
     false,
     why_rdma_reserve_unavailable,
     make_rdma_reserve,
     cost_of_rdma_reserve,
     ends_together},
    {{"superset", "a count to each possible source, small payloads with it; no collective",
      "two_sided, possible_sources"},
     true,
     always_available,
     make_superset,
     cost_of_superset,
     ends_alone},
    {{"two_level", "collected in the node, one message for each pair of nodes, spread in the node",
      "two_sided"},
     false,
     always_available,
     make_two_level,
     cost_of_two_level,
     ends_alone},
    {{"grid", "two hops over a near-square grid of ranks, along its rows, then its columns",
      "two_sided"},
     false,
     always_available,
     make_grid,
     cost_of_grid,
     ends_alone},
};

}  // namespace

std::span<const SparseMethodRow> sparse_method_table() {
  return table;
}

const SparseMethodRow& find_sparse_method(std::string_view name) {
  std::vector<std::string_view> names{"auto"};
  for (const SparseMethodRow& row : table) {
    if (row.info.name == name) return row;
    names.push_back(row.info.name);
  }
  throw Error(unknown_name_message("sparse method", name, names));
}

std::span<const MethodInfo> sparse_methods() {
  static const std::vector<MethodInfo> infos = [] {
    std::vector<MethodInfo> rows;
    for (const SparseMethodRow& row : table) rows.push_back(row.info);
    return rows;
  }();
  return infos;
}

std::string why_sparse_method_unavailable(const Context& context, std::string_view method) {
  if (method == "auto") return {};
  return find_sparse_method(method).why_unavailable(context);
}

}  // namespace sterna::comm
