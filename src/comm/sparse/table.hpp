#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "comm/sparse/method.hpp"
#include "comm/tune/cost_terms.hpp"
#include "sterna/comm/methods.hpp"

namespace sterna::comm {

/// A row of the family's table, which the docs, the tests, the benchmark and the selection read.
struct SparseMethodRow {
  MethodInfo info;
  bool needs_possible_sources;
  /// Empty where the method works in this context, otherwise why not.
  std::string (*why_unavailable)(const Context& context);
  /// Collective.
  std::unique_ptr<SparseMethod> (*make)(const SparseSetting& setting);
  /// What a rank does in a round in which it sends to `peers` ranks and as many send to it.
  CostTerms (*cost)(const PatternShape& shape);
  /// Whether the ranks can only end it together, by `SparseMethod::end`.
  bool ends_together;
};

std::span<const SparseMethodRow> sparse_method_table();

/// Throws Error with the nearest valid name where there is no such method. "auto" is none.
const SparseMethodRow& find_sparse_method(std::string_view name);

}  // namespace sterna::comm
