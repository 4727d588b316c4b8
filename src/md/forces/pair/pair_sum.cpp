#include "md/forces/pair/pair_sum.hpp"

#include <algorithm>

namespace sterna::md {

double PairSum::cutoff() const {
  return std::ranges::max(functions_, {}, &PairFunction::cutoff).cutoff();
}

PairValue<double> PairSum::ended_value(double r) const {
  PairValue<double> sum{0.0, 0.0};
  for (const PairFunction& function : functions_) {
    const PairValue<double> value = function.ended_value(r);
    sum.energy += value.energy;
    sum.force_over_r += value.force_over_r;
  }
  return sum;
}

PairFunction::Tail PairSum::tail() const {
  PairFunction::Tail sum;
  for (const PairFunction& function : functions_) {
    const PairFunction::Tail tail = function.tail();
    sum.energy += tail.energy;
    sum.virial += tail.virial;
    sum.near_energy += tail.near_energy;
  }
  return sum;
}

PairCurve PairSum::curve() const {
  const double end = cutoff();
  return {.energy = [this](double r) { return ended_value(r).energy; },
          .force = [this](double r) { return ended_value(r).force_over_r * r; },
          .cutoff = end,
          .farthest = end,
          .ends_by_itself = true};
}

PairScale PairSum::scale() const {
  return functions_.size() == 1 ? functions_[0].scale() : scale_of(curve());
}

double PairSum::stiffness(double charges) const {
  return functions_.size() == 1 ? functions_[0].stiffness(charges)
                                : stiffness_of(curve(), scale(), charges);
}

}  // namespace sterna::md
