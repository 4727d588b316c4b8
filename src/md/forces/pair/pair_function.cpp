#include "md/forces/pair/pair_function.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace sterna::md {
namespace {

/// The number of distances at which curves are searched from outside: from the cutoff down to a
/// thousandth of it, in equal ratios.
constexpr int looks = 4000;
double look_at(double cutoff, int k) {
  return cutoff * std::pow(1e-3, static_cast<double>(k) / looks);
}

/// Returns the zero of a function that changes its sign between a and b.
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

bool can_end(const PairPotentialRow& potential, Truncation truncation) {
  return truncation != Truncation::force_switched || potential.own_end != nullptr ||
         potential.powers_12_and_6;
}

PairFunction::PairFunction(const PairPotentialRow& potential, std::span<const double> parameters,
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
  if (!can_end(potential, ending.truncation)) {
    throw std::invalid_argument("a potential that cannot end so");
  }
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
    case Truncation::quintic_switched:
    case Truncation::force_switched:
    case Truncation::cubic_force_switched:
      end_.switch_start = ending.switch_start / ending.cutoff * end_.cutoff;
      if (end_.switch_start < end_.cutoff) switch_by(ending.truncation);
      break;
  }
}

bool PairFunction::is_nothing() const {
  return potential_ == find_pair_potential("lennard_jones") && parameters_[0] == 0.0;
}

void PairFunction::switch_by(Truncation truncation) {
  const double rc = end_.cutoff, rs = end_.switch_start, width = rc - rs;
  end_.truncation = truncation;
  if (truncation == Truncation::switched) {
    end_.terms = {std::pow(rc * rc - rs * rs, -3)};
  } else if (truncation == Truncation::quintic_switched) {
    end_.terms = {rs, 1.0 / width};
  } else if (truncation == Truncation::force_switched) {
    const double c12 = coefficients_[0], c6 = coefficients_[1];
    const double rc3 = std::pow(rc, -3), rs3 = std::pow(rs, -3);
    // rc^m / (rc^m - rs^m)
    end_.terms = {c12 / (1.0 - rc3 * rc3 / (rs3 * rs3)), c6 / (1.0 - rc3 / rs3), rc3 * rc3, rc3};
    end_.energy_shift = c12 * rc3 * rc3 * rs3 * rs3 - c6 * rc3 * rs3;
  } else {
    const double at_end = force(rc), slope = slope_of_force_at_end();
    const double a = (width * slope - 3.0 * at_end) / (width * width);
    const double b = (2.0 * at_end - width * slope) / std::pow(width, 3);
    end_.terms = {rs, a, b};
    end_.energy_shift = energy(rc) - std::pow(width, 3) * (a / 3.0 + width * b / 4.0);
  }
}

double PairFunction::slope_of_force_at_end() const {
  // Backward differences of eighth order, because a table ends at the cutoff. Their error is below
  // 1e-10 for powers up to 20.
  constexpr int order = 8;
  const double step = 2e-3 * end_.cutoff;
  double differences[order + 1];
  for (int k = 0; k <= order; ++k) differences[k] = force(end_.cutoff - k * step);
  double slope = 0.0;
  for (int n = 1; n <= order; ++n) {
    for (int k = 0; k + n <= order; ++k) differences[k] -= differences[k + 1];
    slope += differences[0] / n;
  }
  return slope / step;
}

PairValue<double> PairFunction::value(double distance) const {
  const double inverse = 1.0 / distance;
  return potential_->evaluate({distance * distance, distance, inverse, inverse * inverse,
                               curve_ != nullptr ? curve_->polynomials().data() : nullptr},
                              coefficients_.data());
}

