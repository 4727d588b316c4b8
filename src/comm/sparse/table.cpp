#include "comm/sparse/table.hpp"

namespace sterna::comm {

const MethodTable<SparseMethodRow>& sparse_method_table() {
  static const MethodTable<SparseMethodRow> table("sparse", {
#define STERNA_METHOD(name) &sparse_method::name,
#include "comm/sparse/method_list.inc"
#undef STERNA_METHOD
                                                            });
  return table;
}

std::span<const MethodInfo> sparse_methods() {
  return sparse_method_table().infos();
}

std::string why_sparse_method_unavailable(const Context& context, std::string_view method) {
  if (method == "auto") return {};
  return sparse_method_table().find(method).why_unavailable(context, {});
}

std::string work_of_sparse_method(std::string_view method, int ranks, double peers, double bytes) {
  return work_in_words(sparse_method_table().find(method), ranks, peers, bytes);
}

}  // namespace sterna::comm
