#pragma once

#include <cstdint>
#include <span>

#include "md/core/box.hpp"
#include "md/core/energy_and_virial.hpp"
#include "md/observe/thermodynamic_state.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

class PairList;

/// The state of a step as those see it who look at a run: positions, velocities and forces of the
/// same time, in internal units. It is valid during the call only.
struct Frame {
  std::int64_t step;
  double time;
  const Box& box;
  const ParticleStore& particles;   ///< those of this rank
  std::span<const double> masses;   ///< by type
  const ThermodynamicState& state;  ///< of the whole system, the same on all ranks
  const PairList& list;  ///< of types with pair forces; of all where ObserverRow::needs_all_pairs
  const EnergyAndVirial& sums;  ///< of all force terms, this rank's part
  double tail_virial;           ///< of the correction beyond the cutoff, whole system; trace
  /// By which the kinetic part of the pressure is scaled, so that it counts every particle though
  /// the momentum is fixed: 3 N over the degrees of freedom.
  double kinetic_factor;
};

}  // namespace sterna::md
