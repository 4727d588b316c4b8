#include "comm/sparse/select.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "comm/context/context_implementation.hpp"
#include "comm/sparse/table.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {

/// Rounds are rare compared with those of a neighbor exchange (a migration every ten or twenty
/// steps) and take longer, so a race has fewer of them. Methods of nearly the same speed run for
/// longer at a time. Only then does it show which methods let a rank go on before the others, and
/// rounds of many sizes average out. Methods that are fast once warm take longest to warm up: after
/// 8 rounds `rdma_reserve` was dropped, although it wins.
const TuningRules sparse_tuning{
    .rounds_before = 8,
    .race = {.warm_up = 16,
             .untimed = 1,
             .stages = {{1, 4, 5.0}, {2, 6, 2.2}, {3, 8, 1.5}, {4, 16, 1.15}, {4, 48, 1.03}},
             .keep_incumbent = 1.03},
    .rounds_between_looks = 512,
    .race_us = 20e3,
    .largest_loss = 0.1,
    .part_of_program = 0.1,
};

namespace {

/// Returns why the method cannot serve this exchange, in this context or because of its options.
std::string why_not(const Context& context, const SparseOptions& options,
                    const SparseMethodRow& row) {
  if (row.info.traits.needs_possible_sources && !options.possible_sources) {
    return "needs possible_sources, the ranks that may send to this one";
  }
  return row.why_unavailable(context, {});
}

}  // namespace

Selection select_sparse_method(const Context& context, const SparseOptions& options) {
  const auto& table = sparse_method_table();
  if (options.method != "auto") {
    const std::size_t named = table.index_of(options.method);
    const SparseMethodRow& row = table[named];
    if (const std::string why = row.why_unavailable(context, {}); !why.empty()) {
      throw Error(fmt::format("{}: sparse method {} does not work here: {}", options.name,
                              row.info.name, why));
    }
    if (const std::string why = why_not(context, options, row); !why.empty()) {
      throw Error(fmt::format("{}: sparse method {} {}", options.name, row.info.name, why));
    }
    return {named, "named by the caller"};
  }
  std::vector<std::string> reasons = reasons_of(
      table, context, [&](const SparseMethodRow& row) { return why_not(context, options, row); });
  return select_automatically(table, std::move(reasons),
                              context.implementation().options.tuning.enabled);
}

}  // namespace sterna::comm
