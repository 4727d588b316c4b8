#pragma once

#include <string>
#include <string_view>

#include "sterna/comm/context.hpp"
#include "sterna/comm/sparse_exchange.hpp"

namespace sterna::comm {

struct SparseSelection {
  std::string_view method;  ///< a name of the table
  std::string reason;       ///< in words, for the verdict
};

/// The method that `options` name, or for "auto" the one that fits what is known of the pattern.
/// Local; throws Error for an unknown name and for a method that does not work here.
SparseSelection select_sparse_method(const Context& context, const SparseOptions& options);

}  // namespace sterna::comm
