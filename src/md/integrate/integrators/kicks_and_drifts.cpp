#include "md/integrate/integrators/kicks_and_drifts.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace sterna::md {
namespace {

typedef double Two __attribute__((vector_size(16)));

Two load(const double* from) {
  Two result;
  std::memcpy(&result, from, sizeof(Two));
  return result;
}
void store(double* to, Two values) {
  std::memcpy(to, &values, sizeof(Two));
}
Two larger(Two a, Two b) {
  return a < b ? b : a;
}
/// The squared lengths of two vectors whose six numbers are contiguous.
Two squares(const Two (&v)[3]) {
  const Two s[3] = {v[0] * v[0], v[1] * v[1], v[2] * v[2]};
  return __builtin_shufflevector(s[0], s[1], 0, 3) + __builtin_shufflevector(s[0], s[2], 1, 2) +
         __builtin_shufflevector(s[1], s[2], 0, 3);
}

}  // namespace

KicksAndDrifts::KicksAndDrifts(double timestep, double first_drift, std::span<const double> masses,
                               std::optional<RigidRotor> rotor)
    : timestep_(timestep), first_drift_(first_drift), rotor_(std::move(rotor)) {
  for (const double mass : masses) half_kick_.push_back(0.5 * timestep / mass);
}

template <bool pending>
void KicksAndDrifts::kick_and_drift(ParticleStore& particles, std::size_t begin, std::size_t end) {
  Position* const position = particles.position.data();
  double* const velocity = &particles.velocity.data()->x;
  const double* const force = &particles.force.data()->x;
  const double dt = first_drift_;
  const bool one_mass = half_kick_.size() == 1;
  const auto half_kick = [&](std::size_t i) {
    return half_kick_[one_mass ? 0 : static_cast<std::size_t>(position[i].type)];
  };
  Two largest_speed{largest_speed_, 0.0}, largest_kick{largest_kick_, 0.0};
  std::size_t i = begin;
  // Two particles are six doubles, handled as three vectors of two: (x1 y1), (z1 x2), (y2 z2).
  for (; i + 2 <= end; i += 2) {
    const double a = half_kick(i), b = half_kick(i + 1);
    const Two factor[3] = {{a, a}, {a, b}, {b, b}};
    Two v[3], kick[3];
    for (std::size_t k = 0; k < 3; ++k) {
      kick[k] = factor[k] * load(force + 3 * i + 2 * k);
      v[k] = load(velocity + 3 * i + 2 * k) + kick[k];
      if constexpr (pending) v[k] += kick[k];
      store(velocity + 3 * i + 2 * k, v[k]);
    }
    Position &p = position[i], &q = position[i + 1];
    store(&p.x, load(&p.x) + dt * v[0]);
    p.z += dt * v[1][0];
    store(&q.x, load(&q.x) + dt * __builtin_shufflevector(v[1], v[2], 1, 2));
    q.z += dt * v[2][1];
    largest_speed = larger(largest_speed, squares(v));
    largest_kick = larger(largest_kick, squares(kick));
  }
  largest_speed_ = std::max(largest_speed[0], largest_speed[1]);
  largest_kick_ = std::max(largest_kick[0], largest_kick[1]);
  for (; i < end; ++i) {
    const double h = half_kick(i);
    double speed = 0.0, kick_length = 0.0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double kick = h * force[3 * i + axis];
      double& v = velocity[3 * i + axis];
      v += kick;
      if constexpr (pending) v += kick;
      (&position[i].x)[axis] += dt * v;
      speed += v * v;
      kick_length += kick * kick;
    }
    largest_speed_ = std::max(largest_speed_, speed);
    largest_kick_ = std::max(largest_kick_, kick_length);
  }
}

void KicksAndDrifts::begin_move(ParticleStore& particles) {
  largest_speed_ = 0.0;
  largest_kick_ = 0.0;
  if (impulses_.forces.empty()) return;
  largest_impulse_ = std::sqrt(kick_by_impulses(particles));
  impulses_ = {};
}

double KicksAndDrifts::kick_by_impulses(ParticleStore& particles) const {
  double largest = 0.0;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const double h = half_kick_[static_cast<std::size_t>(particles.position[i].type)];
    const Vec3 kick = h * impulses_.forces[i];
    particles.velocity[i] += kick;
    largest = std::max(largest, dot(kick, kick));
  }
  if (rotor_) rotor_->kick(particles, impulses_.torques);
  return largest;
}

void KicksAndDrifts::move(ParticleStore& particles, std::size_t begin, std::size_t end) {
  if (kick_is_pending_) {
    kick_and_drift<true>(particles, begin, end);
  } else {
    kick_and_drift<false>(particles, begin, end);
  }
}

void KicksAndDrifts::end_move(ParticleStore& particles) {
  begin_paths(2.0 * timestep_ * (std::sqrt(largest_kick_) + largest_impulse_));
  add_path(first_drift_ * std::sqrt(largest_speed_));
  if (rotor_) rotor_->kick_and_turn(particles, kick_is_pending_, first_drift_);
  kick_is_pending_ = false;
}

void KicksAndDrifts::drift(ParticleStore& particles, double time, MotionStages& stages) {
  double largest = 0.0;
  stages.for_each_part([&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Vec3& v = particles.velocity[i];
      Position& position = particles.position[i];
      position.x += time * v.x;
      position.y += time * v.y;
      position.z += time * v.z;
      largest = std::max(largest, dot(v, v));
    }
  });
  add_path(time * std::sqrt(largest));
  if (rotor_) rotor_->turn(particles, time);
}

bool KicksAndDrifts::complete_velocities(ParticleStore& particles) {
  if (!kick_is_pending_) return false;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const double h = half_kick_[static_cast<std::size_t>(particles.position[i].type)];
    particles.velocity[i] += h * particles.force[i];
  }
  if (rotor_) rotor_->kick(particles, particles.torque.span());
  if (!impulses_.forces.empty()) kick_by_impulses(particles);
  kick_is_pending_ = false;
  return true;
}

}  // namespace sterna::md
