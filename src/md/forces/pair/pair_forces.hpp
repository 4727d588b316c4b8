#pragma once

#include <optional>
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

/// Pair potentials between particles, each of which is a single site. The kernels read the
/// compressed rows of the list: kernels/pair_kernels.inl computes Lennard-Jones pairs, the fast
/// path, and kernels/potential_kernels.inl all other potentials.
class PairForces final : public ShortRangeForces {
 public:
  /// Only Lennard-Jones pairs. `kernels`: "auto" or an instruction set. Throws
  /// std::invalid_argument if this machine lacks it.
  PairForces(const LennardJones& potential, Precision precision, std::string_view kernels);
  /// Any potentials. `pairs`: type_count x type_count, symmetric; `ending` is that of the run, which
  /// pairs may differ from. `added`: any number of further such tables, whose potentials act besides.
  PairForces(const std::vector<PairFunction>& pairs, int type_count,
             const PairFunction::Ending& ending, Precision precision, std::string_view kernels,
             const std::vector<std::vector<PairFunction>>& added = {});

  /// Adds charges with a cutoff as a further part.
  void add_charges(CutoffCharges charges);
  /// To be called before `needs_in_list` and `rebuild`: takes the charges of atoms from their
  /// molecules, times `factor`. The topology must outlive this object.
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
  /// The parts of the energy: each potential, and charges.
  std::vector<Part> parts() const override;

 private:
  /// Tables of the fast path.
  struct LennardJonesTables {
    explicit LennardJonesTables(const LennardJones& potential);
    Truncation truncation;
    double cutoff, switch_start;
    std::vector<double> twelve_c12, six_c6, energy_shift, force_shift;
    std::vector<float> twelve_c12_single, six_c6_single, energy_shift_single, force_shift_single;
  };
  /// A potential of the general kernels, with the pairs that one kind of switching or none ends.
  struct General {
    std::size_t number;                             ///< index in `pair_potential_table`
    std::size_t part = 0;                           ///< index in `parts_`
    Truncation truncation = Truncation::truncated;  ///< of the pairs that are switched
    std::vector<unsigned char> has_pairs;
    /// All tables of the kernels, in double precision and below in single.
    struct Columns {
      std::vector<double> cutoff_squared, coefficients, energy_shift, force_shift;
      std::vector<double> switch_start_squared, end_terms, curves;
      double safe_squared, least_squared;
    } columns;
    struct SingleColumns {
      std::vector<float> cutoff_squared, coefficients, energy_shift, force_shift;
      std::vector<float> switch_start_squared, end_terms, curves;
    } single;
    PotentialWork work() const;
  };

  /// Those of a table that the fast path does not compute. `is_left_out`: of each pair.
  void add_all_general(const std::vector<PairFunction>& pairs,
                       const std::vector<char>& is_left_out);
  /// `computes`: of each pair, whether it is one of these.
  void add_general(std::size_t number, Truncation truncation,
                   const std::vector<PairFunction>& pairs, const std::vector<char>& computes);
  /// Computes the rows of these cells; in mixed precision the forces are then in `collected_`.
  PairWork run(const PairList& list, ParticleStore& particles, PairList::Cells cells,
               bool with_sums);
  /// Positions and forces in all formats, as the kernels need them.
  PairWork work(const PairList& list, ParticleStore& particles);

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
  std::vector<Part> parts_;  ///< each potential once, the fast path's first; then charges

  AlignedBuffer<FixedPosition> fixed_position_;
  double fixed_scale_ = 1.0;
  bool moved_ = false;  ///< fixed_position_ has the local particles' next positions
  AlignedBuffer<SingleForce> collected_;  ///< until `force` is set; then 0 for local particles
};

}  // namespace sterna::md
