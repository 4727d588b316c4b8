// Idea:    u - 1/r of charges that are damped, screened, shifted or switched has no pole, so that
//          one table serves all of them; 1/r itself is computed, and left out of excluded pairs.
// Source:  Newton's interpolation at Chebyshev's nodes of each interval.
// Cost:    six gathers for each vector of pairs.
// Hazards: below some hundredths of the cutoff u - 1/r is a difference of large numbers, and its
//          slope has ten digits only; 1/r^2 has them all there.
// Others:  the parabola of a reaction field, which needs no table.

#include "md/forces/pair/charge_curve.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace sterna::md {
namespace {

constexpr int usual_intervals = 512;

constexpr PairPotentialEntry entry_of(PairValue<double> (*evaluate)(const PairDistance<double>&,
                                                                    const double*)) {
  PairPotentialEntry entry{};
  entry.name = "electrostatics";
  entry.coefficient_count = 1;
  entry.coefficients = [](std::span<const double> parameters, double, std::span<double> c) {
    c[0] = parameters[0];
  };
  entry.evaluate = evaluate;
  return entry;
}

constexpr PairPotentialEntry plain_charges =
    entry_of([](const PairDistance<double>& pair, const double*) -> PairValue<double> {
      return {pair.inverse, pair.inverse * pair.inverse_squared};
    });
constexpr PairPotentialEntry damped_charges =
    entry_of([](const PairDistance<double>& pair, const double* c) -> PairValue<double> {
      const double x = c[0] * pair.distance, u = std::erfc(x) * pair.inverse;
      const double gauss = 2.0 * std::numbers::inv_sqrtpi * c[0] * std::exp(-x * x);
      return {u, (u + gauss) * pair.inverse_squared};
    });
constexpr PairPotentialEntry screened_charges =
    entry_of([](const PairDistance<double>& pair, const double* c) -> PairValue<double> {
      const double u = std::exp(-c[0] * pair.distance) * pair.inverse;
      return {u, u * (pair.inverse + c[0]) * pair.inverse};
    });

const PairPotentialEntry& entry_of(ChargeForm form) {
  switch (form) {
    case ChargeForm::damped:
      return damped_charges;
    case ChargeForm::screened:
      return screened_charges;
    case ChargeForm::plain:
      break;
  }
  return plain_charges;
}

/// u - 1/r at r = 0, before it ends.
double limit_of(ChargeForm form, double inverse_length) {
  switch (form) {
    case ChargeForm::damped:
      return -2.0 * std::numbers::inv_sqrtpi * inverse_length;
    case ChargeForm::screened:
      return -inverse_length;
    case ChargeForm::plain:
      break;
  }
  return 0.0;
}

/// The coefficients of a polynomial of x that has the values of a function at nodes between 0 and
/// `width`.
template <class Function>
std::array<double, ChargeCurve::order> interpolated(double width, const Function& function) {
  constexpr int order = ChargeCurve::order;
  std::array<double, order> node{}, difference{}, result{};
  for (std::size_t k = 0; k < order; ++k) {
    node[k] = 0.5 - 0.5 * std::cos(std::numbers::pi * (static_cast<double>(k) + 0.5) / order);
    difference[k] = function(width * node[k]);
  }
  for (std::size_t n = 1; n < order; ++n) {
    for (std::size_t k = order - 1; k >= n; --k) {
      difference[k] = (difference[k] - difference[k - 1]) / (node[k] - node[k - n]);
    }
  }
  for (std::size_t n = order; n-- > 0;) {
    for (std::size_t k = order - 1; k > 0; --k) result[k] = result[k - 1] - node[n] * result[k];
    result[0] = difference[n] - node[n] * result[0];
  }
  double scale = 1.0;
  for (double& coefficient : result) {
    coefficient *= scale;
    scale /= width;
  }
  return result;
}

/// Intervals before switching begins: so many that the last one of all is no sliver.
int intervals_before(double share) {
  int best = usual_intervals;
  double widest = 0.0;
  for (int count = usual_intervals; count < usual_intervals + 64; ++count) {
    const double all = count / share;
    const double last = all - std::ceil(all - 1e-9) + 1.0;
    if (last > widest) {
      widest = last;
      best = count;
    }
  }
  return best;
}

}  // namespace

ChargeCurve::ChargeCurve(ChargeForm form, double inverse_length, const PairFunction::Ending& ending)
    : function_(entry_of(form), std::array{inverse_length}, 0.0, ending),
      at_zero_(limit_of(form, inverse_length) - function_.end().energy_shift) {
  const double cutoff = function_.cutoff(), start = function_.end().switch_start;
  const bool is_switched = start > 0.0 && start < cutoff;
  const int before = is_switched ? intervals_before(start / cutoff) : usual_intervals;
  intervals_per_length_ = before / (is_switched ? start : cutoff);
  const double width = 1.0 / intervals_per_length_;
  const int count = static_cast<int>(std::ceil(cutoff * intervals_per_length_ - 1e-9));
  for (int k = 0; k < count; ++k) {
    const double first = k * width;
    const double part = std::min(1.0, (cutoff - first) * intervals_per_length_);
    const auto coefficients = interpolated(part, [&](double x) {
      const double r = first + x * width;
      return function_.ended_value(r).energy - 1.0 / r;
    });
    polynomials_.insert(polynomials_.end(), coefficients.begin(), coefficients.end());
  }
}

}  // namespace sterna::md
