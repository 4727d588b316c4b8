#include "md/forces/manybody/stillinger_weber_evaluator.hpp"

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
    : BondKernelEvaluator(select_kernels(available_stillinger_weber_kernels(), kernels), precision,
                          potential.type_count(),
                          [&](int i, int j, int k, StillingerWeberTable which) {
                            return value_of(potential, i, j, k, which);
                          }) {
  work_.usual_powers = true;
  for (int i = 0; i < type_count_; ++i) {
    for (int j = 0; j < type_count_; ++j) {
      const StillingerWeberParameters& p = potential.pair(i, j);
      work_.usual_powers = work_.usual_powers && p.p == 4.0 && p.q == 0.0;
      bond_cutoff_squared_.push_back(p.cutoff() * p.cutoff());
    }
  }
}

}  // namespace sterna::md
