#include "md/integrate/barostats/barostat_table.hpp"

#include <stdexcept>

namespace sterna::md {
namespace {

constexpr const BarostatRow* barostat_rows[] = {
#define STERNA_BAROSTAT(name) &barostat::name,
#include "md/integrate/barostats/barostat_list.inc"
#undef STERNA_BAROSTAT
};

}  // namespace

std::span<const BarostatKind> barostat_kinds() {
  static const std::vector<BarostatKind> kinds = [] {
    std::vector<BarostatKind> all;
    for (const BarostatRow* row : barostat_rows) all.push_back(row->kind());
    return all;
  }();
  return kinds;
}

std::unique_ptr<Barostat> make_barostat(const BarostatRequest& request) {
  const std::string& name = request.input.barostat.kind;
  if (name == "none") return nullptr;
  const BarostatKind* kind = kind_of(request.input.barostat);
  if (kind == nullptr) throw std::invalid_argument("there is no barostat \"" + name + "\"");
  return barostat_rows[kind - barostat_kinds().data()]->make(request);
}

}  // namespace sterna::md
