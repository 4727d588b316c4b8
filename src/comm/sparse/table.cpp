#include "comm/sparse/table.hpp"

#include <vector>

#include "comm/context/nearest_name.hpp"
#include "comm/sparse/methods/alltoall.hpp"
#include "comm/sparse/methods/nbx.hpp"
#include "comm/sparse/methods/superset.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {

namespace {

std::string always_available(const Context&) {
  return {};
}

const SparseMethodRow table[] = {
    {{"alltoall", "counts to everyone by Alltoall, then the data by Alltoallv", "two_sided"},
     false,
     always_available,
     make_alltoall},
    {{"nbx", "synchronous sends, probes, and a non-blocking barrier that ends the round",
      "two_sided"},
     false,
     always_available,
     make_nbx},
    {{"superset", "a count to each possible source, small payloads with it; no collective",
      "two_sided, possible_sources"},
     true,
     always_available,
     make_superset},
};

}  // namespace

std::span<const SparseMethodRow> sparse_method_table() {
  return table;
}

const SparseMethodRow& find_sparse_method(std::string_view name) {
  std::vector<std::string_view> names{"auto"};
  for (const SparseMethodRow& row : table) {
    if (row.info.name == name) return row;
    names.push_back(row.info.name);
  }
  throw Error(unknown_name_message("sparse method", name, names));
}

std::span<const MethodInfo> sparse_methods() {
  static const std::vector<MethodInfo> infos = [] {
    std::vector<MethodInfo> rows;
    for (const SparseMethodRow& row : table) rows.push_back(row.info);
    return rows;
  }();
  return infos;
}

std::string why_sparse_method_unavailable(const Context& context, std::string_view method) {
  if (method == "auto") return {};
  return find_sparse_method(method).why_unavailable(context);
}

}  // namespace sterna::comm
