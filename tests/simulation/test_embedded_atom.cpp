// Metals by the embedded-atom method, against sums over all pairs by the formulas that the test's own
// table was made from.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "simulation/simulation_support.hpp"
#include "sterna/comm/reduction_batch.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

constexpr double cutoff = 5.5;  // angstrom
constexpr double edge = 3.7;
constexpr int cells = 4;
constexpr double length = cells * edge;

/// (1 - r / cutoff)^3 and its slope.
double window(double r) {
  return std::pow(1.0 - r / cutoff, 3);
}
double window_slope(double r) {
  return -3.0 / cutoff * std::pow(1.0 - r / cutoff, 2);
}
/// What an atom of element b gives to the density at one of element a.
constexpr double density[2][2] = {{9.0, 4.0}, {14.0, 6.0}};
/// eV.
constexpr double repulsion[2][2] = {{2.0, 3.1}, {3.1, 2.6}};
constexpr double binding[2] = {0.8, 1.1};
double embedding(int element, double rho) {
  return -binding[element] * rho / (1.0 + 0.2 * rho);
}
double embedding_slope(int element, double rho) {
  return -binding[element] / std::pow(1.0 + 0.2 * rho, 2);
}

/// A Finnis-Sinclair file of these functions, fine enough for seven digits.
void write_tables(const std::string& path) {
  constexpr int points = 3000;
  const double spacing = cutoff / (points - 10), density_spacing = 60.0 / points;
  std::ofstream file(path);
  file.precision(17);
  file << "a table\nof a\ntest\n2 Aa Bb\n"
       << points << ' ' << density_spacing << ' ' << points << ' ' << spacing << ' ' << cutoff
       << '\n';
  const auto distance = [&](int k) { return std::min(cutoff, k * spacing); };
  for (int b = 0; b < 2; ++b) {
    file << "1 50.0 3.7 fcc\n";
    for (int k = 0; k < points; ++k) file << embedding(b, k * density_spacing) << '\n';
    for (int a = 0; a < 2; ++a) {
      for (int k = 0; k < points; ++k) file << density[a][b] * window(distance(k)) << '\n';
    }
  }
  for (int a = 0; a < 2; ++a) {
    for (int b = 0; b <= a; ++b) {
      for (int k = 0; k < points; ++k) {
        file << distance(k) * repulsion[a][b] * window(distance(k)) << '\n';
      }
    }
  }
}

struct Atom {
  int element;
  Vec3 position;
};

/// Of one element or of two.
std::vector<Atom> crystal(int elements) {
  std::vector<Atom> atoms;
  std::uint64_t state = 7;
  const auto disorder = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return 0.5 * (static_cast<double>(state >> 11) * 0x1p-53 - 0.5);
  };
  const double basis[4][3] = {{0.1, 0.1, 0.1}, {0.1, 0.6, 0.6}, {0.6, 0.1, 0.6}, {0.6, 0.6, 0.1}};
  for (int cell = 0; cell < cells * cells * cells; ++cell) {
    const int place[3] = {cell % cells, cell / cells % cells, cell / (cells * cells)};
    for (const auto& site : basis) {
      Vec3 position;
      for (int axis = 0; axis < 3; ++axis) {
        position[axis] = edge * (place[axis] + site[axis]) + disorder();
      }
      atoms.push_back({static_cast<int>(atoms.size() * 7 / 3) % elements, position});
    }
  }
  return atoms;
}

/// eV and eV/angstrom.
struct Expected {
  double energy = 0.0;
  double virial[6] = {};
  std::vector<Vec3> forces;
};

Expected by_formulas(int elements) {
  const auto atoms = crystal(elements);
  const auto between = [&](std::size_t i, std::size_t j) {
    Vec3 d = atoms[i].position - atoms[j].position;
    for (int axis = 0; axis < 3; ++axis) d[axis] -= length * std::round(d[axis] / length);
    return d;
  };
  Expected expected;
  expected.forces.resize(atoms.size());
  std::vector<double> rho(atoms.size());
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    for (std::size_t j = 0; j < atoms.size(); ++j) {
      const Vec3 d = between(i, j);
      const double r = std::sqrt(dot(d, d));
      if (i == j || r >= cutoff) continue;
      rho[i] += density[atoms[i].element][atoms[j].element] * window(r);
      expected.energy += 0.5 * repulsion[atoms[i].element][atoms[j].element] * window(r);
    }
    expected.energy += embedding(atoms[i].element, rho[i]);
  }
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    for (std::size_t j = 0; j < atoms.size(); ++j) {
      const Vec3 d = between(i, j);
      const double r = std::sqrt(dot(d, d));
      if (i == j || r >= cutoff) continue;
      const int a = atoms[i].element, b = atoms[j].element;
      const double slope = (embedding_slope(a, rho[i]) * density[a][b] +
                            embedding_slope(b, rho[j]) * density[b][a] + repulsion[a][b]) *
                           window_slope(r);
      const Vec3 force = (-slope / r) * d;
      expected.forces[i] += force;
      const int first[] = {0, 1, 2, 0, 0, 1}, second[] = {0, 1, 2, 1, 2, 2};
      for (int k = 0; k < 6; ++k) expected.virial[k] += 0.5 * d[first[k]] * force[second[k]];
    }
  }
  return expected;
}

