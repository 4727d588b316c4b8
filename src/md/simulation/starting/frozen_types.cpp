#include "md/simulation/starting/frozen_types.hpp"

#include <algorithm>
#include <limits>

namespace sterna::md {

FrozenTypes::FrozenTypes(const Input& input, std::span<const std::string> names,
                         std::span<const double> masses)
    : keep_momentum_(input.freezes.empty()) {
  const auto is_site = [](double mass) { return mass == 0.0; };
  if (input.freezes.empty() && std::ranges::none_of(masses, is_site)) return;
  flags_.assign(names.size(), 0);
  velocities_.assign(names.size(), {});
  for (const Input::Freeze& freeze : input.freezes) {
    const auto type =
        static_cast<std::size_t>(std::ranges::find(names, freeze.component) - names.begin());
    flags_[type] = 1;
    velocities_[type] = freeze.velocity;
  }
  for (std::size_t type = 0; type < masses.size(); ++type) {
    if (is_site(masses[type])) flags_[type] = 1;
  }
}

std::vector<double> FrozenTypes::inertial_masses(std::vector<double> masses) const {
  for (std::size_t type = 0; type < flags_.size(); ++type) {
    if (flags_[type] != 0) masses[type] = std::numeric_limits<double>::infinity();
  }
  return masses;
}

std::vector<double> FrozenTypes::counted_masses(std::vector<double> masses) const {
  for (std::size_t type = 0; type < flags_.size(); ++type) {
    if (flags_[type] != 0) masses[type] = 0.0;
  }
  return masses;
}

std::vector<Vec3> FrozenTypes::inertia(std::vector<Vec3> moments) const {
  for (std::size_t type = 0; type < flags_.size(); ++type) {
    if (flags_[type] != 0) moments[type] = {};
  }
  return moments;
}

void FrozenTypes::set_velocities(ParticleStore& particles) const {
  if (flags_.empty()) return;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    if (!is_frozen(particles.position[i])) continue;
    const auto& velocity = velocities_[static_cast<std::size_t>(particles.position[i].type)];
    if (!velocity) continue;
    particles.velocity[i] = *velocity;
    if (particles.turns(i)) particles.angular_momentum[i] = {};
  }
}

void FrozenTypes::clear_forces(ParticleStore& particles) const {
  if (flags_.empty()) return;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    if (!is_frozen(particles.position[i])) continue;
    particles.force[i] = {};
    if (particles.turns(i)) particles.torque[i] = {};
  }
}

}  // namespace sterna::md
