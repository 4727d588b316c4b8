#pragma once

// Triangles and a chain that is longer than half the box, whose distances are all constrained.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "simulation/simulation_support.hpp"

namespace sterna::md::test::constrained {

inline constexpr int edge = 5, triangles = edge * edge * edge, chain_atoms = 9;
inline constexpr double spacing = 1.3, length = edge * spacing, height = 8.5;
inline constexpr double leg = 0.35, base = 0.55, link = 1.0;
inline constexpr double tolerance = 1e-8;

struct Pair {
  std::int64_t first, second;  ///< ids
  double distance;
};

inline std::vector<Pair> constraints() {
  std::vector<Pair> pairs;
  for (std::int64_t first = 1; first < 3 * triangles; first += 3) {
    pairs.push_back({first, first + 1, leg});
    pairs.push_back({first, first + 2, leg});
    pairs.push_back({first + 1, first + 2, base});
  }
  for (int k = 1; k < chain_atoms; ++k) {
    pairs.push_back({3 * triangles + k, 3 * triangles + k + 1, link});
  }
  return pairs;
}

/// Triangles on a lattice, and above them the chain, which winds through the faces of the box.
/// Distances are as far from the constraints as a start of few digits has them.
inline std::string start_text() {
  std::string text =
      fmt::format("{}\nLattice=\"{} 0 0 0 {} 0 0 0 {}\" Properties=species:S:1:pos:R:3\n",
                  3 * triangles + chain_atoms, length, length, height);
  const double high = std::sqrt(leg * leg - 0.25 * base * base);
  for (int k = 0; k < triangles; ++k) {
    const Vec3 at = spacing * Vec3{k % edge + 0.2, k / edge % edge + 0.5, k / (edge * edge) + 0.4};
    text += fmt::format("A {:.3f} {:.3f} {:.3f}\n", at.x, at.y, at.z);
    text += fmt::format("B {:.3f} {:.3f} {:.3f}\n", at.x + high, at.y + 0.5 * base, at.z);
    text += fmt::format("B {:.3f} {:.3f} {:.3f}\n", at.x + high, at.y - 0.5 * base, at.z);
  }
  for (int k = 0; k < chain_atoms; ++k) {
    text += fmt::format("C {:.3f} {:.3f} {:.3f}\n", 0.9 * k + 0.3, 0.3 * k + 0.2 * (k % 2), 7.5);
  }
  return text;
}

inline std::string molecules_text() {
  std::string text = fmt::format(
      "[[molecule]]\nname = \"triangle\"\ncount = {}\n"
      "atom = [{{type = \"A\"}}, {{type = \"B\"}}, {{type = \"B\"}}]\n"
      "[[molecule.constraint]]\ndistance = {}\natoms = [[1, 2], [1, 3]]\n"
      "[[molecule.constraint]]\ndistance = {}\natoms = [2, 3]\n"
      "[[molecule]]\nname = \"chain\"\ncount = 1\nconstrained_bonds = \"all\"\natom = [",
      triangles, leg, base);
  for (int k = 0; k < chain_atoms; ++k) text += "{type = \"C\"}, ";
  text += fmt::format(
      "]\n[[molecule.bond]]\npotential = \"harmonic\"\nstiffness = 100\nr0 = {}\natoms = [", link);
  for (int k = 1; k < chain_atoms; ++k) text += fmt::format("[{}, {}], ", k, k + 1);
  return text + "]\n";
}

inline Input input_of(const comm::Context& world, const std::string& folder, int steps,
                      double timestep = 0.001, const std::string& more = "") {
  if (world.rank() == 0) std::ofstream(folder + "/start.extxyz") << start_text();
  comm::barrier(world);
  const std::string text = fmt::format(
      "[run]\nsteps = {}\ntimestep = {}\nconstraint_tolerance = {}\n"
      "[start]\nkind = \"file\"\nfile = \"{}/start.extxyz\"\ntemperature = 0.9\n"
      "[[type]]\nname = \"A\"\nmass = 8.0\n[[type]]\nname = \"B\"\nmass = 0.5\nepsilon = 0\n"
      "[[type]]\nname = \"C\"\nmass = 2.0\nsigma = 0.8\n"
      "[interaction]\ncutoff = 2.2\ntruncation = \"switched\"\nswitch_start = 1.8\n"
      "[neighbor]\nskin = 0.3\n",
      steps, timestep, tolerance, folder);
  return test::input_of(folder, "constraints", text + more + molecules_text());
}

/// Particles by id; empty on all ranks but the first.
inline std::map<std::int64_t, ParticleRecord> particles_by_id(Simulation& simulation) {
  std::map<std::int64_t, ParticleRecord> particles;
  for (const ParticleRecord& record : simulation.gather(0)) particles[record.id] = record;
  return particles;
}

/// The largest relative deviation of a distance, and the largest relative velocity along one.
inline std::pair<double, double> violation(Simulation& simulation) {
  const auto atoms = particles_by_id(simulation);
  double distance = 0.0, velocity = 0.0;
  if (atoms.empty()) return {};
  for (const Pair& pair : constraints()) {
    const ParticleRecord &a = atoms.at(pair.first), &b = atoms.at(pair.second);
    const Vec3 d = simulation.box().nearest_image(a.position.vector() - b.position.vector());
    const double r = std::sqrt(dot(d, d));
    distance = std::max(distance, std::abs(r / pair.distance - 1.0));
    velocity = std::max(velocity, std::abs(dot(a.velocity - b.velocity, d)) / r);
  }
  return {distance, velocity};
}

}  // namespace sterna::md::test::constrained
