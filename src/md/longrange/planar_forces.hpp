#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "md/core/box.hpp"
#include "md/longrange/planar_correction.hpp"
#include "md/shortrange/short_range_forces.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

/// Short-range forces and, with them, what lies beyond their cutoff in layers across one axis. The
/// profile of densities is that of the last rebuild of the list: between two of them it is a
/// potential that depends on the place only.
class PlanarForces final : public ShortRangeForces {
 public:
  /// `pairs`: of all pairs of components. `normal`: 0, 1 or 2, the axis across the layers. `slabs`:
  /// of the profile. Throws std::invalid_argument for forces that act on ghosts.
  PlanarForces(std::unique_ptr<ShortRangeForces> forces, const comm::Context& context,
               std::span<const AveragedPotential> pairs, const Box& box, int normal,
               std::size_t slabs);

  double reach() const override { return forces_->reach(); }
  std::uint32_t group() const override { return forces_->group(); }
  std::string_view kernels() const override { return forces_->kernels(); }
  /// Collective: takes the profile.
  void rebuild(const PairList& list, const ParticleStore& particles) override;
  void compute(const PairList& list, ParticleStore& particles, PairList::Cells cells,
               PairSums* sums) override;

 private:
  std::unique_ptr<ShortRangeForces> forces_;
  Box box_;
  int normal_;
  PlanarCorrection correction_;
  std::vector<std::int64_t> counts_;  ///< components x slabs; whole numbers sum alike on any ranks
  std::vector<double> density_;
  comm::ReductionBatch profile_;
};

}  // namespace sterna::md
