#pragma once

#include <array>
#include <vector>

#include "md/observe/multi_tau_correlator.hpp"
#include "md/observe/observer.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Shear viscosity by Green and Kubo, eta(t) = V / (k T) integral from 0 to t of <P_ab(0) P_ab(s)>
/// ds, averaged over the five independent shear components of an isotropic fluid: xy, xz, yz, (xx -
/// yy)/2 and (yy - zz)/2 (Alfe and Gillan, Phys. Rev. Lett. 81, 5161 (1998)). The file holds the
/// running integral: the viscosity is its plateau, before noise dominates. The average named
/// "viscosity" is the mean over lags from one to two times the lag at which the correlation first
/// falls to zero, with the standard error of the five components.
class Viscosity : public Observer {
 public:
  /// `timestep`: of the run. A sample is taken every `interval` steps.
  Viscosity(const comm::Context& context, std::int64_t interval, double timestep,
            const UnitSystem& units);

  void sample(const Frame& frame) override;
  std::vector<double> common() const override;
  void set_common(std::span<const double> values) override;
  ObserverReport report(std::span<const double> all_sums) const override;

 private:
  comm::Context context_;
  double sample_time_;
  UnitSystem units_;
  std::array<MultiTauCorrelator, 5> shear_;
  SampleBlocks blocks_;
  std::vector<double> temperatures_, volumes_;  ///< by block, summed over samples
};

}  // namespace sterna::md