void write_start(const std::string& folder, int elements) {
  const auto atoms = crystal(elements);
  write_tables(folder + "/alloy.eam.fs");
  std::ofstream file(folder + "/alloy.xyz");
  file.precision(17);
  file << atoms.size() << "\nLattice=\"" << length << " 0 0 0 " << length << " 0 0 0 " << length
       << "\" Properties=species:S:1:pos:R:3\n";
  for (const Atom& atom : atoms) {
    file << (atom.element == 0 ? "A" : "B") << ' ' << atom.position.x << ' ' << atom.position.y
         << ' ' << atom.position.z << '\n';
  }
}

std::string input(const std::string& folder, int steps, const std::string& run = "",
                  const std::string& more = "", int elements = 2) {
  const std::string second = "[[type]]\nname = \"B\"\nmass = 60\nembedded_atom = \"Bb\"\n";
  return fmt::format(
      "units = \"metal\"\n[run]\nsteps = {}\ntimestep = 0.001\n{}\n[start]\nkind = \"file\"\n"
      "file = \"{}/alloy.xyz\"\n{}\n[interaction]\npotential = \"embedded_atom\"\n"
      "embedded_atom_file = \"{}/alloy.eam.fs\"\n[[type]]\nname = \"A\"\nmass = 50\n"
      "embedded_atom = \"Aa\"\n{}",
      steps, run, folder, more, folder, elements == 2 ? second : "");
}

}  // namespace

TEST_CASE(
    "metals and alloys have the energy, forces and virial of their formulas, by all kernels") {
  const comm::Context world;
  const UnitSystem metal = *UnitSystem::by_name("metal");
  const double eV = metal.to_internal(1.0, Dimension::energy);
  const double angstrom = metal.to_internal(1.0, Dimension::length);
  const auto check = [&](int elements, const std::string& kernel, const std::string& halo,
                         const std::string& precision, const Expected& expected,
                         const std::string& folder) {
    CAPTURE(elements);
    CAPTURE(kernel);
    CAPTURE(halo);
    CAPTURE(precision);
    std::string text = input(folder, 0, fmt::format("precision = \"{}\"", precision), "", elements);
    text += fmt::format("[domain]\nhalo_route = \"{}\"\ndecomposition = \"grid\"\n", halo);
    text.insert(text.find("embedded_atom_file"), fmt::format("kernel = \"{}\"\n", kernel));
    Simulation simulation(world, test::input_of(folder, "alloy", text), {.quiet = true});
    CHECK(simulation.run() == Outcome::complete);
    const bool mixed = precision == "mixed";
    CHECK(simulation.last_state().potential_energy ==
          doctest::Approx(expected.energy * eV).epsilon(mixed ? 1e-6 : 1e-8));
    CHECK(simulation.last_state().virial ==
          doctest::Approx((expected.virial[0] + expected.virial[1] + expected.virial[2]) * eV)
              .epsilon(mixed ? 1e-5 : 1e-7));
    const ParticleStore& particles = simulation.particles();
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      const Vec3& right = expected.forces[static_cast<std::size_t>(particles.id[i] - 1)];
      const Vec3 difference = particles.force[i] - (eV / angstrom) * right;
      CHECK(std::sqrt(dot(difference, difference)) < (mixed ? 2e-5 : 1e-6) * eV / angstrom);
    }
  };
  for (const int elements : {1, 2}) {
    const test::SharedFolder folder(world);
    if (world.rank() == 0) write_start(folder.path(), elements);
    comm::barrier(world);
    const Expected expected = by_formulas(elements);
    for (const std::string kernel : {"auto", "avx2", "baseline"}) {
      for (const std::string precision : {"double", "mixed"}) {
        check(elements, kernel, "direct", precision, expected, folder.path());
      }
    }
    check(elements, "auto", "staged", "double", expected, folder.path());
  }
}

TEST_CASE("the energy of an alloy stays, and does not depend on ranks") {
  const comm::Context world;
  const comm::Context alone = world.split(world.rank());
  const test::SharedFolder folder(world);
  if (world.rank() == 0) write_start(folder.path(), 2);
  comm::barrier(world);
  const std::string motion = "temperature = 800\n";
  for (const std::string precision : {"double", "mixed"}) {
    CAPTURE(precision);
    const std::string run = fmt::format("precision = \"{}\"", precision);
    Simulation simulation(
        world, test::input_of(folder.path(), "hot", input(folder.path(), 200, run, motion)),
        {.quiet = true});
    double lowest = 1e300, highest = -1e300;
    simulation.on_step([&](std::int64_t step) {
      if (step % 10 != 0 || step == 0) return;
      const double energy = simulation.last_state().total_energy;
      lowest = std::min(lowest, energy), highest = std::max(highest, energy);
    });
    CHECK(simulation.run() == Outcome::complete);
    CHECK(highest - lowest < 2e-3 * simulation.last_state().kinetic_energy);
  }
  const test::SharedFolder own(alone);
  const auto text = input(folder.path(), 60, "", motion);
  Simulation one(alone, test::input_of(own.path(), "one", text), {.quiet = true});
  Simulation all(world, test::input_of(folder.path(), "all", text), {.quiet = true});
  CHECK(one.run() == Outcome::complete);
  CHECK(all.run() == Outcome::complete);
  CHECK(all.last_state().potential_energy ==
        doctest::Approx(one.last_state().potential_energy).epsilon(1e-11));
}
