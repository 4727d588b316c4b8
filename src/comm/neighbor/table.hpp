#pragma once

#include <string_view>

#include "comm/family/method_row.hpp"
#include "comm/family/method_table.hpp"
#include "comm/neighbor/method.hpp"

namespace sterna::comm {

using NeighborMethodRow = MethodRow<NeighborMethod, NeighborSetting>;

/// The rows, each defined in the method's own file.
namespace neighbor_method {
#define STERNA_METHOD(name) extern const NeighborMethodRow name;
#include "comm/neighbor/method_list.inc"
#undef STERNA_METHOD
}  // namespace neighbor_method

/// The family's table, which the docs, the tests, the benchmarks and the selection read.
const MethodTable<NeighborMethodRow>& neighbor_method_table();

}  // namespace sterna::comm
