#include "md/integrate/integrators/integrator_table.hpp"

#include <stdexcept>

namespace sterna::md {
namespace {

constexpr const IntegratorRow* rows[] = {
#define STERNA_INTEGRATOR(name) &integrator::name,
#include "md/integrate/integrators/integrator_list.inc"
#undef STERNA_INTEGRATOR
};

}  // namespace

std::span<const IntegratorKind> integrator_kinds() {
  static const std::vector<IntegratorKind> kinds = [] {
    std::vector<IntegratorKind> all;
    for (const IntegratorRow* row : rows) all.push_back(row->kind());
    return all;
  }();
  return kinds;
}

std::unique_ptr<Integrator> make_integrator(const IntegratorRequest& request) {
  const std::string& name = request.input.run.integrator;
  const IntegratorKind* const kind = find_integrator(name);
  if (kind == nullptr) throw std::invalid_argument("there is no integrator \"" + name + "\"");
  return rows[kind - integrator_kinds().data()]->make(request);
}

}  // namespace sterna::md
