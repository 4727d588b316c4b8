#include "md/forces/external/wall_forces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "md/core/cross_product.hpp"

namespace sterna::md {

WallForces::WallForces(const Box& box, std::span<const Component> components,
                       std::vector<Wall> walls)
    : box_(box), walls_(std::move(walls)) {
  for (const Component& component : components) {
    std::vector<Vec3>& sites = sites_.emplace_back();
    double radius = 0.0;
    for (const Component::LennardJonesSite& site : component.lennard_jones) {
      sites.push_back(site.position);
      radius = std::max(radius, std::sqrt(dot(site.position, site.position)));
    }
    radius_.push_back(radius);
  }
}

void WallForces::finish(ParticleStore& particles, EnergyAndVirial* sums) {
  double energy = 0.0;
  for (const Wall& wall : walls_) {
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      if (wall.where.contains(particles.position[i], box_)) energy += act(wall, particles, i);
    }
  }
  if (sums != nullptr) sums->energy += energy;
}

bool WallForces::reaches(const Wall& wall, std::size_t type, const Vec3& center) const {
  const double distance = wall.surface.foot(center).distance;
  const double radius = wall.on_sites ? radius_[type] : 0.0;
  if (distance - radius >= wall.potential.cutoff()) return false;
  // A molecule with its center behind a wall of Lennard-Jones sites does not feel the wall.
  return wall.potential.is_harmonic() || distance > 0.0;
}

double WallForces::energy_of_one(const Position& position, const Quaternion& orientation) const {
  const auto type = static_cast<std::size_t>(position.type);
  double energy = 0.0;
  for (const Wall& wall : walls_) {
    if (!wall.where.contains(position, box_)) continue;
    const Vec3 center = wall.surface.relative(position.vector(), box_);
    if (!reaches(wall, type, center)) continue;
    const auto add = [&](const Vec3& place) {
      const double distance = wall.surface.foot(place).distance;
      energy += wall.potential.is_harmonic() || distance > 0.0
                    ? wall.potential.at(distance).energy
                    : std::numeric_limits<double>::infinity();
    };
    if (!wall.on_sites) {
      add(center);
      continue;
    }
    for (const Vec3& site : sites_[type]) add(center + orientation.to_lab(site));
  }
  return energy;
}

double WallForces::act(const Wall& wall, ParticleStore& particles, std::size_t i) const {
  const auto type = static_cast<std::size_t>(particles.position[i].type);
  const Vec3 center = wall.surface.relative(particles.position[i].vector(), box_);
  if (!reaches(wall, type, center)) return 0.0;
  const auto force_on = [&](const Vec3& place, double& energy) {
    const WallSurface::Foot foot = wall.surface.foot(place);
    if (!wall.potential.is_harmonic() && foot.distance <= 0.0) {
      throw std::runtime_error(fmt::format(
          "a site of molecule {} is behind a wall, by {:.4g}: the timestep is too long, "
          "or the start is too near to the wall",
          particles.id[i], -foot.distance));
    }
    const WallPotential::Value value = wall.potential.at(foot.distance);
    energy += value.energy;
    return value.force * foot.normal;
  };
  double energy = 0.0;
  if (!wall.on_sites || !particles.turns(i)) {
    particles.force[i] += force_on(center, energy);
    return energy;
  }
  const auto turn = particles.orientation[i].matrix();
  for (const Vec3& site : sites_[type]) {
    const Vec3 arm{dot(turn[0], site), dot(turn[1], site), dot(turn[2], site)};
    const Vec3 force = force_on(center + arm, energy);
    particles.force[i] += force;
    particles.torque[i] += cross(arm, force);
  }
  return energy;
}

}  // namespace sterna::md
