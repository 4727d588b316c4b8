#pragma once

#include <string_view>

#include "comm/family/method_row.hpp"
#include "comm/family/method_table.hpp"
#include "comm/sparse/method.hpp"

namespace sterna::comm {

using SparseMethodRow = MethodRow<SparseMethod, SparseSetting>;

/// The rows, each defined in the method's own file.
namespace sparse_method {
#define STERNA_METHOD(name) extern const SparseMethodRow name;
#include "comm/sparse/method_list.inc"
#undef STERNA_METHOD
}  // namespace sparse_method

/// The family's table, which the docs, the tests, the benchmarks and the selection read.
const MethodTable<SparseMethodRow>& sparse_method_table();

}  // namespace sterna::comm
