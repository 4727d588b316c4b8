#include "comm/placement/table.hpp"

#include <vector>

namespace sterna::comm {
std::span<const PlacementMethodRow> placement_method_table() {
  static const PlacementMethodRow table[] = {
#define STERNA_METHOD(name) placement_method::name,
#include "comm/placement/method_list.inc"
#undef STERNA_METHOD
  };
  return table;
}

std::span<const MethodInfo> placement_methods() {
  static const std::vector<MethodInfo> infos = [] {
    std::vector<MethodInfo> rows;
    for (const PlacementMethodRow& row : placement_method_table()) rows.push_back(row.info);
    return rows;
  }();
  return infos;
}

}  // namespace sterna::comm
