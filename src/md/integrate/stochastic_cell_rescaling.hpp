#pragma once

#include <cstdint>

#include "md/core/random.hpp"

namespace sterna::md {

/// Stochastic cell rescaling. Idea: the square root of the volume drifts down the gradient of the
/// free energy and is shaken by noise that does not depend on it, so that the volume samples the
/// isothermal-isobaric ensemble and relaxes like Berendsen's.
/// Paper: Bernetti, Bussi, J. Chem. Phys. 153, 114107 (2020), for lambda = sqrt(V).
/// Cost: energy and virial, and new lists, each time it acts. Hazards: needs a thermostat that
/// samples the canonical ensemble; the bulk modulus sets the rate only, but a wrong one by orders
/// of magnitude makes it stiff or slow. Another wins: none here; for anisotropic crystals one that
/// changes the box's shape.
///
/// The noise is a function of (seed, step): ranks agree on it without talking.
class StochasticCellRescaling {
 public:
  /// `thermal_energy` kT; `pressure` to keep; `bulk_modulus`: an estimate, the inverse of the
  /// isothermal compressibility; `time_constant` of the relaxation. Internal units.
  StochasticCellRescaling(std::uint64_t seed, double thermal_energy, double pressure,
                          double bulk_modulus, double time_constant);

  /// New volume over the old, after `interval` of time, for this pressure of the particles. Within
  /// 0.9 and 1.1: far from equilibrium it goes by steps.
  double volume_ratio(double volume, double internal_pressure, double interval,
                      std::int64_t step) const;

 private:
  RandomStream stream_;
  double thermal_energy_;
  double pressure_;
  double rate_;  ///< compressibility over time constant
};

}  // namespace sterna::md
