#pragma once

// Groups of atoms on any number of ranks, and what a term of biases makes of them.

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "md/core/random.hpp"
#include "md/forces/bias/bias_forces.hpp"
#include "md/system/particle_store.hpp"
#include "md/system/selection_expression.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md::test {

/// Atoms by id, without regard to the box, whose corner they surround.
struct Atoms {
  Box box;
  std::vector<Vec3> places;

  std::vector<double> masses() const { return {1.0, 3.5}; }
  double mass(std::size_t i) const { return masses()[i % 2]; }
};

constexpr std::size_t atoms_of_group = 6;

inline double uniform(RandomSequence& random) {
  return 2.0 * random.uniform() - 1.0;
}

/// Four groups of six atoms, some two lengths apart.
inline Atoms four_groups() {
  Atoms atoms{{{12.0, 13.0, 14.0}, {1.5, -1.0, 2.0}}, {}};
  RandomStream stream(11, RandomPurpose::velocity);
  const Vec3 centers[4] = {{0.1, 0.2, -0.3}, {1.9, 0.4, 0.2}, {2.3, 2.2, -0.4}, {3.1, 2.6, 1.7}};
  for (std::size_t i = 0; i < 4 * atoms_of_group; ++i) {
    RandomSequence random = stream.sequence(i + 1, 0);
    const double x = uniform(random), y = uniform(random), z = uniform(random);
    atoms.places.push_back(centers[i / atoms_of_group] + 0.7 * Vec3{x, y, z});
  }
  return atoms;
}

/// This rank's part, wrapped into the box.
inline void fill(ParticleStore& store, const comm::Context& world, const Atoms& atoms) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < atoms.places.size(); ++i) {
    if (static_cast<int>((7 * i) % static_cast<std::size_t>(world.size())) == world.rank()) ++count;
  }
  store.resize_local(count);
  std::size_t at = 0;
  // In another order than that of the ids.
  for (std::size_t k = atoms.places.size(); k-- > 0;) {
    if (static_cast<int>((7 * k) % static_cast<std::size_t>(world.size())) != world.rank())
      continue;
    int image[3];
    const Vec3 place = atoms.box.wrap(atoms.places[k], image);
    store.position[at] = {place.x, place.y, place.z, static_cast<std::int64_t>(k % 2)};
    store.image[at] = {image[0], image[1], image[2]};
    store.id[at] = static_cast<std::int64_t>(k) + 1;
    store.velocity[at] = {};
    ++at;
  }
}

inline AtomGroup group_of_ids(const std::string& text) {
  static const Topology none;
  const std::vector<AtomGroup::Particle> particles{{"A", "A", "A", "A", 1.0, 0.0},
                                                   {"B", "B", "B", "B", 3.5, 0.0}};
  return AtomGroup("g", SelectionExpression(text), none, particles,
                   *UnitSystem::by_name("reduced"));
}

/// A variable of the first groups.
inline BiasForces::Variable variable_of(const std::string& kind, std::size_t groups) {
  BiasForces::Variable variable;
  variable.options.name = "x";
  variable.options.kind = kind;
  variable.options.radius = 1.3;
  variable.options.axis = Axis::z;
  for (std::size_t g = 0; g < groups; ++g) {
    const std::size_t first = atoms_of_group * g + 1;
    variable.options.groups.push_back("g" + std::to_string(g));
    variable.groups.push_back(group_of_ids("id " + std::to_string(first) + ":" +
                                           std::to_string(first + atoms_of_group - 1)));
  }
  return variable;
}

/// What all ranks together have.
struct Whole {
  double energy = 0.0;
  double virial[6] = {};
  std::vector<Vec3> forces;
};

/// A term of biases on the atoms, which may be moved between two calls.
class BiasedAtoms {
 public:
  BiasedAtoms(const comm::Context& world, Atoms atoms_, std::vector<BiasForces::Variable> variables,
              std::vector<BiasOptions> biases, const BiasForces::Options& options = {})
      : atoms(std::move(atoms_)), world_(world) {
    term = std::make_unique<BiasForces>(world, atoms.box, std::move(variables), std::move(biases),
                                        atoms.masses(), options);
    fill(store_, world_, atoms);
  }

  Whole at_step(std::int64_t step) {
    fill(store_, world_, atoms);
    term->rebuild(store_);
    for (std::size_t i = 0; i < store_.local_count(); ++i) store_.force[i] = {};
    term->begin_step({step, 0.5 * static_cast<double>(step), 0.5, atoms.box});
    term->start(store_);
    EnergyAndVirial sums;
    term->finish(store_, &sums);
    Whole whole;
    whole.energy = sums.energy;
    whole.forces.assign(atoms.places.size(), Vec3{});
    for (std::size_t i = 0; i < store_.local_count(); ++i) {
      whole.forces[static_cast<std::size_t>(store_.id[i]) - 1] = store_.force[i];
    }
    for (std::size_t k = 0; k < 6; ++k) whole.virial[k] = sums.virial[k];
    comm::ReductionBatch batch(world_, "biased atoms");
    batch.sum(whole.energy).sum(whole.virial, 6).sum(&whole.forces[0].x, 3 * whole.forces.size());
    batch.run();
    return whole;
  }

  Atoms atoms;
  std::unique_ptr<BiasForces> term;

 private:
  comm::Context world_;
  ParticleStore store_;
};

}  // namespace sterna::md::test
