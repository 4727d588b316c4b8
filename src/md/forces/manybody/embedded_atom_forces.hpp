#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "md/core/precision.hpp"
#include "md/forces/manybody/embedded_atom_work.hpp"
#include "md/forces/short_range_forces.hpp"
#include "md/model/embedded_atom.hpp"
#include "md/system/aligned_buffer.hpp"

namespace sterna::md {

struct PairKernels;

/// The embedded-atom method for one rank's particles: densities in a first pass, forces in a second
/// pass, for which ghosts get the slope of the embedding function of their originals. In mixed
/// precision functions of the distance are computed in single precision, from tables of at most
/// `finest_single` bins; densities are summed and embedding functions computed in double precision.
class EmbeddedAtomForces final : public ShortRangeForces {
 public:
  static constexpr std::size_t finest_single = 2000;

  /// `is_embedded`: by type, whether it has this potential; functions of other types are not read.
  /// `kernels`: "auto" or an instruction set. Throws std::invalid_argument if this machine lacks
  /// it.
  EmbeddedAtomForces(const EmbeddedAtomPotential& potential, std::vector<char> is_embedded,
                     Precision precision, std::string_view kernels);

  std::string_view name() const override { return "embedded_atom"; }
  double range() const override { return cutoff_; }
  std::string_view kernels() const override { return kernels_.name; }
  bool reads_half_lists() const override { return true; }
  bool needs_in_list(int type) const override {
    return is_embedded_[static_cast<std::size_t>(type)] != 0.0;
  }
  void rebuild(const PairList& list, const ParticleStore& particles) override;
  void compute(const PairList& list, ParticleStore& particles, PairList::Cells cells,
               EnergyAndVirial* sums) override;
  int pass_count() const override { return 2; }
  std::span<double> values_of_pass() override { return value_.span(); }
  void compute_pass(int pass, const PairList& list, ParticleStore& particles,
                    EnergyAndVirial* sums) override;
  void set_forces(const PairList& list, ParticleStore& particles, const Mover* move) override;
  std::vector<Part> parts() const override {
    return {{"embedding", embedding_energy_}, {"pairs", pair_energy_}};
  }

 private:
  bool mixed() const { return precision_ == Precision::mixed; }
  EmbeddedAtomWork work(const PairList& list, ParticleStore& particles);
  /// Writes dF/drho to the place from which the second pass reads it.
  void place_slopes(const PairList& list, const ParticleStore& particles);

  const EmbeddedAtomKernels& kernels_;
  const PairKernels& pair_kernels_;
  Precision precision_;
  int type_count_;
  double cutoff_, distance_spacing_, density_spacing_;
  std::uint32_t last_bin_, last_density_bin_;
  std::vector<double> is_embedded_;  ///< by type: 1 or 0
  AlignedBuffer<double> tables_, embedding_;
  AlignedBuffer<float> tables_single_;

  std::vector<std::uint32_t> type_;
  AlignedBuffer<double> value_;  ///< for each particle its density, then dF/drho
  AlignedBuffer<std::uint32_t> near_;
  std::uint32_t near_used_ = 0;
  AlignedBuffer<RowRange> near_rows_;
  AlignedBuffer<double> scratch_;
  AlignedBuffer<Position> sites_;  ///< in double precision, for the second pass
  AlignedBuffer<FixedPosition> fixed_position_;
  AlignedBuffer<SingleForce> collected_;
  double fixed_scale_ = 0.0;
  double embedding_energy_ = 0.0, pair_energy_ = 0.0;  ///< of this rank, at the last step with sums
};

}  // namespace sterna::md
