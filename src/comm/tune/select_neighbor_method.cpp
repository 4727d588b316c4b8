#include "comm/tune/select_neighbor_method.hpp"

#include <fmt/format.h>

#include "comm/context/agreement.hpp"
#include "comm/neighbor/table.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {
namespace {

/// Position in the table; the table's length for "auto".
std::int64_t index_of(std::string_view method) {
  const auto table = neighbor_method_table();
  if (method == "auto") return static_cast<std::int64_t>(table.size());
  return &find_neighbor_method(method) - table.data();
}

}  // namespace

NeighborSelection select_neighbor_method(const Context& context,
                                         std::span<const NeighborPattern::Peer> peers,
                                         const NeighborOptions& options) {
  Context::Implementation& implementation = context.implementation();
  std::int64_t index = -1;
  std::string fault;
  try {
    index = index_of(options.method);
  } catch (const Error& error) {
    fault = error.what();
  }
  const auto throw_if_any = [&] {
    const std::string agreed = agree_on_reason(implementation, fault, options.name);
    if (!agreed.empty()) {
      throw Error(fmt::format("{}: {}", options.name, fault.empty() ? agreed : fault));
    }
  };
  throw_if_any();
  const std::int64_t highest = largest(implementation, index, options.name);
  const std::int64_t lowest = -largest(implementation, -index, options.name);
  if (highest != lowest) {
    throw Error(fmt::format("{}: the ranks name different methods ({} on rank {})", options.name,
                            options.method, context.rank()));
  }

  if (options.method != "auto") {
    const NeighborMethodRow& row = find_neighbor_method(options.method);
    fault = row.why_unavailable(context, peers);
    if (!fault.empty()) {
      fault = fmt::format("neighbor method {} does not work here: {}", row.info.name, fault);
    }
    throw_if_any();
    return {row.info.name, "named by the caller"};
  }

  const std::pair<std::string_view, std::string_view> usual_winners[] = {
      {"shm_direct", "all peers are on one node; not measured"},
      {"rdma_double_buffer", "peers on other nodes, and UCX works; not measured"},
  };
  for (const auto& [method, reason] : usual_winners) {
    const NeighborMethodRow& row = find_neighbor_method(method);
    if (agree_on_reason(implementation, row.why_unavailable(context, peers), options.name)
            .empty()) {
      return {row.info.name, fmt::format("auto: {}", reason)};
    }
  }
  return {find_neighbor_method("p2p").info.name,
          "auto: neither shared memory nor UCX serves this pattern; not measured"};
}

}  // namespace sterna::comm
