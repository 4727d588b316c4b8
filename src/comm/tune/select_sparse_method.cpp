#include "comm/tune/select_sparse_method.hpp"

#include <fmt/format.h>

#include "comm/context/context_implementation.hpp"
#include "comm/sparse/table.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {

/// Rounds are rare beside those of a neighbor exchange (a migration every ten or twenty steps) and
/// take longer, so fewer must do. Those that are nearly alike run for longer at a time: only then
/// do methods show that let a rank go on before the others, and rounds of many sizes average out.
/// Those that are fast once they are warm take longest to become so: after 8 rounds `rdma_reserve`
/// was dropped that wins.
const TuningRules sparse_tuning{
    .rounds_before = 8,
    .race = {.warm_up = 16,
             .untimed = 1,
             .stages = {{1, 4, 5.0}, {2, 6, 2.2}, {3, 8, 1.5}, {4, 16, 1.15}, {4, 48, 1.03}},
             .keep_incumbent = 1.03},
    .rounds_between_looks = 512,
    .race_us = 20e3,
    .largest_loss = 0.1,
};

namespace {

/// Why the method cannot serve this exchange, in this context or with what is known of it.
std::string why_not(const Context& context, const SparseOptions& options,
                    const SparseMethodRow& row) {
  if (row.needs_possible_sources && !options.possible_sources) {
    return "needs possible_sources, the ranks that may send to this one";
  }
  return row.why_unavailable(context);
}

}  // namespace

SparseSelection select_sparse_method(const Context& context, const SparseOptions& options) {
  const auto table = sparse_method_table();
  const auto index_of = [&](std::string_view method) {
    return static_cast<std::size_t>(&find_sparse_method(method) - table.data());
  };
  if (options.method != "auto") {
    const SparseMethodRow& row = find_sparse_method(options.method);
    if (const std::string why = row.why_unavailable(context); !why.empty()) {
      throw Error(fmt::format("{}: sparse method {} does not work here: {}", options.name,
                              row.info.name, why));
    }
    if (const std::string why = why_not(context, options, row); !why.empty()) {
      throw Error(fmt::format("{}: sparse method {} {}", options.name, row.info.name, why));
    }
    return {index_of(options.method), "named by the caller", {}};
  }
  SparseSelection selection =
      options.possible_sources
          ? SparseSelection{index_of("superset"),
                            fmt::format("the possible sources are known ({} ranks), so no "
                                        "collective",
                                        options.possible_sources->size()),
                            {}}
          : SparseSelection{index_of("nbx"),
                            "any rank may be a source, so cost and memory should grow with the "
                            "messages sent, not with the number of ranks",
                            {}};
  if (!context.implementation().options.tuning.enabled) {
    selection.reason = fmt::format("auto: {}; not measured, tuning is off", selection.reason);
    return selection;
  }
  for (const SparseMethodRow& row : table) {
    selection.candidates.push_back({row.info.name, row.cost, why_not(context, options, row)});
  }
  return selection;
}

}  // namespace sterna::comm
