#include "comm/neighbor/table.hpp"

namespace sterna::comm {

const MethodTable<NeighborMethodRow>& neighbor_method_table() {
  static const MethodTable<NeighborMethodRow> table("neighbor", {
#define STERNA_METHOD(name) &neighbor_method::name,
#include "comm/neighbor/method_list.inc"
#undef STERNA_METHOD
                                                                });
  return table;
}

std::span<const MethodInfo> neighbor_methods() {
  return neighbor_method_table().infos();
}

std::string why_neighbor_method_unavailable(const Context& context, std::string_view method) {
  if (method == "auto") return {};
  return neighbor_method_table().find(method).why_unavailable(context, {});
}

std::string work_of_neighbor_method(std::string_view method, int ranks, double peers,
                                    double bytes) {
  return work_in_words(neighbor_method_table().find(method), ranks, peers, bytes);
}

}  // namespace sterna::comm
