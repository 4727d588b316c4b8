#pragma once

#include <cstdint>
#include <vector>

#include "md/core/random.hpp"
#include "md/integrate/barostats/strain_mode.hpp"

namespace sterna::md {

/// See stochastic_cell_rescaling.cpp. The noise is a function of (seed, step): ranks agree on it
/// without talking.
class StochasticCellRescaling {
 public:
  /// `thermal_energy` kT; `pressure` to keep; `bulk_modulus`: an estimate, the inverse of the
  /// isothermal compressibility; `time_constant` of the relaxation. Internal units.
  StochasticCellRescaling(std::uint64_t seed, double thermal_energy, double pressure,
                          double bulk_modulus, double time_constant);

  /// All edges by one factor: new volume over the old, after `interval` of time, for this pressure
  /// of the particles. Within 0.9 and 1.1: far from equilibrium it goes by steps.
  double volume_ratio(double volume, double internal_pressure, double interval,
                      std::int64_t step) const;

  /// The strain after `interval` of time for this pressure tensor of the particles. Each part is
  /// within -0.03 and 0.03.
  Tensor strain(const std::vector<StrainMode>& modes, double volume, const Tensor& pressure,
                double interval, std::int64_t step) const;

 private:
  RandomStream stream_;
  double thermal_energy_;
  double pressure_;
  double rate_;  ///< compressibility over time constant
};

}  // namespace sterna::md
