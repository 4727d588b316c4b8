#pragma once

#include <cstdint>
#include <span>

#include "md/core/box.hpp"
#include "md/core/energy_and_virial.hpp"
#include "md/observe/thermodynamic_state.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

class PairList;

/// The state of a step for observers and reporters: positions, velocities and forces of the same
/// time, in internal units. It is valid during the call only.
struct Frame {
  std::int64_t step;
  double time;
  const Box& box;
  const ParticleStore& particles;   ///< of this rank, with ghosts
  std::span<const double> masses;   ///< by type
  const ThermodynamicState& state;  ///< of the whole system, the same on all ranks
  const PairList& list;             ///< pairs of types with pair forces; of all types if
                                    ///< ObserverRow::needs_all_pairs
  const EnergyAndVirial& sums;      ///< this rank's part, of all force terms
  double tail_virial;               ///< trace; correction beyond the cutoff, whole system
  /// The factor 3 N / (degrees of freedom), by which the kinetic part of the pressure is scaled so
  /// that it counts every particle although the total momentum is fixed.
  double kinetic_factor;
};

}  // namespace sterna::md
