#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/precision.hpp"
#include "md/forces/pair/charge_pairs.hpp"
#include "md/forces/pair/pair_function.hpp"
#include "md/forces/pair/potential_work.hpp"
#include "md/forces/short_range_forces.hpp"
#include "md/model/lennard_jones.hpp"
#include "md/system/aligned_buffer.hpp"

namespace sterna::md {

/// The pair potentials between particles, each of which is a single site. The kernels read the
/// compressed rows of the list: kernels/pair_kernels.inl computes Lennard-Jones pairs, the fast
/// path, and kernels/potential_kernels.inl all other potentials.
class PairForces final : public ShortRangeForces {
 public:
  /// Makes a term with only Lennard-Jones pairs. `kernels`: "auto" or an instruction set. Throws
  /// std::invalid_argument if this machine lacks it.
  PairForces(const LennardJones& potential, Precision precision, std::string_view kernels);
  /// Makes a term with any potentials. `pairs`: type_count x type_count, symmetric. `ending` is
  /// that of the run; pairs may have another one. `added`: any number of further tables, whose
  /// potentials are added.
  PairForces(const std::vector<PairFunction>& pairs, int type_count,
             const PairFunction::Ending& ending, Precision precision, std::string_view kernels,
             const std::vector<std::vector<PairFunction>>& added = {});

  /// Adds charges with a cutoff to this term.
  void add_charges(CutoffCharges charges);
  /// Takes the charges of atoms from their molecules, times `factor`. To be called before
  /// `needs_in_list` and `rebuild`. The topology must outlive this object.
  void set_topology(const Topology& topology, double factor);

  /// The name of the potential if there is only one; otherwise "pairs".
  std::string_view name() const override { return name_; }
  double range() const override { return range_; }
  /// The fastest size of groups; the kernels read rows of any size.
  std::uint32_t group() const override;
  /// False for types without any pair potential, such as the hydrogen of TIP3P.
  bool needs_in_list(int type) const override;
  bool acts_between(int a, int b) const override {
    if (charges_ && charges_->has_charges(a) && charges_->has_charges(b)) return true;
    return acts_[static_cast<std::size_t>(a * type_count_ + b)] != 0;
  }
  bool reads_half_lists() const override { return true; }
  std::string_view kernels() const override { return kernels_.name; }
  void rebuild(const PairList& list, const ParticleStore& particles) override;
  void compute(const PairList& list, ParticleStore& particles, PairList::Cells cells,
               EnergyAndVirial* sums) override;
  GhostForces ghost_forces() const override { return GhostForces::half_shell; }
  CollectedForces collected_forces(ParticleStore& particles) override;
  /// In mixed precision, positions and forces have other formats here than in the store.
  bool can_move() const override { return precision_ == Precision::mixed; }
  void set_forces(const PairList& list, ParticleStore& particles, const Mover* move) override;
  /// The parts of the energy: one for each potential, and one for charges.
  std::vector<Part> parts() const override;

 private:
  /// The tables of the fast path.
  struct LennardJonesTables {
    explicit LennardJonesTables(const LennardJones& potential);
    Truncation truncation;
    double cutoff, switch_start;
    std::vector<double> twelve_c12, six_c6, energy_shift, force_shift;
    std::vector<float> twelve_c12_single, six_c6_single, energy_shift_single, force_shift_single;
  };
  /// A potential of the general kernels. Its pairs are those that are not switched, and those with
  /// one kind of switching.
  struct General {
    std::size_t number;                             ///< index in `pair_potential_table`
    std::size_t part = 0;                           ///< index in `parts_`
    Truncation truncation = Truncation::truncated;  ///< truncation of the pairs that are switched
    std::vector<unsigned char> has_pairs;
    /// All tables of the kernels, in double precision here and in single precision below.
    struct Columns {
      std::vector<double> cutoff_squared, coefficients, energy_shift, force_shift;
      std::vector<double> switch_start_squared, end_terms, curves;
      double safe_squared, least_squared;
    } columns;
    struct SingleColumns {
      std::vector<float> cutoff_squared, coefficients, energy_shift, force_shift;
      std::vector<float> switch_start_squared, end_terms, curves;
    } single;
    /// Ends the tables, and copies them in single precision.
    void copy_to_single();
    PotentialWork work() const;
  };

  /// Adds the pairs of a table that the fast path does not compute. `is_left_out` tells that for
  /// each pair.
  void add_all_general(const std::vector<PairFunction>& pairs,
                       const std::vector<char>& is_left_out);
  /// `computes` tells for each pair whether it is computed.
  void add_general(std::size_t number, Truncation truncation,
                   const std::vector<PairFunction>& pairs, const std::vector<char>& computes);
  /// Computes the rows of these cells; in mixed precision the forces are then in `collected_`.
  PairWork run(const PairList& list, ParticleStore& particles, PairList::Cells cells,
               bool with_sums);
  /// Positions and forces in all formats, as the kernels need them.
  PairWork work(const PairList& list, ParticleStore& particles);
  /// Makes the fixed-point positions that these cells read, and clears the forces of ghosts.
  void convert_positions(const PairList& list, PairList::Cells cells, PairWork& work);
  void compute_lennard_jones(PairWork& work, std::span<const std::uint32_t> cells,
                             bool with_sums) const;

  const PairKernels& kernels_;
  const PotentialKernels& potential_kernels_;
  Precision precision_;
  int type_count_;
  double range_;
  std::vector<char> acts_;  ///< types x types: whether the pair has a potential
  std::optional<LennardJonesTables> lennard_jones_;
  std::vector<General> general_;  ///< all pairs outside the fast path
  std::string name_;
  std::optional<ChargePairs> charges_;
  std::vector<Part> parts_;  ///< one for each potential, the fast path's first; then charges

  AlignedBuffer<FixedPosition> fixed_position_;
  double fixed_scale_ = 1.0;
  bool moved_ = false;  ///< true if fixed_position_ has the local particles' next positions
  /// valid until `force` is set; then 0 for local particles
  AlignedBuffer<SingleForce> collected_;
};

}  // namespace sterna::md
