#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "md/forces/manybody/embedded_atom_work.hpp"
#include "md/forces/manybody/neighbor_rows.hpp"
#include "md/forces/short_range_forces.hpp"
#include "md/model/embedded_atom.hpp"
#include "md/system/aligned_buffer.hpp"

namespace sterna::md {

/// The embedded-atom method for one rank's particles: densities in a first pass, forces in a second
/// one, for which ghosts get the slope of the embedding function of the atoms that they are copies
/// of. In mixed precision, too, all is computed in double precision.
class EmbeddedAtomForces final : public ShortRangeForces {
 public:
  /// `is_embedded`: by type, whether it has this potential; functions of others are not read.
  /// `kernels`: "auto" or an instruction set. Throws std::invalid_argument where this machine does
  /// not have it.
  EmbeddedAtomForces(const EmbeddedAtomPotential& potential, std::vector<char> is_embedded,
                     std::string_view kernels);

  std::string_view name() const override { return "embedded_atom"; }
  double range() const override { return potential_.cutoff(); }
  std::string_view kernels() const override { return kernels_.name; }
  bool needs_in_list(int type) const override {
    return is_embedded_[static_cast<std::size_t>(type)] != 0;
  }
  void rebuild(const PairList& list, const ParticleStore& particles) override;
  void compute(const PairList& list, ParticleStore& particles, PairList::Cells cells,
               EnergyAndVirial* sums) override;
  int pass_count() const override { return 2; }
  std::span<double> values_of_pass() override { return value_.span(); }
  void compute_pass(int pass, const PairList& list, ParticleStore& particles,
                    EnergyAndVirial* sums) override;
  std::vector<Part> parts() const override {
    return {{"embedding", embedding_energy_}, {"pairs", pair_energy_}};
  }

 private:
  EmbeddedAtomWork work(const PairList& list, ParticleStore& particles);

  EmbeddedAtomPotential potential_;
  std::vector<char> is_embedded_;
  const EmbeddedAtomKernels& kernels_;
  std::vector<EmbeddedAtomCubic::Bin> density_, pair_;  ///< of all pairs of types
  NeighborRows rows_;
  AlignedBuffer<double> value_;  ///< of each particle: its density, then dF/drho
  AlignedBuffer<char> scratch_;
  double embedding_energy_ = 0.0, pair_energy_ = 0.0;  ///< this rank's, of the last step with sums
};

}  // namespace sterna::md
