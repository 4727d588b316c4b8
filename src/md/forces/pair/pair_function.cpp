#include "md/forces/pair/pair_function.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sterna::md {
namespace {

/// Distances from the cutoff down to a thousandth of it, in equal ratios: where curves are searched
/// for what they have outermost.
constexpr int looks = 4000;
double look_at(double cutoff, int k) {
  return cutoff * std::pow(1e-3, static_cast<double>(k) / looks);
}

/// Of a function that changes its sign between a and b.
template <class Function>
double zero_between(double a, double b, const Function& function) {
  const bool rising = function(a) < 0.0;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (a + b);
    ((function(middle) < 0.0) == rising ? a : b) = middle;
  }
  return 0.5 * (a + b);
}

}  // namespace

PairFunction::PairFunction(const PairPotentialEntry& potential, std::span<const double> parameters,
                           double cutoff, const Ending& ending, const PairTable* table)
    : potential_(&potential),
      parameters_(parameters.begin(), parameters.end()),
      coefficients_(static_cast<std::size_t>(potential.coefficient_count)) {
  end_.cutoff = cutoff > 0.0 ? cutoff : ending.cutoff;
  if (potential.own_end != nullptr) {
    end_.cutoff = std::min(end_.cutoff, potential.own_end(parameters_, end_.cutoff));
  }
  if (table != nullptr) {
    curve_ = std::make_shared<TabulatedCurve>(*table);
    end_.cutoff = std::min(end_.cutoff, curve_->last());
    coefficients_ = {0.0, curve_->first(), curve_->intervals_per_length(),
                     static_cast<double>(curve_->intervals() - 1)};
  } else {
    potential.coefficients(parameters_, end_.cutoff, coefficients_);
  }
  end_.switch_start = end_.cutoff;
  if (potential.own_end != nullptr) return;
  switch (ending.truncation) {
    case Truncation::truncated:
      break;
    case Truncation::shifted:
      end_.energy_shift = energy(end_.cutoff);
      break;
    case Truncation::force_shifted:
      end_.force_shift = force(end_.cutoff);
      end_.energy_shift = energy(end_.cutoff) + end_.cutoff * end_.force_shift;
      break;
    case Truncation::switched:
      end_.switch_start = ending.switch_start / ending.cutoff * end_.cutoff;
      break;
  }
}

PairValue<double> PairFunction::value(double distance) const {
  const double inverse = 1.0 / distance;
  return potential_->evaluate({distance * distance, distance, inverse, inverse * inverse,
                               curve_ != nullptr ? curve_->polynomials().data() : nullptr},
                              coefficients_.data());
}

double PairFunction::ended_energy(double r) const {
  if (r >= end_.cutoff) return 0.0;
  const double u = energy(r) - (end_.energy_shift - end_.force_shift * r);
  if (r <= end_.switch_start) return u;
  const double c2 = end_.cutoff * end_.cutoff, s2 = end_.switch_start * end_.switch_start;
  const double gap = c2 - r * r;
  return u * gap * gap * (c2 + 2.0 * r * r - 3.0 * s2) / std::pow(c2 - s2, 3);
}

double PairFunction::ended_force(double r) const {
  if (r >= end_.cutoff) return 0.0;
  const double f = force(r) - end_.force_shift;
  if (r <= end_.switch_start) return f;
  const double c2 = end_.cutoff * end_.cutoff, s2 = end_.switch_start * end_.switch_start;
  const double gap = c2 - r * r, range = std::pow(c2 - s2, 3);
  const double smooth = gap * gap * (c2 + 2.0 * r * r - 3.0 * s2) / range;
  const double slope = 12.0 * r * gap * (r * r - s2) / range;  // -S'
  return f * smooth + energy(r) * slope;
}

PairFunction::Tail PairFunction::tail() const {
  Tail tail;
  if (potential_->own_end != nullptr || curve_ != nullptr) return tail;
  // Over x = rc / r from 0 to 1 by the tanh-sinh rule (Takahasi and Mori 1974), which takes powers
  // of any kind at x = 0.
  constexpr double step = 1.0 / 64.0, last = 4.6;
  const double rc = end_.cutoff;
  for (double t = -last; t <= last; t += step) {
    const double s = 0.5 * std::numbers::pi * std::sinh(t);
    const double x = 1.0 / (1.0 + std::exp(-2.0 * s));
    const double weight =
        step * 0.5 * std::numbers::pi * std::cosh(t) * 2.0 * x / (1.0 + std::exp(2.0 * s));
    const double r = rc / x;
    const double volume = weight * rc * rc * rc / (x * x * x * x);
    if (!std::isfinite(volume) || weight == 0.0) continue;
    const PairValue<double> pair = value(r);
    tail.energy += volume * pair.energy;
    tail.virial += volume * pair.force_over_r * r * r;
  }
  return tail;
}

PairScale PairFunction::scale() const {
  if (potential_->scale != nullptr) return potential_->scale(parameters_, end_.cutoff);
  const double rc = end_.cutoff;
  // A well may lie beyond a cutoff that is too short.
  const double farthest = potential_->own_end != nullptr || curve_ != nullptr ? rc : 4.0 * rc;
  double deepest = 0.0, before = energy(farthest);
  for (int k = 1; k <= looks; ++k) {
    const double r = look_at(farthest, k), u = energy(r);
    deepest = std::max(deepest, -u);
    if (before < 0.0 && u >= 0.0) {
      const auto height = [&](double x) { return energy(x); };
      return {zero_between(look_at(farthest, k - 1), r, height), deepest};
    }
    before = u;
  }
  // It attracts alone, or repels alone.
  const double reference = std::abs(energy(0.01 * rc));
  for (int k = 0; k <= looks; ++k) {
    const double r = look_at(rc, k);
    if (reference > 0.0 && std::abs(energy(r)) >= 0.01 * reference) {
      return {r, std::abs(energy(r))};
    }
  }
  return {rc, reference};
}

double PairFunction::stiffness(double charges) const {
  const double rc = end_.cutoff;
  const auto slope = [&](double r) { return -force(r) - charges / (r * r); };
  const auto bend = [&](double r) {
    const double h = 1e-5 * r;
    return r + h < rc ? (slope(r + h) - slope(r - h)) / (2.0 * h) : (slope(r) - slope(r - h)) / h;
  };
  // A force that has fallen to nothing at the cutoff ends in a minimum there.
  double before = slope(rc);
  if (potential_->own_end != nullptr && charges == 0.0) return std::max(0.0, bend(rc));
  for (int k = 1; k <= looks; ++k) {
    const double r = look_at(rc, k), now = slope(r);
    if (before > 0.0 && now <= 0.0) {
      return std::max(0.0, bend(zero_between(look_at(rc, k - 1), r, slope)));
    }
    before = now;
  }
  const PairScale size = scale();
  return size.energy > 0.0 ? std::max(0.0, bend(std::min(size.size, rc))) : 0.0;
}

}  // namespace sterna::md
