#pragma once

#include <string_view>
#include <vector>

#include "md/core/precision.hpp"
#include "md/model/lennard_jones.hpp"
#include "md/particles/aligned_buffer.hpp"
#include "md/shortrange/short_range_forces.hpp"

namespace sterna::md {

/// Single Lennard-Jones sites at the particles' positions: the fast path. Its kernels read the
/// compressed rows of the list themselves (kernels/pair_kernels.inl).
class LennardJonesForces final : public ShortRangeForces {
 public:
  /// `kernels`: "auto" or an instruction set. Throws std::invalid_argument where this machine does
  /// not have it.
  LennardJonesForces(const LennardJones& potential, Precision precision, std::string_view kernels);

  std::string_view name() const override { return "lennard_jones"; }
  double reach() const override { return cutoff_; }
  /// What is fastest; it can read any rows.
  std::uint32_t group() const override {
    return precision_ == Precision::mixed ? kernels_.group_mixed : kernels_.group_double;
  }
  /// Only mixed precision has kernels for them.
  bool reads_half_lists() const override { return precision_ == Precision::mixed; }
  std::string_view kernels() const override { return kernels_.name; }
  void rebuild(const PairList& list, const ParticleStore& particles) override;
  void compute(const PairList& list, ParticleStore& particles, PairList::Cells cells,
               EnergyAndVirial* sums) override;
  /// In mixed precision positions and forces have other forms here than in the store.
  bool can_move() const override { return precision_ == Precision::mixed; }
  void compute_and_move(const PairList& list, ParticleStore& particles, const Mover& move) override;

 private:
  /// Computes the rows of these cells; forces of half lists are then in `collected_`.
  PairWork run(const PairList& list, ParticleStore& particles, PairList::Cells cells,
               bool with_sums);

  const PairKernels& kernels_;
  Precision precision_;
  Truncation truncation_;
  int type_count_;
  double cutoff_;
  double switch_start_;
  std::vector<double> twelve_c12_, six_c6_, energy_shift_, force_shift_;
  std::vector<float> twelve_c12_single_, six_c6_single_, energy_shift_single_, force_shift_single_;
  AlignedBuffer<FixedPosition> fixed_position_;
  double fixed_scale_ = 1.0;
  bool moved_ = false;  ///< fixed_position_ holds the local particles of the next step
  AlignedBuffer<SingleForce> collected_;  ///< from half lists, until `force` is set; then 0
};

}  // namespace sterna::md
