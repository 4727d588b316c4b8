#include "md/integrate/fire_minimizer.hpp"

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
                             double maximum_displacement, std::span<const double> radii)
    : timestep_(first_timestep),
      largest_timestep_(largest_timestep),
      maximum_displacement_(maximum_displacement),
      radii_(radii.begin(), radii.end()) {}

void FireMinimizer::Sums::add(const Vec3& f, const Vec3& v) {
  power += dot(f, v);
  velocity_squared += dot(v, v);
  force_squared += dot(f, f);
  largest_force = std::max({largest_force, std::fabs(f.x), std::fabs(f.y), std::fabs(f.z)});
}

FireMinimizer::Sums FireMinimizer::local_sums(const ParticleStore& particles) const {
  Sums sums;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    sums.add(particles.force[i], particles.velocity[i]);
    const double radius = radius_of(particles, i);
    if (radius > 0.0) sums.add((1.0 / radius) * particles.torque[i], particles.angular_momentum[i]);
  }
  return sums;
}

double FireMinimizer::radius_of(const ParticleStore& particles, std::size_t i) const {
  return particles.rotating() ? radii_[static_cast<std::size_t>(particles.position[i].type)] : 0.0;
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
  const auto advance = [&](const Vec3& f, Vec3& v) {
    v = keep * v + (turn + timestep_) * f;
    Vec3 move = timestep_ * v;
    const double length = std::sqrt(dot(move, move));
    if (length > maximum_displacement_) {
      // Overlaps give huge forces: go in their direction, not by their size.
      const double shorten = maximum_displacement_ / length;
      move *= shorten;
      v *= shorten;
    }
    return move;
  };
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const Vec3 move = advance(particles.force[i], particles.velocity[i]);
    particles.position[i].x += move.x;
    particles.position[i].y += move.y;
    particles.position[i].z += move.z;
    const double radius = radius_of(particles, i);
    if (radius <= 0.0) continue;
    const Vec3 path = advance((1.0 / radius) * particles.torque[i], particles.angular_momentum[i]);
    const Vec3 half = (0.5 / radius) * path;
    particles.orientation[i] =
        (Quaternion{1.0, half.x, half.y, half.z} * particles.orientation[i]).normalized();
  }
}

}  // namespace sterna::md
