// How particles come and go in a run: the reservoirs of [[grand_canonical]].

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "md/ensemble/grand_canonical_section.hpp"
#include "md/forces/energy_of_one.hpp"
#include "md/forces/short_range_forces.hpp"
#include "md/input/diagnostics.hpp"
#include "md/input/read_input.hpp"
#include "md/simulation/simulation_implementation.hpp"

namespace sterna::md {

void Simulation::Implementation::make_reservoirs() {
  if (!changes_numbers(input_)) return;
  std::vector<const HasEnergyOfOne*> alone;
  for (const ForceTerm* term : std::as_const(*engine_).terms()) {
    if (const auto* const of_one = dynamic_cast<const HasEnergyOfOne*>(term)) {
      alone.push_back(of_one);
    } else if (dynamic_cast<const ShortRangeForces*>(term) == nullptr) {
      throw InputError({diagnose(
          input_, Severity::error, "grand_canonical[0]",
          fmt::format("[[grand_canonical]] does not go with the force term \"{}\", whose energy of "
                      "one more molecule is not computed",
                      term->name()))});
    }
  }
  reservoirs_ = std::make_unique<ParticleReservoirs>(context_, input_, system_, std::move(alone));
  thermodynamics_.log_also([this] { return reservoirs_->logged(); });
}

void Simulation::Implementation::exchange_particles(EnergyAndVirial& sums) {
  dynamics_.complete_velocities();
  const double before = thermodynamics_.measure(*engine_, sums).conserved_energy;
  const ParticleReservoirs::Changes changes = [this] {
    const auto measured = loop_.timer.measure(Phase::observers);
    return reservoirs_->move(frame());
  }();
  if (!changes.any) return;
  system_.exchange_particles(changes.removed, changes.added, changes.more);
  system_.count_particles(context_);
  count_degrees_of_freedom();
  rebuild();
  sums = {};
  dynamics_.compute_forces(&sums);
  dynamics_.reset_pending_kick();
  const double given = thermodynamics_.measure(*engine_, sums).conserved_energy - before;
  reservoirs_->give(given);
  thermodynamics_.give(given);
}

}  // namespace sterna::md
