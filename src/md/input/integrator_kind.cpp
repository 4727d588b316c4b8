#include "md/input/integrator_kind.hpp"

#include <algorithm>

#include "md/input/input.hpp"

namespace sterna::md {

const IntegratorKind* find_integrator(std::string_view name) {
  const auto kinds = integrator_kinds();
  const auto found = std::ranges::find(kinds, name, &IntegratorKind::name);
  return found == kinds.end() ? nullptr : &*found;
}

bool Input::minimizes() const {
  const IntegratorKind* const kind = find_integrator(run.integrator);
  return kind != nullptr && kind->minimizes;
}

}  // namespace sterna::md
