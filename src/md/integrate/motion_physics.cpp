#include "md/integrate/motion_physics.hpp"

#include "md/integrate/barostats/barostat_section.hpp"
#include "md/integrate/check_constrained_motion.hpp"
#include "md/integrate/check_integrator.hpp"
#include "md/integrate/check_motion.hpp"
#include "md/integrate/check_multiple_time_steps.hpp"
#include "md/integrate/motion_sections.hpp"
#include "md/integrate/thermostats/thermostat_advice.hpp"
#include "md/integrate/thermostats/thermostat_section.hpp"

namespace sterna::md {
namespace {

void check(Input& input, bool, const IsGood& is_good, const Report& report) {
  check_integrator(input, is_good, report);
  check_multiple_time_steps(input, is_good, report);
  check_constrained_motion(input, is_good, report);
}

}  // namespace

PhysicsRow physics::motion() {
  return {.name = "motion",
          .sentence = "thermostats, barostats and what else changes motions directly",
          .sections = {section::thermostat, section::barostat, section::freeze,
                       section::drift_control, section::limit, section::alignment},
          .check = check,
          .check_in_box = check_motion_in_box,
          .advise = advise_on_thermostats};
}

}  // namespace sterna::md
