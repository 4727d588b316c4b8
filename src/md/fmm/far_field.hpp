#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "md/fmm/expansion_exchange.hpp"
#include "md/fmm/expansion_level.hpp"
#include "md/fmm/fmm_operators.hpp"
#include "md/fmm/fmm_times.hpp"
#include "md/fmm/tree_partition.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

/// The potential of all charges that are not in the 27 cells around, on all ranks of a context or,
/// without one, in this process alone.
///
/// A rank makes the multipoles of what it has in each leaf; they travel to the owner of the leaf
/// and to those who have it near their own cells, where the parts are added in the order of the
/// ranks. Owners shift them up, the next level's exchange follows, and meanwhile the level's
/// multipoles become local expansions. Levels with fewer cells than ranks, and the sums of all
/// ranks that the caller wants, are one reduction. On the way down local expansions go to whoever
/// has the children, at last to whoever has charges in the leaf.
template <class Real>
class FarField {
 public:
  static constexpr std::size_t sum_count = 8;

  FarField(const comm::Context* context, const Lattice& lattice, const FmmParameters& parameters,
           const TreePartition& partition, const std::string& exchange);

  /// The three parts of a computation, all collective. `begins`: where the charges of each leaf
  /// that the region touches begin, and the end.
  void start(const FarCharges<Real>& charges, std::span<const std::size_t> begins, FmmTimes& times);
  /// `sums`: of this rank.
  void climb(const std::array<double, sum_count>& sums, FmmTimes& times);
  /// Adds potential and field at the charges.
  void finish(FarCharges<Real>& charges, std::span<const std::size_t> begins, FmmTimes& times);
  /// Of all ranks, after `finish`.
  std::array<double, sum_count> sums() const;

  std::vector<comm::Verdict> verdicts() const;

 private:
  /// All of one depth below the top.
  struct Depth {
    ExpansionLevel<Real> level;
    std::optional<ExpansionExchange<Real>> multipoles;  ///< into the level, with its border
    std::optional<ExpansionExchange<Real>> locals;      ///< from the level to those below
    CellExpansions<Real> of_parents;                    ///< multipoles, then locals
  };
  Depth& depth(int number) { return depths_[static_cast<std::size_t>(number - 1)]; }
  bool distributed(int number) const { return number > partition_.first_distributed_depth(); }

  void make_depths(const comm::Context* context, const std::string& exchange);
  void start_reduction(const CellExpansions<Real>& part);
  void shift_up(Depth& depth);
  void multipoles_to_locals(Depth& depth);
  void shift_down(Depth& depth);
  void far_field_of_top();
  /// What is known of the locals at cells of a depth whose level is on this rank.
  void read_locals(int number, const CellBox& cells, Real* out);

  FmmParameters parameters_;
  TreePartition partition_;
  FmmOperators<Real> operators_;
  const FmmKernels<Real>& kernels_;
  HarmonicFactors factors_;
  std::size_t coefficients_;
  std::vector<Depth> depths_;
  CellExpansions<Real> leaves_;  ///< of what this rank has: multipoles, then locals
  CellExpansions<Real> top_multipoles_, top_locals_;
  std::vector<Real> scratch_;

  /// Multipoles of the deepest level that every rank has, then the sums.
  std::unique_ptr<std::vector<double>> reduced_;
  std::optional<comm::ReductionBatch> reduction_;
};

extern template class FarField<float>;
extern template class FarField<double>;

/// Throws std::invalid_argument where this processor has no such kernels. "auto": the widest.
const FmmInstructionSet& fmm_instruction_set(std::string_view name);

}  // namespace sterna::md
