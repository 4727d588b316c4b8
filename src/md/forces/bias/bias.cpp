#include "md/forces/bias/bias.hpp"

#include <cmath>
#include <stdexcept>

namespace sterna::md {

double BiasedVariable::from(double center, double value) const {
  const double away = value - center;
  return period > 0.0 ? away - period * std::round(away / period) : away;
}

void Bias::restore(std::span<const double> state) {
  if (!state.empty()) throw std::invalid_argument("the biases are of another input");
}

const Registry<BiasRow>& bias_table() {
  static const Registry<BiasRow> table("bias", std::vector<BiasRow>{
#define STERNA_BIAS(name) bias::name(),
#include "md/forces/bias/bias_list.inc"
#undef STERNA_BIAS
                                               });
  return table;
}

}  // namespace sterna::md