PairValue<double> PairFunction::ended_value(double r) const {
  if (r >= end_.cutoff) return {0.0, 0.0};
  PairValue<double> pair = value(r);
  pair.energy -= end_.energy_shift - end_.force_shift * r;
  pair.force_over_r -= end_.force_shift / r;
  if (r <= end_.switch_start) return pair;
  const auto& [t0, t1, t2, t3] = end_.terms;
  // Switching gives the energy u S and the force f S - u S'.
  const auto switch_energy = [&](double smooth, double slope_over_r) {
    return PairValue<double>{pair.energy * smooth,
                             pair.force_over_r * smooth - pair.energy * slope_over_r};
  };
  switch (end_.truncation) {
    case Truncation::switched: {
      const double c2 = end_.cutoff * end_.cutoff, s2 = end_.switch_start * end_.switch_start;
      const double gap = c2 - r * r;
      return switch_energy(gap * gap * (c2 + 2.0 * r * r - 3.0 * s2) * t0,
                           -12.0 * gap * (r * r - s2) * t0);
    }
    case Truncation::quintic_switched: {
      const double x = (r - t0) * t1;
      return switch_energy(1.0 - x * x * x * (10.0 - x * (15.0 - 6.0 * x)),
                           -30.0 * x * x * (1.0 - x) * (1.0 - x) * t1 / r);
    }
    case Truncation::force_switched: {
      const double r3 = std::pow(r, -3), r6 = r3 * r3;
      const double far12 = r6 - t2, far6 = r3 - t3;
      return {t0 * far12 * far12 - t1 * far6 * far6,
              (12.0 * t0 * r6 * far12 - 6.0 * t1 * r3 * far6) / (r * r)};
    }
    case Truncation::cubic_force_switched: {
      const double x = r - t0;
      return {pair.energy - x * x * x * (t1 / 3.0 + x * t2 / 4.0),
              pair.force_over_r + x * x * (t1 + x * t2) / r};
    }
    default:
      return pair;
  }
}

double PairFunction::ended_energy(double r) const {
  return ended_value(r).energy;
}

double PairFunction::ended_force(double r) const {
  return ended_value(r).force_over_r * r;
}

PairFunction::Tail PairFunction::tail() const {
  Tail tail;
  if (potential_->own_end != nullptr || curve_ != nullptr) return tail;
  const double rc = end_.cutoff, rs = end_.switch_start;
  const auto add = [&](double r, double volume, const PairValue<double>& pair) {
    if (!std::isfinite(volume) || volume == 0.0) return;
    tail.energy += volume * pair.energy;
    tail.virial += volume * pair.force_over_r * r * r;
  };
  // Integrates by the tanh-sinh rule (Takahasi and Mori 1974), which handles any power at x = 0.
  constexpr double step = 1.0 / 64.0, last = 4.6;
  for (double t = -last; t <= last; t += step) {
    const double s = 0.5 * std::numbers::pi * std::sinh(t);
    const double x = 1.0 / (1.0 + std::exp(-2.0 * s));
    const double weight =
        step * 0.5 * std::numbers::pi * std::cosh(t) * 2.0 * x / (1.0 + std::exp(2.0 * s));
    // The integral beyond the cutoff is over x = rc / r from 0 to 1.
    const double beyond = rc / x;
    add(beyond, weight * rc * rc * rc / (x * x * x * x), value(beyond));
    if (rs == rc) continue;
    // The integral over the switched range is over x = (r - rs) / (rc - rs).
    const double r = rs + (rc - rs) * x;
    const PairValue<double> full = value(r), ended = ended_value(r);
    add(r, weight * (rc - rs) * r * r,
        {full.energy - ended.energy, full.force_over_r - ended.force_over_r});
  }
  if (is_switched(end_.truncation)) {
    tail.near_energy = end_.energy_shift;
    tail.energy += tail.near_energy * rs * rs * rs / 3.0;
  }
  return tail;
}

PairScale PairFunction::scale() const {
  if (potential_->scale != nullptr) return potential_->scale(parameters_, end_.cutoff);
  const double rc = end_.cutoff;
  // The potential well may be beyond the cutoff, so the search begins farther out.
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
  // Without a change of sign the potential is only attractive or only repulsive.
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
  // A force that vanishes at the cutoff has a minimum of the energy there.
  const bool rests = potential_->own_end != nullptr && charges == 0.0;
  const double at_rest = rests ? std::max(0.0, bend(rc)) : 0.0;
  double before = slope(rc);
  for (int k = 1; k <= looks; ++k) {
    const double r = look_at(rc, k), now = slope(r);
    if (before > 0.0 && now <= 0.0) {
      return std::max(at_rest, bend(zero_between(look_at(rc, k - 1), r, slope)));
    }
    before = now;
  }
  if (rests) return at_rest;
  const PairScale size = scale();
  return size.energy > 0.0 ? std::max(0.0, bend(std::min(size.size, rc))) : 0.0;
}

}  // namespace sterna::md
