#include "md/dynamics/fire_minimizer.hpp"

#include <algorithm>
#include <cmath>

namespace sterna::md {

namespace {
constexpr int patience = 5;
constexpr double growth = 1.1;
constexpr double shrinkage = 0.5;
constexpr double first_mixing = 0.1;
constexpr double mixing_decay = 0.99;
}  // namespace

FireMinimizer::FireMinimizer(double first_timestep, double largest_timestep,
                             double maximum_displacement)
    : timestep_(first_timestep),
      largest_timestep_(largest_timestep),
      maximum_displacement_(maximum_displacement) {}

FireMinimizer::Sums FireMinimizer::local_sums(const ParticleStore& particles) const {
  Sums sums;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const Vec3& f = particles.force[i];
    const Vec3& v = particles.velocity[i];
    sums.power += dot(f, v);
    sums.velocity_squared += dot(v, v);
    sums.force_squared += dot(f, f);
    sums.largest_force =
        std::max({sums.largest_force, std::fabs(f.x), std::fabs(f.y), std::fabs(f.z)});
  }
  return sums;
}

void FireMinimizer::step(ParticleStore& particles, const Sums& sums) {
  double keep = 0.0, turn = 0.0;
  if (sums.power > 0.0) {
    keep = 1.0 - mixing_;
    turn = sums.force_squared > 0.0
               ? mixing_ * std::sqrt(sums.velocity_squared / sums.force_squared)
               : 0.0;
    if (++downhill_steps_ > patience) {
      timestep_ = std::min(timestep_ * growth, largest_timestep_);
      mixing_ *= mixing_decay;
    }
  } else {
    downhill_steps_ = 0;
    timestep_ *= shrinkage;
    mixing_ = first_mixing;
  }
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const Vec3& f = particles.force[i];
    Vec3& v = particles.velocity[i];
    v = keep * v + (turn + timestep_) * f;
    Vec3 move = timestep_ * v;
    const double length = std::sqrt(dot(move, move));
    if (length > maximum_displacement_) {
      // Overlaps give huge forces: go in their direction, not by their size.
      const double shorten = maximum_displacement_ / length;
      move *= shorten;
      v *= shorten;
    }
    particles.position[i].x += move.x;
    particles.position[i].y += move.y;
    particles.position[i].z += move.z;
  }
}

}  // namespace sterna::md
