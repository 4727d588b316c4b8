#include "md/integrate/drift_control.hpp"

#include <algorithm>
#include <stdexcept>

namespace sterna::md {

namespace {
constexpr std::size_t samples_per_slab = 4;
}

DriftControl::DriftControl(const Zone& zone, std::span<const double> masses)
    : zone_(zone),
      masses_(masses.begin(), masses.end()),
      sums_(samples_per_slab * static_cast<std::size_t>(zone.slabs)),
      samples_(sums_.size()) {}

std::span<double> DriftControl::measure(const ParticleStore& particles, const Box& box) {
  std::ranges::fill(sums_, 0.0);
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const int slab = slab_along_y(zone_.where, zone_.slabs, particles.position[i], box);
    if (slab < 0) continue;
    double* sums = sums_.data() + samples_per_slab * static_cast<std::size_t>(slab);
    const double mass = masses_[static_cast<std::size_t>(particles.position[i].type)];
    sums[0] += mass;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      sums[1 + axis] += mass * particles.velocity[i][static_cast<int>(axis)];
    }
  }
  return sums_;
}

void DriftControl::add(std::span<const double> sums) {
  for (std::size_t k = 0; k < samples_.size(); ++k) samples_[k] += sums[k];
}

double DriftControl::correct(ParticleStore& particles, const Box& box) {
  std::vector<Vec3> lacking;
  for (std::size_t at = 0; at < samples_.size(); at += samples_per_slab) {
    const double mass = samples_[at];
    const Vec3 momentum{samples_[at + 1], samples_[at + 2], samples_[at + 3]};
    lacking.push_back(mass > 0.0 ? zone_.velocity - (1.0 / mass) * momentum : Vec3{});
  }
  std::ranges::fill(samples_, 0.0);
  double taken_up = 0.0;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const int slab = slab_along_y(zone_.where, zone_.slabs, particles.position[i], box);
    if (slab < 0) continue;
    const double mass = masses_[static_cast<std::size_t>(particles.position[i].type)];
    Vec3& velocity = particles.velocity[i];
    taken_up -= 0.5 * mass * dot(velocity, velocity);
    velocity += lacking[static_cast<std::size_t>(slab)];
    taken_up += 0.5 * mass * dot(velocity, velocity);
  }
  return taken_up;
}

void DriftControl::set_samples(std::span<const double> samples) {
  if (samples.size() != samples_.size()) {
    throw std::invalid_argument("the samples are those of another number of slabs");
  }
  std::ranges::copy(samples, samples_.begin());
}

}  // namespace sterna::md
