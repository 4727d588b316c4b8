#include "md/forces/external/wall_potential.hpp"

#include <numbers>

namespace sterna::md {
namespace {

double cube(double x) {
  return x * x * x;
}

}  // namespace

WallPotential WallPotential::lennard_jones(Kind kind, double epsilon, double sigma, double cutoff,
                                           double layer_spacing) {
  WallPotential potential;
  potential.kind_ = kind;
  potential.epsilon_ = epsilon;
  potential.sigma_ = sigma;
  potential.cutoff_ = cutoff;
  potential.layer_spacing_ = layer_spacing;
  potential.energy_at_cutoff_ = potential.unshifted(cutoff).energy;
  return potential;
}

WallPotential WallPotential::harmonic(double stiffness) {
  WallPotential potential;
  potential.stiffness_ = stiffness;
  return potential;
}

WallPotential::Value WallPotential::at(double distance) const {
  if (!(distance < cutoff_)) return {};
  if (kind_ == Kind::harmonic) {
    return {0.5 * stiffness_ * distance * distance, -stiffness_ * distance};
  }
  Value value = unshifted(distance);
  value.energy -= energy_at_cutoff_;
  return value;
}

WallPotential::Value WallPotential::unshifted(double d) const {
  constexpr double two_pi = 2.0 * std::numbers::pi;
  const double s = sigma_ / d, s2 = s * s, s3 = s2 * s, s4 = s2 * s2, s6 = s3 * s3;
  switch (kind_) {
    case Kind::lj_9_3: {
      const double s9 = s6 * s3;
      return {epsilon_ * (2.0 / 15.0 * s9 - s3), epsilon_ * (1.2 * s9 - 3.0 * s3) / d};
    }
    case Kind::lj_10_4:
    case Kind::lj_10_4_3: {
      const double s10 = s6 * s4;
      Value value{two_pi * epsilon_ * (0.4 * s10 - s4), two_pi * epsilon_ * 4.0 * (s10 - s4) / d};
      if (kind_ == Kind::lj_10_4) return value;
      const double shifted = d + 0.61 * layer_spacing_;
      const double layers =
          two_pi * epsilon_ * cube(sigma_) * sigma_ / (3.0 * layer_spacing_ * cube(shifted));
      value.energy -= layers;
      value.force -= 3.0 * layers / shifted;
      return value;
    }
    case Kind::lj_12_6: {
      const double s12 = s6 * s6;
      return {4.0 * epsilon_ * (s12 - s6), epsilon_ * (48.0 * s12 - 24.0 * s6) / d};
    }
    case Kind::harmonic:
      break;
  }
  return {};
}

}  // namespace sterna::md
