#pragma once

#include <functional>
#include <span>
#include <vector>

namespace sterna::md {

/// r times the energy of two charges of 1 at the distance r, from 0 to a cutoff: polynomials of
/// fifth order on equal intervals, with the values and both derivatives of a formula at the ends of
/// each. What is read from them differs from the formula by some 1e-14, and the force is the
/// derivative of the energy.
class ChargeCurve {
 public:
  struct Value {
    double value, slope, bend;  ///< and the first two derivatives
  };
  /// `bend`: a distance at which the formula changes, an end of intervals; the cutoff where there is
  /// none.
  ChargeCurve(const std::function<Value(double)>& formula, double bend, double cutoff);

  double bend() const { return bend_; }
  /// Up to the bend, and in all.
  int near_intervals() const { return near_; }
  int intervals() const { return static_cast<int>(polynomials_.size()) / 6; }
  double cutoff() const { return cutoff_; }
  /// Six coefficients of each interval, lowest first, of the part of the interval that is passed.
  std::span<const double> polynomials() const { return polynomials_; }
  /// Value and first derivative.
  Value at(double distance) const;

 private:
  double bend_, cutoff_;
  int near_;
  std::vector<double> polynomials_;
};

}  // namespace sterna::md
