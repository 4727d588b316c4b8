// Runs of molecules that span ranks. One rank computes all of such a molecule, or each rank what its
// atoms need, as where pairs are computed on both sides of a border. The two differ by rounding only.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "domain/domain_support.hpp"
#include "simulation/simulation_support.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

constexpr int edge = 4, atoms = 4, molecule_count = edge * edge * edge;
constexpr double spacing = 3.5;

/// Chains along x that zigzag in y, in rows through the box.
void write_start(const comm::Context& world, const std::string& path) {
  if (world.rank() == 0) {
    std::ofstream out(path);
    const double length = edge * spacing;
    out << fmt::format("{}\nLattice=\"{} 0 0 0 {} 0 0 0 {}\" Properties=species:S:1:pos:R:3\n",
                       molecule_count * atoms, length, length, length);
    for (int m = 0; m < molecule_count; ++m) {
      const auto key = static_cast<std::uint64_t>(m);
      const double x0 = length * test::uniform(key, 9);
      for (int k = 0; k < atoms; ++k) {
        const auto purpose = static_cast<std::uint64_t>(3 * k + 20);
        const double x = x0 + 0.9 * k + 0.05 * test::uniform(key, purpose);
        const double y = spacing * (m / edge % edge) + (k % 2 == 0 ? 0.3 : -0.3) +
                         0.05 * test::uniform(key, purpose + 1);
        const double z = spacing * (m / edge / edge) + spacing / edge * (m % edge) +
                         0.05 * test::uniform(key, purpose + 2);
        out << fmt::format("{} {} {} {}\n", k == 0 ? "H" : "A", x, y, z);
      }
    }
  }
  comm::barrier(world);
}

std::string text_of(const std::string& start, const std::string& precision) {
  return fmt::format(
      "[run]\nsteps = 30\ntimestep = 0.002\nprecision = \"{}\"\n[start]\nkind = \"file\"\n"
      "file = \"{}\"\ntemperature = 0.8\n[[type]]\nname = \"H\"\nepsilon = 0.2\nsigma = 0.5\n"
      "[[type]]\nname = \"A\"\nepsilon = 0.4\nsigma = 0.6\n[interaction]\ncutoff = 2.5\n"
      "[neighbor]\nskin = 0.3\n[electrostatics]\nkind = \"ewald\"\naccuracy = 1e-6\n"
      "[[molecule]]\nname = \"chain\"\ncount = {}\nlennard_jones_14 = 0.5\ncoulomb_14 = 0.8\n"
      "atom = [\n{{type = \"H\", charge = 0.3}},\n{{type = \"A\", charge = -0.3}},\n"
      "{{type = \"A\", charge = 0.2}},\n{{type = \"A\", charge = -0.2}}]\n"
      "[[molecule.bond]]\npotential = \"harmonic\"\nstiffness = 120\nr0 = 1.1\n"
      "atoms = [[1, 2], [2, 3], [3, 4]]\n[[molecule.angle]]\npotential = \"harmonic\"\n"
      "bending_stiffness = 8\ntheta0 = 120\natoms = [[1, 2, 3], [2, 3, 4]]\n"
      "[[molecule.torsion]]\npotential = \"opls\"\nv1 = 0.7\nv2 = -0.3\nv3 = 1.1\nv4 = 0.2\n"
      "atoms = [[1, 2, 3, 4]]\n",
      precision, start, molecule_count);
}

/// Has lists of whole surroundings, with which each pair is computed on both sides of a border.
constexpr const char* hydrogen_bonds =
    "[[group]]\nname = \"hydrogens\"\nselect = \"type H\"\n[[group]]\nname = \"acceptors\"\n"
    "select = \"type A\"\n[hydrogen_bonds]\ninterval = 10\nhydrogens = \"hydrogens\"\n"
    "acceptors = \"acceptors\"\ndistance = 1.5\n";

struct Result {
  std::vector<double> positions, forces;  ///< three numbers of each atom
  std::map<std::string, double> energies;
  double pressure;
};

Result run(const comm::Context& world, const std::string& precision, const std::string& more) {
  const test::SharedFolder folder(world);
  const std::string start = folder.path() + "/start.extxyz";
  write_start(world, start);
  const Input input = test::input_of(folder.path(), "chains", text_of(start, precision) + more);
  Simulation simulation(world, input, {.quiet = true});
  simulation.run();
  Result result;
  result.positions.assign(3 * molecule_count * atoms, 0.0);
  result.forces = result.positions;
  const ParticleStore& particles = simulation.particles();
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const auto at = 3 * static_cast<std::size_t>(particles.id[i] - 1);
    for (int axis = 0; axis < 3; ++axis) {
      const auto k = at + static_cast<std::size_t>(axis);
      result.positions[k] = particles.position[i].vector()[axis];
      result.forces[k] = particles.force[i][axis];
    }
  }
  comm::ReductionBatch batch(world, "atoms");
  batch.sum(result.positions.data(), result.positions.size())
      .sum(result.forces.data(), result.forces.size())
      .run();
  const ThermodynamicState state = simulation.last_state();
  for (const auto& term : state.terms) {
    result.energies[term.name] = term.energy;
    for (const auto& part : term.parts) result.energies[part.name] = part.energy;
  }
  result.pressure = state.pressure;
  return result;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = std::max(largest, std::abs(a[k] - b[k]));
  return largest;
}

}  // namespace

TEST_CASE("molecules that one rank computes for others move as those that each rank computes") {
  const comm::Context world;
  for (const bool mixed : {false, true}) {
    CAPTURE(mixed);
    const std::string precision = mixed ? "mixed" : "double";
    const Result expected = run(world, precision, hydrogen_bonds);
    for (const char* halo : {"direct", "staged"}) {
      CAPTURE(halo);
      const Result found =
          run(world, precision,
              fmt::format("[domain]\ndecomposition = \"grid\"\nhalo_route = \"{}\"\n", halo));
      const double rounding = mixed ? 2e-5 : 1e-10;
      CHECK(largest_difference(found.positions, expected.positions) < 0.1 * rounding);
      CHECK(largest_difference(found.forces, expected.forces) < 20.0 * rounding);
      for (const auto& [name, energy] : expected.energies) {
        INFO(name);
        CHECK(found.energies.at(name) == doctest::Approx(energy).epsilon(rounding));
      }
      CHECK(found.pressure == doctest::Approx(expected.pressure).epsilon(10.0 * rounding));
    }
  }
}
