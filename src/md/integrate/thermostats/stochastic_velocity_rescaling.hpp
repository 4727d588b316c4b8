#pragma once

#include <cstdint>

#include "md/core/random.hpp"

namespace sterna::md {

/// Stochastic velocity rescaling (Bussi, Donadio, Parrinello, J. Chem. Phys. 126, 014101 (2007),
/// eq. A7): all velocities are multiplied by one random factor, such that the kinetic energy
/// samples the canonical distribution and relaxes to it with the time constant. The factor is a
/// function of (seed, step) and the kinetic energy, so ranks agree on it without communication.
class StochasticVelocityRescaling {
 public:
  /// `thermal_energy`: kT. `time_constant`: in internal units. `number`: distinguishes the
  /// thermostats of a run, so that each has its own random numbers; less than 2^32.
  StochasticVelocityRescaling(std::uint64_t seed, double thermal_energy, double time_constant,
                              std::uint64_t number = 0);

  /// The factor of velocities with this total kinetic energy in `degrees` of freedom, at least 1,
  /// after `interval` of time. Adds the energy given to the system to `exchanged_energy()`.
  double factor(double kinetic_energy, double degrees, double interval, std::int64_t step);

  /// The energy given to the system so far. The total energy minus this is conserved (Bussi et al.,
  /// eq. 15).
  double exchanged_energy() const { return exchanged_energy_; }
  void set_exchanged_energy(double energy) { exchanged_energy_ = energy; }

  /// Sets kT from now on.
  void set_thermal_energy(double thermal_energy) { thermal_energy_ = thermal_energy; }

 private:
  RandomStream stream_;
  double thermal_energy_;
  double time_constant_;
  std::uint64_t id_;  ///< of the random numbers
  double exchanged_energy_ = 0.0;
};

}  // namespace sterna::md
