#include "md/input/input.hpp"

#include <algorithm>

#include "md/input/integrator_row.hpp"

namespace sterna::md {

Input::Input() = default;
Input::Input(const Input&) = default;
Input::Input(Input&&) noexcept = default;
Input& Input::operator=(const Input&) = default;
Input& Input::operator=(Input&&) noexcept = default;
Input::~Input() = default;

bool Input::has_thermostat() const {
  return std::ranges::any_of(thermostats, &Thermostat::is_used);
}

bool Input::minimizes() const {
  const IntegratorRow* const row = integrator_rows().find(run.integrator);
  return row != nullptr && row->minimizes;
}

}  // namespace sterna::md
