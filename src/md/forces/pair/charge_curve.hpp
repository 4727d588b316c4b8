#pragma once

#include <functional>
#include <span>
#include <vector>

namespace sterna::md {

/// The function r u(r) for two charges of 1 at the distance r, from 0 to a cutoff. It consists of
/// polynomials of fifth order on equal intervals, which have the values and the first two
/// derivatives of a formula at their ends. The curve deviates from the formula by about 1e-14, and
/// the force is the derivative of the energy.
class ChargeCurve {
 public:
  struct Value {
    double value, slope, bend;  ///< the value and its first two derivatives
  };
  /// `bend` is a distance at which the formula changes, which becomes an end of intervals; it is
  /// the cutoff if the formula does not change.
  ChargeCurve(const std::function<Value(double)>& formula, double bend, double cutoff);

  double bend() const { return bend_; }
  /// The numbers of intervals up to the bend, and in all.
  int near_intervals() const { return near_; }
  int intervals() const { return static_cast<int>(polynomials_.size()) / 6; }
  double cutoff() const { return cutoff_; }
  /// Six coefficients for each interval, lowest first, in the fraction of the interval.
  std::span<const double> polynomials() const { return polynomials_; }
  /// Returns the value and the first derivative.
  Value at(double distance) const;

 private:
  double bend_, cutoff_;
  int near_;
  std::vector<double> polynomials_;
};

}  // namespace sterna::md
