#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "md/core/box.hpp"
#include "md/forces/force_term.hpp"
#include "md/forces/longrange/planar_correction.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

/// The forces from beyond the cutoff of pair forces in a system of layers across one axis. The
/// profile of densities is that of the last rebuild of the list; until the next rebuild the term is
/// a potential that depends on the position only.
class PlanarForces final : public ForceTerm {
 public:
  /// `pairs`: of all pairs of components. `normal`: 0, 1 or 2, the axis across the layers. `slabs`:
  /// number of slabs of the profile.
  PlanarForces(const comm::Context& context, std::span<const AveragedPotential> pairs,
               const Box& box, int normal, std::size_t slabs);

  std::string_view name() const override { return "planar_correction"; }
  bool keeps_momentum() const override { return true; }
  bool needs_all_ghosts() const override { return false; }
  TimeScale time_scale() const override { return TimeScale::medium; }
  /// The profile must be recent.
  bool needs_early_rebuild() const override { return true; }
  /// Collective. Measures the profile.
  void rebuild(const ParticleStore& particles) override;
  void finish(ParticleStore& particles, EnergyAndVirial* sums) override;

 private:
  Box box_;
  int normal_;
  PlanarCorrection correction_;
  std::vector<std::int64_t> counts_;  ///< components x slabs; integers, so sums do not depend on
                                      ///< ranks
  std::vector<double> density_;
  comm::ReductionBatch profile_;
};

}  // namespace sterna::md
