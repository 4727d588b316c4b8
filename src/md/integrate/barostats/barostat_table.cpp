#include "md/integrate/barostats/barostat_table.hpp"

namespace sterna::md {

const Registry<BarostatRow>& barostat_table() {
  static const Registry<BarostatRow> table("barostat", {
#define STERNA_BAROSTAT(name) barostat::name(),
#include "md/integrate/barostats/barostat_list.inc"
#undef STERNA_BAROSTAT
                                                       });
  return table;
}

std::unique_ptr<Barostat> make_barostat(const BarostatRequest& request) {
  const std::string& name = request.input.barostat.kind;
  if (name == "none") return nullptr;
  return barostat_table().get(name).make(request);
}

}  // namespace sterna::md
