#include "md/integrate/motion_physics.hpp"

#include <utility>

#include "md/input/barostat_row.hpp"
#include "md/input/check_neighbor.hpp"
#include "md/integrate/barostats/barostat_section.hpp"
#include "md/integrate/check_constrained_motion.hpp"
#include "md/integrate/check_integrator.hpp"
#include "md/integrate/check_motion.hpp"
#include "md/integrate/check_multiple_time_steps.hpp"
#include "md/integrate/motion_sections.hpp"
#include "md/integrate/thermostats/thermostat_advice.hpp"
#include "md/integrate/thermostats/thermostat_section.hpp"
#include "md/integrate/timestep_advice.hpp"

namespace sterna::md {
namespace {

void check(Input& input, bool, const IsGood& is_good, const Report& report) {
  if (const BarostatRow* const barostat = row_of(input.barostat); barostat && barostat->complete) {
    barostat->complete(input);
  }
  check_integrator(input, is_good, report);
  check_multiple_time_steps(input, is_good, report);
  check_constrained_motion(input, is_good, report);
}

void advise(const Input& input, const SystemFacts& facts, const Report& report) {
  if (!input.minimizes()) {
    for (Diagnostic& advice : timestep_advice(input, highest_temperature(input))) {
      report(advice.severity, "run.timestep", std::move(advice.message));
    }
  }
  advise_on_thermostats(input, facts, report);
}

}  // namespace

PhysicsRow physics::motion() {
  return {.name = "motion",
          .sentence = "thermostats, barostats and what else changes motions directly",
          .sections = {section::thermostat, section::barostat, section::freeze,
                       section::drift_control, section::limit, section::alignment},
          .check = check,
          .check_in_box = check_motion_in_box,
          .advise = advise};
}

}  // namespace sterna::md
