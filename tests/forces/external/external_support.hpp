#pragma once

// Molecules for tests of terms that act on each of them alone.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "md/core/random.hpp"
#include "md/forces/force_term.hpp"
#include "md/model/component.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md::test {

/// An atom, and a molecule with sites of all kinds off its center.
inline std::vector<Component> components() {
  Component atom;
  atom.name = "atom";
  atom.lennard_jones = {{{}, 1.0, 1.0}};
  Component molecule;
  molecule.name = "molecule";
  molecule.lennard_jones = {{{0.3, 0.0, 0.1}, 1.0, 1.0}, {{-0.2, 0.15, -0.1}, 0.5, 0.9}};
  molecule.charges = {{{0.25, 0.1, 0.0}, 0.8}, {{-0.1, -0.2, 0.3}, -0.5}};
  molecule.dipoles = {{{0.0, 0.1, 0.0}, {0.1, -0.2, 0.4}}};
  molecule.mass = 2.5;
  molecule.inertia = {1.0, 1.5, 2.0};
  return {atom, molecule};
}

inline ParticleStore molecules_at(const std::vector<Vec3>& places) {
  ParticleStore store;
  store.set_rotating(true);
  store.resize_local(places.size());
  RandomStream stream(5, RandomPurpose::orientation);
  for (std::size_t i = 0; i < places.size(); ++i) {
    RandomSequence random = stream.sequence(i + 1, 0);
    store.position[i] = {places[i].x, places[i].y, places[i].z, static_cast<std::int64_t>(i % 2)};
    store.orientation[i] =
        Quaternion{random.normal(), random.normal(), random.normal(), random.normal()}.normalized();
    store.velocity[i] = {};
    store.angular_momentum[i] = {};
    store.id[i] = static_cast<std::int64_t>(i) + 1;
    store.image[i] = {};
  }
  return store;
}

inline double energy_of(ForceTerm& term, ParticleStore& store) {
  for (std::size_t i = 0; i < store.local_count(); ++i) store.force[i] = store.torque[i] = {};
  EnergyAndVirial sums;
  term.finish(store, &sums);
  return sums.energy;
}

/// Largest difference of forces and torques from what central differences of the energy say.
inline double error_of_forces(ForceTerm& term, ParticleStore& store) {
  energy_of(term, store);
  std::vector<Vec3> forces(store.force.data(), store.force.data() + store.local_count());
  std::vector<Vec3> torques(store.torque.data(), store.torque.data() + store.local_count());
  double largest = 0.0;
  const double h = 1e-5;
  for (std::size_t i = 0; i < store.local_count(); ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      double& coordinate = (&store.position[i].x)[axis];
      const double kept = coordinate;
      coordinate = kept + h;
      const double up = energy_of(term, store);
      coordinate = kept - h;
      const double down = energy_of(term, store);
      coordinate = kept;
      largest = std::max(largest, std::fabs((down - up) / (2.0 * h) - forces[i][axis]));
      // Turned about this axis of the laboratory.
      const Quaternion orientation = store.orientation[i];
      const auto turned = [&](double angle) {
        Quaternion turn{std::cos(0.5 * angle), 0.0, 0.0, 0.0};
        (&turn.x)[axis] = std::sin(0.5 * angle);
        store.orientation[i] = turn * orientation;
        return energy_of(term, store);
      };
      const double left = turned(h), right = turned(-h);
      store.orientation[i] = orientation;
      largest = std::max(largest, std::fabs((right - left) / (2.0 * h) - torques[i][axis]));
    }
  }
  return largest;
}

}  // namespace sterna::md::test
