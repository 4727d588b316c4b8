#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "md/forces/manybody/bond_evaluator.hpp"
#include "md/forces/short_range_forces.hpp"
#include "md/system/aligned_buffer.hpp"
#include "md/system/ghost_forces.hpp"

namespace sterna::md {

/// A potential of bonds for one rank's particles. See bond_forces.cpp.
class BondForces final : public ShortRangeForces {
 public:
  /// `cutoff`: the longest of the evaluator. `has_bonds`: by type, whether it has this potential;
  /// parameters of other types are not read.
  BondForces(std::string_view name, std::unique_ptr<BondEvaluator> evaluator, double cutoff,
             std::vector<char> has_bonds)
      : name_(name),
        evaluator_(std::move(evaluator)),
        cutoff_(cutoff),
        has_bonds_(std::move(has_bonds)) {}

  std::string_view name() const override { return name_; }
  /// The lists of bonds, which `rebuild` makes from the rows, hold only within half the skin.
  bool needs_early_rebuild() const override { return true; }
  double range() const override { return cutoff_; }
  bool needs_in_list(int type) const override {
    return has_bonds_[static_cast<std::size_t>(type)] != 0;
  }
  std::string_view kernels() const override { return evaluator_->kernels(); }
  void rebuild(const PairList& list, const ParticleStore& particles) override;
  void compute(const PairList& list, ParticleStore& particles, PairList::Cells cells,
               EnergyAndVirial* sums) override;
  GhostForces ghost_forces() const override { return GhostForces::full_shell; }
  CollectedForces collected_forces(ParticleStore&) override { return {force_.span()}; }
  void set_forces(const PairList& list, ParticleStore& particles, const Mover* move) override;

 private:
  std::string_view name_;
  std::unique_ptr<BondEvaluator> evaluator_;
  double cutoff_;
  std::vector<char> has_bonds_;
  NeighborRows rows_;
  AlignedBuffer<PaddedForce> force_;
};

}  // namespace sterna::md
