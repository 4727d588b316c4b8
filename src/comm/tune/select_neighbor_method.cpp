#include "comm/tune/select_neighbor_method.hpp"

#include <fmt/format.h>

#include "comm/context/agreement.hpp"
#include "comm/neighbor/table.hpp"
#include "comm/tune/candidates.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {

/// A round takes microseconds and there is one in every step, so much can be measured: some 650
/// rounds of the best, 14 of those that take four times as long.
const TuningRules neighbor_tuning{
    .rounds_before = 16,
    .race = {.warm_up = 6,
             .untimed = 2,
             .stages = {{1, 8, 4.0}, {2, 12, 2.0}, {3, 24, 1.35}, {4, 32, 1.12}, {10, 40, 1.03}},
             .keep_incumbent = 1.03},
    .rounds_between_looks = 4096,
    .race_us = 20e3,
    .largest_loss = 0.1,
};

NeighborSelection select_neighbor_method(const Context& context,
                                         std::span<const NeighborPattern::Peer> peers,
                                         const NeighborOptions& options) {
  Context::Implementation& implementation = context.implementation();
  const auto table = neighbor_method_table();
  const auto index_of = [&](std::string_view method) {
    return static_cast<std::size_t>(&find_neighbor_method(method) - table.data());
  };
  std::size_t named = table.size();
  std::string fault;
  try {
    if (options.method != "auto") named = index_of(options.method);
  } catch (const Error& error) {
    fault = error.what();
  }
  agree_on_method(implementation, fault, named, options.method, options.name);

  if (named < table.size()) {
    const NeighborMethodRow& row = table[named];
    fault = row.why_unavailable(context, peers);
    if (!fault.empty()) {
      fault = fmt::format("neighbor method {} does not work here: {}", row.info.name, fault);
    }
    agree_on_method(implementation, fault, named, options.method, options.name);
    return {named, "named by the caller", {}};
  }

  std::vector<std::string> reasons;
  for (const NeighborMethodRow& row : table) {
    reasons.push_back(row.why_unavailable(context, peers));
  }
  reasons = agree_on_reasons(implementation, reasons, options.name);
  // A race of a method with itself would be decided by chance.
  std::string& why_no_hybrid = reasons[index_of("hybrid")];
  if (why_no_hybrid.empty() && reasons[index_of("shm_direct")].empty()) {
    why_no_hybrid = "all peers are on one node, where it is shm_direct with a detour";
  }
  NeighborSelection selection{
      index_of("p2p"), "neither shared memory nor UCX serves this pattern", {}};
  const std::pair<std::string_view, std::string_view> usual_winners[] = {
      {"shm_direct", "all peers are on one node"},
      {"rdma_double_buffer", "peers on other nodes, and UCX works"},
  };
  for (const auto& [method, reason] : usual_winners) {
    if (!reasons[index_of(method)].empty()) continue;
    selection.method = index_of(method);
    selection.reason = reason;
    break;
  }
  if (!implementation.options.tuning.enabled) {
    selection.reason = fmt::format("auto: {}; not measured, tuning is off", selection.reason);
    return selection;
  }
  for (std::size_t i = 0; i < table.size(); ++i) {
    selection.candidates.push_back({table[i].info.name, table[i].cost, reasons[i]});
  }
  return selection;
}

}  // namespace sterna::comm
