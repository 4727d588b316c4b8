#pragma once

#include <span>
#include <vector>

#include "md/forces/pair/pair_function.hpp"
#include "md/model/charge_form.hpp"

namespace sterna::md {

/// u of two charges of 1 that end at a cutoff in any way. What it differs from 1/r by is smooth, and
/// the kernels have it as polynomials of fifth order on equal intervals, whose derivative the force
/// is.
class ChargeCurve {
 public:
  /// `inverse_length`: of damping or screening. Where switching begins is a border of two intervals.
  ChargeCurve(ChargeForm form, double inverse_length, const PairFunction::Ending& ending);

  /// u and -u'/r within the cutoff.
  PairValue<double> value(double r) const { return function_.ended_value(r); }
  /// u - 1/r at the distance 0.
  double at_zero() const { return at_zero_; }
  double intervals_per_length() const { return intervals_per_length_; }
  int intervals() const { return static_cast<int>(polynomials_.size()) / order; }
  /// Six coefficients of each interval, lowest first, of the part of the interval that is passed.
  std::span<const double> polynomials() const { return polynomials_; }

  static constexpr int order = 6;

 private:
  PairFunction function_;
  double at_zero_, intervals_per_length_ = 0.0;
  std::vector<double> polynomials_;
};

}  // namespace sterna::md
