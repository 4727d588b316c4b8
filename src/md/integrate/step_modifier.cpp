#include "md/integrate/step_modifier.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace sterna::md {

Selection selection_of(const std::string& component, const std::optional<Vec3>& lower,
                       const std::optional<Vec3>& upper, const MoleculeTable& molecules) {
  Selection where;
  where.lower = lower.value_or(where.lower);
  where.upper = upper.value_or(where.upper);
  if (!component.empty()) {
    where.type =
        static_cast<int>(std::ranges::find(molecules.names, component) - molecules.names.begin());
  }
  where.without.assign(molecules.frozen.begin(), molecules.frozen.end());
  return where;
}

StepRange StepRange::of(const Input& input, std::int64_t start_step, std::int64_t stop_step,
                        std::int64_t interval) {
  const std::int64_t unit = input.time_steps.longest();
  // A program, such as one in Python, may run more steps than the input says.
  const std::int64_t last = stop_step > 0 ? stop_step : std::numeric_limits<std::int64_t>::max();
  return {start_step, last, std::lcm(interval, unit), unit};
}

StepModifier::StepModifier(const comm::Context& context, const StepRange& steps,
                           const MoleculeTable& molecules, double thermal_energy)
    : context_(context), first_rank_(context.rank() == 0), steps_(steps) {
  const double count = std::accumulate(molecules.counts.begin(), molecules.counts.end(), 0.0);
  int exponent = 0;
  static_cast<void>(std::frexp(count * thermal_energy, &exponent));
  energy_quantum_ = std::ldexp(1.0, exponent - 44);
}

void StepModifier::add_exchanged_energy(double energy) {
  exchanged_energy_ += std::round(energy / energy_quantum_) * energy_quantum_;
}

}  // namespace sterna::md
