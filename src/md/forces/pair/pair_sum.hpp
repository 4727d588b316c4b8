#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "md/forces/pair/pair_function.hpp"

namespace sterna::md {

/// A potential that is added to what two types have besides.
struct AddedPair {
  std::size_t first, second;
  PairFunction function;
};

/// What two types have in all: one potential, or several that are added, each with its own end.
class PairSum {
 public:
  /// At least one.
  explicit PairSum(std::vector<PairFunction> functions) : functions_(std::move(functions)) {}

  const std::vector<PairFunction>& functions() const { return functions_; }
  /// Where the last of them ends.
  double cutoff() const;
  /// As the kernels compute them: with their ends.
  PairValue<double> ended_value(double r) const;
  double ended_energy(double r) const { return ended_value(r).energy; }
  PairFunction::Tail tail() const;
  /// As those of one PairFunction.
  PairScale scale() const;
  double stiffness(double charges) const;

 private:
  PairCurve curve() const;

  std::vector<PairFunction> functions_;
};

}  // namespace sterna::md
