#include "md/forces/manybody/tersoff_evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "md/simd/instruction_set.hpp"

namespace sterna::md {
namespace {

double value_of(const TersoffParameters& p, TersoffForm form, TersoffTable which) {
  const bool modified = form == TersoffForm::modified;
  switch (which) {
    case TersoffTable::repulsion:
      return p.A * std::exp(-p.lambda1 * p.R);
    case TersoffTable::attraction:
      return p.B * std::exp(-p.lambda2 * p.R);
    case TersoffTable::minus_lambda1:
      return -p.lambda1;
    case TersoffTable::minus_lambda2:
      return -p.lambda2;
    case TersoffTable::R:
      return p.R;
    case TersoffTable::quarter_pi_over_D:
      return 0.25 * std::numbers::pi / p.D;
    case TersoffTable::inner:
      return p.R - p.D;
    case TersoffTable::n:
      return modified ? p.eta : p.n;
    case TersoffTable::beta:
      return modified ? 1.0 : p.beta;
    case TersoffTable::minus_half_over_n:
      return -0.5 / p.n;
    case TersoffTable::smallest_power:
      return 2e-16 * p.n;
    case TersoffTable::gamma:
      return p.gamma;
    case TersoffTable::gamma_c2_over_d2:
      return p.gamma * p.c * p.c / (p.d * p.d);
    case TersoffTable::d2:
      return p.d * p.d;
    case TersoffTable::cos_theta0:
      return p.cos_theta0;
    case TersoffTable::lambda3:
      return p.lambda3;
    case TersoffTable::linear:
      return p.m == 1.0 ? 1.0 : 0.0;
    case TersoffTable::cubic:
      return p.m == 3.0 ? 1.0 : 0.0;
    case TersoffTable::nuclear_strength:
      return p.nuclear_strength;
    case TersoffTable::minus_inverse_screening:
      return -1.0 / p.screening_length;
    case TersoffTable::fermi_center:
      return p.fermi_center;
    case TersoffTable::minus_fermi_steepness:
      return -p.fermi_steepness;
    case TersoffTable::slope_factor:
      return -0.5 * p.eta / p.n;
    case TersoffTable::c1:
      return p.c1;
    case TersoffTable::c2:
      return p.c2;
    case TersoffTable::c3:
      return p.c3;
    case TersoffTable::c4:
      return p.c4;
    case TersoffTable::minus_c5:
      return -p.c5;
    case TersoffTable::count:
      break;
  }
  return 0.0;
}

}  // namespace

std::vector<const TersoffKernels*> available_tersoff_kernels() {
  return available_kernels<TersoffKernels>(STERNA_KERNEL_FAMILY(tersoff_kernels));
}

TersoffEvaluator::TersoffEvaluator(const TersoffPotential& potential, Precision precision,
                                   std::string_view kernels)
    : kernels_(select_kernels(available_tersoff_kernels(), kernels)),
      precision_(precision),
      form_(potential.form()),
      center_only_(potential.depends_on_center_only()),
      distance_term_(potential.has_distance_term()) {
  type_count_ = potential.type_count();
  for (int which = 0; which < static_cast<int>(TersoffTable::count); ++which) {
    for (int i = 0; i < type_count_; ++i) {
      for (int j = 0; j < type_count_; ++j) {
        for (int k = 0; k < type_count_; ++k) {
          tables_.push_back(
              value_of(potential.triple(i, j, k), form_, static_cast<TersoffTable>(which)));
        }
      }
    }
  }
  tables_single_.assign(tables_.begin(), tables_.end());
  for (int i = 0; i < type_count_; ++i) {
    for (int k = 0; k < type_count_; ++k) {
      double cutoff = 0.0;
      for (int j = 0; j < type_count_; ++j) {
        const TersoffParameters& p = potential.triple(i, j, k);
        cutoff = std::max(cutoff, p.R + p.D);
      }
      bond_cutoff_squared_.push_back(cutoff * cutoff);
    }
  }
}

void TersoffEvaluator::compute(const Position* position, const NeighborRows& rows,
                               const CellRange* cells, std::span<const std::uint32_t> which_cells,
                               PaddedForce* force, EnergyAndVirial& sums) {
  TersoffWork work{};
  work.position = position;
  work.force = force;
  work.rows = rows.rows.data();
  work.neighbors = rows.neighbors.data();
  work.cells = cells;
  work.form = form_;
  work.type_count = type_count_;
  work.center_only = center_only_;
  work.distance_term = distance_term_;
  work.bond_cutoff_squared = bond_cutoff_squared_.data();
  work.longest_row = rows.longest;
  scratch_.resize(kernels_.scratch_bytes(std::max(1u, rows.longest)));
  work.scratch = scratch_.data();
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
