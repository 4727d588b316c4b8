#pragma once

#include <span>
#include <string_view>

#include "md/forces/manybody/tersoff_evaluator.hpp"
#include "md/forces/short_range_forces.hpp"
#include "md/system/aligned_buffer.hpp"
#include "md/system/ghost_forces.hpp"

namespace sterna::md {

/// Tersoff's potential of one rank's particles. See tersoff_forces.cpp.
class TersoffForces final : public ShortRangeForces {
 public:
  /// `kernels`: "auto" or an instruction set. Throws std::invalid_argument where this machine does
  /// not have it.
  TersoffForces(const TersoffPotential& potential, Precision precision, std::string_view kernels)
      : evaluator_(potential, precision, kernels), cutoff_(potential.cutoff()) {}

  std::string_view name() const override { return "tersoff"; }
  /// It keeps lists of bonds, which `rebuild` cuts from the rows.
  bool needs_early_rebuild() const override { return true; }
  double range() const override { return cutoff_; }
  std::string_view kernels() const override { return evaluator_.kernels(); }
  void rebuild(const PairList& list, const ParticleStore& particles) override;
  void compute(const PairList& list, ParticleStore& particles, PairList::Cells cells,
               EnergyAndVirial* sums) override;
  GhostForces ghost_forces() const override { return GhostForces::full_shell; }
  CollectedForces collected_forces(ParticleStore&) override { return {force_.span()}; }
  void set_forces(const PairList& list, ParticleStore& particles, const Mover* move) override;

 private:
  TersoffEvaluator evaluator_;
  double cutoff_;
  NeighborRows rows_;
  AlignedBuffer<PaddedForce> force_;
};

}  // namespace sterna::md
