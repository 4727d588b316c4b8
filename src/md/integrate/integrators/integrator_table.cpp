#include "md/integrate/integrators/integrator_table.hpp"

namespace sterna::md {

const Registry<IntegratorRow>& integrator_table() {
  static const Registry<IntegratorRow> table("integrator", {
#define STERNA_INTEGRATOR(name) integrator::name(),
#include "md/integrate/integrators/integrator_list.inc"
#undef STERNA_INTEGRATOR
                                                           });
  return table;
}

std::unique_ptr<Integrator> make_integrator(const IntegratorRequest& request) {
  return integrator_table().get(request.input.run.integrator).make(request);
}

}  // namespace sterna::md
