#include "md/forces/manybody/tersoff_evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "md/simd/instruction_set.hpp"

namespace sterna::md {
namespace {

// It is long because it is a table, with two lines for each number that kernels read.
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
    : BondKernelEvaluator(select_kernels(available_tersoff_kernels(), kernels), precision,
                          potential.type_count(), [&](int i, int j, int k, TersoffTable which) {
                            return value_of(potential.triple(i, j, k), potential.form(), which);
                          }) {
  work_.form = potential.form();
  work_.center_only = potential.depends_on_center_only();
  work_.distance_term = potential.has_distance_term();
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

}  // namespace sterna::md
