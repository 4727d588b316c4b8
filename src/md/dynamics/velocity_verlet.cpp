#include "md/dynamics/velocity_verlet.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sterna::md {

VelocityVerlet::VelocityVerlet(double timestep, std::span<const double> masses,
                               std::optional<RigidRotor> rotor)
    : timestep_(timestep), rotor_(std::move(rotor)) {
  for (const double mass : masses) half_kick_.push_back(0.5 * timestep / mass);
}

template <bool pending>
void VelocityVerlet::kick_and_drift(ParticleStore& particles) {
  const std::size_t count = particles.local_count();
  Position* position = particles.position.data();
  Vec3* velocity = particles.velocity.data();
  const Vec3* force = particles.force.data();
  const double dt = timestep_;
  double largest_speed = 0.0, largest_kick = 0.0;  // squared
  const auto move = [&](std::size_t i, double h) {
    double speed = 0.0, kick_length = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
      const double kick = h * force[i][axis];
      double v = velocity[i][axis] + kick;
      if constexpr (pending) v += kick;
      velocity[i][axis] = v;
      (&position[i].x)[axis] += dt * v;
      speed += v * v;
      kick_length += kick * kick;
    }
    largest_speed = std::max(largest_speed, speed);
    largest_kick = std::max(largest_kick, kick_length);
  };
  if (half_kick_.size() == 1) {
    const double h = half_kick_[0];
    for (std::size_t i = 0; i < count; ++i) move(i, h);
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      move(i, half_kick_[static_cast<std::size_t>(position[i].type)]);
    }
  }
  longest_path_ = dt * std::sqrt(largest_speed);
  longest_gain_ = 2.0 * dt * std::sqrt(largest_kick);
}

void VelocityVerlet::start_step(ParticleStore& particles) {
  if (kick_pending_) {
    kick_and_drift<true>(particles);
  } else {
    kick_and_drift<false>(particles);
  }
  if (rotor_) rotor_->start_step(particles, kick_pending_);
  kick_pending_ = false;
}

void VelocityVerlet::complete_velocities(ParticleStore& particles) {
  if (!kick_pending_) return;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const double h = half_kick_[static_cast<std::size_t>(particles.position[i].type)];
    particles.velocity[i] += h * particles.force[i];
  }
  if (rotor_) rotor_->finish_kick(particles);
  kick_pending_ = false;
}

}  // namespace sterna::md
