#include "md/forces/manybody/stillinger_weber_evaluator.hpp"

#include <algorithm>

#include "md/simd/instruction_set.hpp"

namespace sterna::md {
namespace {

double value_of(const StillingerWeberPotential& potential, int i, int j, int k,
                StillingerWeberTable which) {
  const StillingerWeberParameters& p = potential.triple(i, j, k);
  switch (which) {
    case StillingerWeberTable::strength:
      return potential.strength(i, j, k);
    case StillingerWeberTable::cos_theta0:
      return p.cos_theta0;
    case StillingerWeberTable::cutoff:
      return p.a * p.sigma;
    case StillingerWeberTable::closest:
      return 1e-3 * p.sigma;  // the exponential is 0 in both precisions
    case StillingerWeberTable::sigma:
      return p.sigma;
    case StillingerWeberTable::gamma_sigma:
      return p.gamma * p.sigma;
    case StillingerWeberTable::repulsion:
      return p.A * p.epsilon * p.B;
    case StillingerWeberTable::attraction:
      return p.A * p.epsilon;
    case StillingerWeberTable::p:
      return p.p;
    case StillingerWeberTable::q:
      return p.q;
    case StillingerWeberTable::count:
      break;
  }
  return 0.0;
}

}  // namespace

std::vector<const StillingerWeberKernels*> available_stillinger_weber_kernels() {
  return available_kernels<StillingerWeberKernels>(STERNA_KERNEL_FAMILY(stillinger_weber_kernels));
}

StillingerWeberEvaluator::StillingerWeberEvaluator(const StillingerWeberPotential& potential,
                                                   Precision precision, std::string_view kernels)
    : kernels_(select_kernels(available_stillinger_weber_kernels(), kernels)),
      precision_(precision) {
  type_count_ = potential.type_count();
  for (int which = 0; which < static_cast<int>(StillingerWeberTable::count); ++which) {
    for (int i = 0; i < type_count_; ++i) {
      for (int j = 0; j < type_count_; ++j) {
        for (int k = 0; k < type_count_; ++k) {
          tables_.push_back(value_of(potential, i, j, k, static_cast<StillingerWeberTable>(which)));
        }
      }
    }
  }
  tables_single_.assign(tables_.begin(), tables_.end());
  for (int i = 0; i < type_count_; ++i) {
    for (int j = 0; j < type_count_; ++j) {
      const StillingerWeberParameters& p = potential.pair(i, j);
      usual_powers_ = usual_powers_ && p.p == 4.0 && p.q == 0.0;
      bond_cutoff_squared_.push_back(p.cutoff() * p.cutoff());
    }
  }
}

void StillingerWeberEvaluator::compute(const Position* position, const NeighborRows& rows,
                                       const CellRange* cells,
                                       std::span<const std::uint32_t> which_cells,
                                       PaddedForce* force, EnergyAndVirial& sums) {
  scratch_.resize(kernels_.scratch_bytes(std::max(1u, rows.longest)));
  StillingerWeberWork work{};
  work.rows = {position,
               force,
               rows.rows.data(),
               rows.neighbors.data(),
               cells,
               type_count_,
               bond_cutoff_squared_.data(),
               rows.longest,
               scratch_.data()};
  work.usual_powers = usual_powers_;
  if (precision_ == Precision::mixed) {
    work.tables = tables_single_.data();
    kernels_.compute_mixed(work, which_cells.data(), which_cells.size());
  } else {
    work.tables = tables_.data();
    kernels_.compute_double(work, which_cells.data(), which_cells.size());
  }
  sums.energy += work.energy;
  for (int k = 0; k < 6; ++k) sums.virial[k] += work.virial[k];
}

}  // namespace sterna::md
