#include "comm/neighbor/select.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "comm/context/agreement.hpp"
#include "comm/family/agreement.hpp"
#include "comm/neighbor/table.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {

/// A round takes microseconds, and there is one in every step, so much can be measured: about 650
/// rounds of the best method, 14 of methods that take four times as long.
const TuningRules neighbor_tuning{
    .rounds_before = 16,
    .race = {.warm_up = 6,
             .untimed = 2,
             .stages = {{1, 8, 4.0}, {2, 12, 2.0}, {3, 24, 1.35}, {4, 32, 1.12}, {6, 40, 1.03}},
             .keep_incumbent = 1.03},
    .rounds_between_looks = 4096,
    .race_us = 20e3,
    .largest_loss = 0.1,
    .part_of_program = 0.1,
};

Selection select_neighbor_method(const Context& context,
                                 std::span<const NeighborPattern::Peer> peers,
                                 const NeighborOptions& options) {
  Context::Implementation& implementation = context.implementation();
  const auto& table = neighbor_method_table();
  std::vector<int> ranks;
  for (const NeighborPattern::Peer& peer : peers) ranks.push_back(peer.rank);
  std::size_t named = table.size();
  std::string fault;
  try {
    if (options.method != "auto") named = table.index_of(options.method);
  } catch (const Error& error) {
    fault = error.what();
  }
  agree_on_method(implementation, fault, named, options.method, options.name);

  if (named < table.size()) {
    const NeighborMethodRow& row = table[named];
    fault = row.why_unavailable(context, ranks);
    if (!fault.empty()) {
      fault = fmt::format("neighbor method {} does not work here: {}", row.info.name, fault);
    }
    agree_on_method(implementation, fault, named, options.method, options.name);
    return {named, "named by the caller"};
  }

  std::vector<std::string> reasons = reasons_of(table, context, [&](const NeighborMethodRow& row) {
    return row.why_unavailable(context, ranks);
  });
  reasons = agree_on_reasons(implementation, reasons, options.name);
  return select_automatically(table, std::move(reasons), implementation.options.tuning.enabled);
}

}  // namespace sterna::comm
