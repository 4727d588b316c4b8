#include "md/integrate/check_integrator.hpp"

#include <fmt/format.h>

#include "md/input/integrator_row.hpp"

namespace sterna::md {
namespace {

/// A text such as "integrator = "velocity_verlet"" that lists the integrators with the trait.
template <class Trait>
std::string expected(Trait&& has) {
  std::string names;
  for (const std::string_view name : integrator_rows().names_that(has)) {
    names += fmt::format("{}\"{}\"", names.empty() ? "" : " or ", name);
  }
  return "expected integrator = " + names;
}

}  // namespace

void check_integrator(const Input& input, const IsGood& is_good, const Report& report) {
  const IntegratorRow* const kind = integrator_rows().find(input.run.integrator);
  if (kind == nullptr || kind->minimizes || !is_good("run.integrator")) return;
  if (input.time_steps.are_used() && !kind->takes_multiple_time_steps) {
    report(
        Severity::error, "multiple_time_steps",
        fmt::format("integrator = \"{}\" computes all forces in each step; {}", kind->name,
                    expected([](const IntegratorRow& k) { return k.takes_multiple_time_steps; })));
  }
  if (input.run.rotation == RotationMethod::leapfrog && !kind->takes_leapfrog) {
    report(Severity::error, "run.rotation",
           fmt::format("integrator = \"{}\" turns molecules twice in a step, which \"leapfrog\" "
                       "cannot; expected rotation = \"no_squish\"",
                       kind->name));
  }
  if (kind->thermostats_act_between_drifts && !input.has_thermostat()) {
    report(Severity::warning, "run.integrator",
           fmt::format("integrator = \"{}\" is for a [thermostat], and there is none: "
                       "\"velocity_verlet\" gives the same at a lower cost",
                       kind->name));
  }
}

}  // namespace sterna::md
