#include "md/integrate/check_multiple_time_steps.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "md/core/display_text.hpp"
#include "md/forces/alchemy/input/alchemy_section.hpp"
#include "md/forces/coulomb/input/charge_solver_row.hpp"
#include "md/input/observer_row.hpp"
#include "md/input/trajectory_row.hpp"
#include "md/integrate/alignment_section.hpp"
#include "md/integrate/drift_control_section.hpp"
#include "md/integrate/limit_section.hpp"

namespace sterna::md {
namespace {

class TimeStepsChecker {
 public:
  TimeStepsChecker(const Input& input, const IsGood& is_good, const Report& report)
      : input_(input), good_(is_good), report_(report), longest_(input.time_steps.longest()) {}

  void forces() {
    const auto& steps = input_.time_steps;
    if (steps.far_field > 0 && steps.far_field % steps.pairs != 0) {
      error("multiple_time_steps.far_field",
            fmt::format("\"far_field\" in [multiple_time_steps] is {}; expected a multiple of "
                        "\"pairs\", which is {}",
                        steps.far_field, steps.pairs));
    }
    if (steps.pairs > 1 && input_.molecules.empty()) {
      error("multiple_time_steps.pairs",
            "between two computations of the pairs bonded forces act; expected a [[molecule]], or "
            "\"pairs\" = 1");
    }
    if (steps.far_field > steps.pairs && readable("electrostatics.kind") && !has_slow_charges()) {
      error("multiple_time_steps.far_field",
            fmt::format(
                "the far field is the slow part of a solver of charges; expected [electrostatics] "
                "with kind = {}",
                choice_list(charge_solver_table().names_that(
                    [](const ChargeSolverRow& solver) { return solver.has_slow_part; }))));
    }
    if (input_.run.rotation != RotationMethod::no_squish && !input_.components.empty()) {
      error("run.rotation",
            fmt::format("rotation = {} does not go with [multiple_time_steps]; expected "
                        "\"no_squish\"",
                        quote(choice_name(input_.run.rotation))));
    }
    if (!input_.tables<LimitSection>().empty()) {
      error("limit[0]",
            "[[limit]] does not go with [multiple_time_steps]: forces that are left out in some "
            "steps act more strongly in others, beyond any limit");
    }
  }

  /// Checks that intervals are multiples of the longest time step, because energies and velocities
  /// are valid only in steps that compute all forces.
  void intervals() {
    whole("run.steps", "steps", input_.run.steps);
    whole("output.thermo_interval", "thermo_interval", input_.output.thermo_interval);
    whole("output.trajectory_interval", "trajectory_interval", input_.output.trajectory_interval);
    whole("output.xtc_interval", "xtc_interval", input_.output.xtc_interval);
    if (input_.barostat.is_used()) {
      whole("barostat.interval", "interval", input_.barostat.interval);
    }
    if (input_.section<AlignmentSection>().interval > 0) {
      whole("alignment.interval", "interval", input_.section<AlignmentSection>().interval);
    }
    for (std::size_t n = 0; n < input_.tables<DriftControlSection>().size(); ++n) {
      const auto& control = input_.tables<DriftControlSection>()[n];
      whole(fmt::format("drift_control[{}].interval", n), "interval", control.interval);
      whole(fmt::format("drift_control[{}].sample_interval", n), "sample_interval",
            control.sample_interval);
    }
    if (input_.section<AlchemySection>().is_used()) {
      whole("alchemy.interval", "interval", input_.section<AlchemySection>().interval);
    }
    for (const ObserverRow& observer : observer_rows()) {
      if (!input_.places.contains(observer.schema.name)) continue;
      whole(fmt::format("{}.interval", observer.schema.name), "interval",
            observer.interval(input_));
    }
    for (const TrajectoryRow& trajectory : trajectory_rows()) {
      if (!input_.places.contains(trajectory.schema.name)) continue;
      whole(fmt::format("{}.interval", trajectory.schema.name), "interval",
            trajectory.interval(input_));
    }
  }

 private:
  bool has_slow_charges() const {
    const ChargeSolverRow* const solver = charge_solver_of(input_);
    return solver != nullptr && solver->has_slow_part;
  }
  void whole(const std::string& place, std::string_view key, std::int64_t interval) {
    if (interval % longest_ == 0 || !readable(place)) return;
    error(place, fmt::format("\"{}\" is {}; with [multiple_time_steps] expected a multiple of {}: "
                             "only these steps compute all forces",
                             key, interval, longest_));
  }
  /// Whether the file lacks the key, or has a value for it that could be read.
  bool readable(std::string_view place) const {
    return good_(place) || !input_.places.contains(place);
  }
  void error(std::string_view place, std::string message) {
    report_(Severity::error, input_.places.contains(place) ? place : "multiple_time_steps",
            std::move(message));
  }

  const Input& input_;
  const IsGood& good_;
  const Report& report_;
  std::int64_t longest_;
};

}  // namespace

void check_multiple_time_steps(const Input& input, const IsGood& is_good, const Report& report) {
  if (!input.time_steps.are_used() || input.minimizes()) return;
  for (const char* place : {"multiple_time_steps.pairs", "multiple_time_steps.far_field"}) {
    if (input.places.contains(place) && !is_good(place)) return;
  }
  TimeStepsChecker checker(input, is_good, report);
  checker.forces();
  checker.intervals();
}

}  // namespace sterna::md
