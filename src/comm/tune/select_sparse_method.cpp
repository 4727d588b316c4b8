#include "comm/tune/select_sparse_method.hpp"

#include <fmt/format.h>

#include "comm/sparse/table.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {

SparseSelection select_sparse_method(const Context& context, const SparseOptions& options) {
  if (options.method == "auto") {
    if (options.possible_sources) {
      return {find_sparse_method("superset").info.name,
              fmt::format("auto: the possible sources are known ({} ranks), so no collective",
                          options.possible_sources->size())};
    }
    return {find_sparse_method("nbx").info.name,
            "auto: any rank may be a source, so cost and memory should grow with the messages "
            "sent, not with the number of ranks"};
  }
  const SparseMethodRow& row = find_sparse_method(options.method);
  if (const std::string why = row.why_unavailable(context); !why.empty()) {
    throw Error(fmt::format("{}: sparse method {} does not work here: {}", options.name,
                            row.info.name, why));
  }
  if (row.needs_possible_sources && !options.possible_sources) {
    throw Error(
        fmt::format("{}: sparse method {} needs possible_sources, the ranks that may send "
                    "to this one",
                    options.name, row.info.name));
  }
  return {row.info.name, "named by the caller"};
}

}  // namespace sterna::comm
