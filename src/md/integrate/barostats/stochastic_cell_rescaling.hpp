#pragma once

#include <cstdint>
#include <vector>

#include "md/core/deformation.hpp"
#include "md/core/random.hpp"
#include "md/integrate/barostats/strain_mode.hpp"

namespace sterna::md {

/// See stochastic_cell_rescaling.cpp. The noise is a function of (seed, step), so ranks agree on it
/// without communication.
class StochasticCellRescaling {
 public:
  /// `thermal_energy`: kT. `pressure`: the target. `bulk_modulus`: an estimate of the inverse of
  /// the isothermal compressibility. `time_constant`: of the relaxation. Internal units.
  StochasticCellRescaling(std::uint64_t seed, double thermal_energy, double pressure,
                          double bulk_modulus, double time_constant, std::vector<StrainMode> modes);

  /// Sets the targets to keep from now on.
  void set_targets(double thermal_energy, double pressure) {
    thermal_energy_ = thermal_energy;
    pressure_ = pressure;
  }

  /// The strain that `interval` of time brings at this volume and pressure tensor of the particles.
  /// The drift of each mode is at most 0.03, so that a box far from equilibrium goes by steps. Zero
  /// where noise goes beyond 0.3: such a change is refused at once.
  Tensor propose(double volume, const Tensor& pressure, double interval, std::int64_t step);
  /// Whether the box keeps the last proposed strain, which led to this volume and this pressure
  /// tensor of the particles. If false, the box must be restored.
  bool accepts(double volume, const Tensor& pressure, std::int64_t step) const;

 private:
  /// A Gaussian proposal of one mode.
  struct Proposal {
    double work;      ///< V P summed over the components of the mode
    double drift;     ///< mean of the strain
    double variance;  ///< of the strain's noise
  };
  Proposal proposal(const StrainMode& mode, double volume, const Tensor& pressure) const;

  RandomStream stream_;
  double thermal_energy_;
  double pressure_;
  double rate_;  ///< compressibility over time constant
  std::vector<StrainMode> modes_;
  // Values of the last proposal.
  double volume_ = 0.0, interval_ = 0.0;
  std::vector<Proposal> proposals_;  ///< by mode
  std::vector<double> changes_;      ///< by mode
};

}  // namespace sterna::md
