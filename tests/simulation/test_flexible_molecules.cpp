// Flexible molecules on any number of ranks: a box of rings that are bonded to themselves through
// it, and a chain that is as long as the box many times over, against sums over all pairs.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "md/core/cross_product.hpp"
#include "md/core/file_error.hpp"
#include "md/forces/coulomb/ewald.hpp"
#include "md/output/checkpoint.hpp"
#include "simulation/force_error.hpp"
#include "simulation/simulation_support.hpp"
#include "sterna/comm/methods.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

constexpr int edge = 7;  // atoms
constexpr double spacing = 1.1, length = edge * spacing, cutoff = 2.5;
constexpr int rings = 21, ring_atoms = edge, chain_atoms = 4 * edge * edge;
constexpr int atom_count = rings * ring_atoms + chain_atoms;
constexpr double lennard_jones_14 = 0.5, coulomb_14 = 0.8;
constexpr double stiffness = 120.0, r0 = 1.15;
constexpr double bending = 8.0, theta0 = 140.0;
constexpr double v1 = 0.7, v2 = -0.3, v3 = 1.1, v4 = 0.2;

/// Rows of atoms along x, each wound about its axis: no three atoms are on a line.
std::vector<Vec3> start_positions() {
  std::mt19937_64 engine(5);
  std::uniform_real_distribution<double> jitter(-0.04, 0.04);
  std::vector<Vec3> positions;
  const auto place = [&](int x, int y, int z) {
    const double angle = 4.0 * std::numbers::pi * x / edge;
    const double dx = jitter(engine), dy = jitter(engine), dz = jitter(engine);
    Vec3 at = spacing * Vec3{x + 0.5, y + 0.5, z + 0.5} +
              Vec3{dx, 0.3 * std::cos(angle) + dy, 0.3 * std::sin(angle) + dz};
    for (int axis = 0; axis < 3; ++axis) at[axis] -= length * std::floor(at[axis] / length);
    positions.push_back(at);
  };
  for (int ring = 0; ring < rings; ++ring) {
    for (int x = 0; x < edge; ++x) place(x, ring % edge, ring / edge);
  }
  // There and back, row after row and layer after layer.
  int x = 0, y = 0, step_x = 1, step_y = 1;
  for (int z = 3; z < edge; ++z, step_y = -step_y) {
    for (int row = 0; row < edge; ++row, step_x = -step_x) {
      for (int k = 0; k < edge; ++k) {
        place(x, y, z);
        if (k + 1 < edge) x += step_x;
      }
      if (row + 1 < edge) y += step_y;
    }
  }
  return positions;
}

bool in_ring(int atom) {
  return atom < rings * ring_atoms;
}
/// How many bonds two atoms are apart; -1: of different molecules.
int bonds_between(int a, int b) {
  if (in_ring(a) != in_ring(b)) return -1;
  if (!in_ring(a)) return std::abs(a - b);
  if (a / ring_atoms != b / ring_atoms) return -1;
  const int direct = std::abs(a - b);
  return std::min(direct, ring_atoms - direct);
}
double charge_of(int atom) {
  constexpr std::array<double, ring_atoms> of_ring{0.3, -0.3, 0.3, -0.3, 0.2, -0.2, 0.0};
  if (in_ring(atom)) return of_ring[static_cast<std::size_t>(atom % ring_atoms)];
  return atom % 2 == 0 ? 0.25 : -0.25;
}
/// The next atoms along a molecule, `size` of them; empty where it ends before.
std::vector<std::size_t> run_from(int atom, int size) {
  std::vector<std::size_t> atoms;
  for (int k = 0; k < size; ++k) {
    int next = atom + k;
    if (in_ring(atom)) next = atom / ring_atoms * ring_atoms + (atom % ring_atoms + k) % ring_atoms;
    if (next >= atom_count) return {};
    atoms.push_back(static_cast<std::size_t>(next));
  }
  return atoms;
}

Vec3 nearest(Vec3 d) {
  for (int axis = 0; axis < 3; ++axis) d[axis] -= length * std::round(d[axis] / length);
  return d;
}

/// Energies under the names of the log, but for the charges' at a distance.
std::map<std::string, double> energies_of(const std::vector<Vec3>& at) {
  std::map<std::string, double> sums;
  const auto lennard_jones = [](double r2) {
    const double s6 = 1.0 / (r2 * r2 * r2);
    return 4.0 * 0.4 * (s6 * s6 - s6);
  };
  for (int a = 0; a < atom_count; ++a) {
    const auto i = static_cast<std::size_t>(a);
    for (int b = a + 1; b < atom_count; ++b) {
      const Vec3 d = nearest(at[static_cast<std::size_t>(b)] - at[i]);
      const double r2 = dot(d, d);
      const int bonds = bonds_between(a, b);
      if (bonds == 3) {
        sums["lennard_jones_14"] += lennard_jones_14 * lennard_jones(r2);
        sums["coulomb_14"] += coulomb_14 * charge_of(a) * charge_of(b) / std::sqrt(r2);
      }
      if (bonds >= 0 && bonds <= 3) continue;
      if (r2 < cutoff * cutoff) {
        sums["lennard_jones"] += lennard_jones(r2) - lennard_jones(cutoff * cutoff);
      }
    }
    if (const auto bond = run_from(a, 2); !bond.empty()) {
      const Vec3 d = nearest(at[bond[1]] - at[bond[0]]);
      const double stretch = std::sqrt(dot(d, d)) - r0;
      sums["harmonic_bond"] += 0.5 * stiffness * stretch * stretch;
    }
    if (const auto angle = run_from(a, 3); !angle.empty()) {
      const Vec3 u = nearest(at[angle[0]] - at[angle[1]]), w = nearest(at[angle[2]] - at[angle[1]]);
      const double theta = std::acos(dot(u, w) / std::sqrt(dot(u, u) * dot(w, w)));
      const double bend = theta - theta0 * std::numbers::pi / 180.0;
      sums["harmonic_angle"] += 0.5 * bending * bend * bend;
    }
    if (const auto torsion = run_from(a, 4); !torsion.empty()) {
      const Vec3 b1 = nearest(at[torsion[1]] - at[torsion[0]]);
      const Vec3 b2 = nearest(at[torsion[2]] - at[torsion[1]]);
      const Vec3 b3 = nearest(at[torsion[3]] - at[torsion[2]]);
      const Vec3 m = cross(b1, b2), n = cross(b2, b3);
      const double phi = std::acos(dot(m, n) / std::sqrt(dot(m, m) * dot(n, n)));
      sums["opls_torsion"] += 0.5 * (v1 * (1 + std::cos(phi)) + v2 * (1 - std::cos(2 * phi)) +
                                     v3 * (1 + std::cos(3 * phi)) + v4 * (1 - std::cos(4 * phi)));
    }
  }
  return sums;
}

struct Case {
  int steps = 0;
  std::string electrostatics = "";  ///< lines of the section; empty: no charges
  std::string precision = "double";
  std::string more = "";
  double scale = 1.0;                      ///< of the box and all positions
  double scaled_pairs = lennard_jones_14;  ///< factor of Lennard-Jones pairs three bonds apart
};

/// The lists of atoms of runs of `size` atoms along a molecule.
std::string runs(int atoms, int size, bool closed) {
  std::string text;
  for (int a = 0; a + (closed ? 1 : size) <= atoms; ++a) {
    std::string list;
    for (int k = 0; k < size; ++k) {
      list += fmt::format("{}{}", k == 0 ? "" : ", ", (a + k) % atoms + 1);
    }
    text += fmt::format("[{}],\n", list);
  }
  return text;
}

std::string molecule_text(const char* name, int count, int atoms, bool closed, int first,
                          bool charged, double scaled_pairs) {
  std::string text = fmt::format(
      "[[molecule]]\nname = \"{}\"\ncount = {}\nlennard_jones_14 = {}\ncoulomb_14 = {}\natom = [\n",
      name, count, scaled_pairs, coulomb_14);
  for (int k = 0; k < atoms; ++k) {
    text += fmt::format("{{type = \"A\", charge = {}}},\n", charged ? charge_of(first + k) : 0.0);
  }
  return text + fmt::format(
                    "]\n[[molecule.bond]]\npotential = \"harmonic\"\nstiffness = {}\nr0 = {}\n"
                    "atoms = [{}]\n[[molecule.angle]]\npotential = \"harmonic\"\n"
                    "bending_stiffness = {}\ntheta0 = {}\natoms = [{}]\n[[molecule.torsion]]\n"
                    "potential = \"opls\"\nv1 = {}\nv2 = {}\nv3 = {}\nv4 = {}\natoms = [{}]\n",
                    stiffness, r0, runs(atoms, 2, closed), bending, theta0, runs(atoms, 3, closed),
                    v1, v2, v3, v4, runs(atoms, 4, closed));
}

void write_start(const comm::Context& world, const std::string& path, double scale = 1.0) {
  if (world.rank() == 0) {
    const auto positions = start_positions();
    std::ofstream out(path);
    out << fmt::format("{}\nLattice=\"{} 0 0 0 {} 0 0 0 {}\" Properties=species:S:1:pos:R:3\n",
                       positions.size(), scale * length, scale * length, scale * length);
    for (const Vec3& at : positions) {
      out << fmt::format("A {} {} {}\n", scale * at.x, scale * at.y, scale * at.z);
    }
  }
  comm::barrier(world);
}

std::string common_text(const std::string& start, const Case& wanted) {
  std::string text = fmt::format(
      "[run]\nsteps = {}\ntimestep = 0.002\nprecision = \"{}\"\n[start]\nkind = \"file\"\nfile = "
      "\"{}\"\ntemperature = 0.8\n[[type]]\nname = \"A\"\nepsilon = 0.4\n[interaction]\ncutoff = "
      "{}\n[neighbor]\nskin = 0.3\n",
      wanted.steps, wanted.precision, start, cutoff);
  if (!wanted.electrostatics.empty()) text += "[electrostatics]\n" + wanted.electrostatics;
  return text + wanted.more;
}

Input input_of(const comm::Context& world, const std::string& folder, const Case& wanted) {
  const std::string start = folder + "/start.extxyz";
  write_start(world, start, wanted.scale);
  const bool charged = !wanted.electrostatics.empty();
  return test::input_of(
      folder, "molecules",
      common_text(start, wanted) +
          molecule_text("ring", rings, ring_atoms, true, 0, charged, wanted.scaled_pairs) +
          molecule_text("chain", 1, chain_atoms, false, rings * ring_atoms, charged,
                        wanted.scaled_pairs));
}

std::map<std::string, double> energies_of(const ThermodynamicState& state) {
  std::map<std::string, double> energies;
  for (const auto& term : state.terms) {
    energies[term.name] = term.energy;
    // "bonded_harmonic_bond"
    for (const auto& part : term.parts) {
      energies[part.name.substr(term.name.size() + 1)] = part.energy;
    }
  }
  return energies;
}

/// Forces of all atoms by the whole sums, on every rank: those of the charges at a distance apart.
struct Reference {
  std::map<std::string, double> energies;
  double electrostatic_energy = 0.0;
  std::vector<Vec3> electrostatic_forces;

  Reference() {
    const auto positions = start_positions();
    energies = energies_of(positions);
    std::vector<double> charges;
    std::vector<std::int32_t> molecules;
    for (int a = 0; a < atom_count; ++a) {
      charges.push_back(charge_of(a));
      molecules.push_back(a);
    }
    const Lattice box = Lattice::orthorhombic({length, length, length});
    auto sums = EwaldSolver(box, EwaldSolver::parameters(box, 1e-12, positions.size()))
                    .solve({positions, charges, molecules});
    electrostatic_energy = sums.energy;
    for (int a = 0; a < atom_count; ++a) {
      for (int b = a + 1; b < atom_count; ++b) {
        const int bonds = bonds_between(a, b);
        if (bonds < 0 || bonds > 3) continue;
        const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
        const Vec3 d = nearest(positions[i] - positions[j]);
        const double r = std::sqrt(dot(d, d)), energy = charges[i] * charges[j] / r;
        electrostatic_energy -= energy;
        sums.forces[i] -= (energy / (r * r)) * d;
        sums.forces[j] += (energy / (r * r)) * d;
      }
    }
    electrostatic_forces = sums.forces;
  }
};

}  // namespace

TEST_CASE("energies are those of sums over all pairs, whatever the number of ranks") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const Reference reference;
  Simulation simulation(
      world,
      input_of(world, output.path(), {.electrostatics = "kind = \"ewald\"\naccuracy = 1e-7\n"}),
      {.quiet = true});
  simulation.run();
  const auto energies = energies_of(simulation.last_state());
  for (const auto& [name, energy] : reference.energies) {
    INFO(name);
    REQUIRE(energies.contains(name));
    CHECK(energies.at(name) == doctest::Approx(energy).epsilon(1e-10));
  }
  CHECK(energies.at("electrostatics") ==
        doctest::Approx(reference.electrostatic_energy).epsilon(1e-6));
}

TEST_CASE("the staged halo, whose ghosts travel on, has the same energies") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const auto expected = energies_of(start_positions());
  const Input input = input_of(world, output.path(),
                               {.more = "[domain]\ndecomposition = \"grid\"\nhalo_route = "
                                        "\"staged\"\n"});
  Simulation simulation(world, input, {.quiet = true});
  simulation.run();
  const auto energies = energies_of(simulation.last_state());
  for (const auto& [name, energy] : expected) {
    INFO(name);
    if (name != "coulomb_14") CHECK(energies.at(name) == doctest::Approx(energy).epsilon(1e-10));
  }
}

TEST_CASE("excluded pairs are left out whatever the pair potential is") {
  const comm::Context world;
  const test::SharedFolder output(world);
  constexpr double depth = 0.7, alpha = 3.0, minimum = 1.2;
  const auto morse = [](double r) {
    const double e = std::exp(-alpha * (r - minimum));
    return depth * (e * e - 2.0 * e);
  };
  const auto positions = start_positions();
  double expected = 0.0;
  for (int a = 0; a < atom_count; ++a) {
    for (int b = a + 1; b < atom_count; ++b) {
      const int bonds = bonds_between(a, b);
      if (bonds >= 0 && bonds <= 3) continue;
      const Vec3 d =
          nearest(positions[static_cast<std::size_t>(a)] - positions[static_cast<std::size_t>(b)]);
      const double r = std::sqrt(dot(d, d));
      if (r < cutoff) expected += morse(r) - morse(cutoff);
    }
  }
  for (const std::string precision : {"double", "mixed"}) {
    Input input = input_of(
        world, output.path(),
        {.precision = precision,
         .more = fmt::format("[[pair]]\nfirst = \"A\"\nsecond = \"A\"\npotential = \"morse\"\n"
                             "depth = {}\nalpha = {}\nr0 = {}\n",
                             depth, alpha, minimum),
         .scaled_pairs = 0.0});
    Simulation simulation(world, input, {.quiet = true, .files = false});
    simulation.run(0);
    CHECK(energies_of(simulation.last_state()).at("morse") ==
          doctest::Approx(expected).epsilon(precision == "mixed" ? 1e-5 : 1e-10));
  }
}

TEST_CASE("the virial is minus the slope of the energy over the size of the box") {
  const comm::Context world;
  const test::SharedFolder output(world);
  for (const std::string solver : {"ewald", "fmm"}) {
    INFO(solver);
    const auto state_at = [&](double scale) {
      const Case wanted{.electrostatics = "kind = \"" + solver + "\"\naccuracy = 1e-7\n",
                        .scale = scale};
      Simulation simulation(world, input_of(world, output.path(), wanted),
                            {.quiet = true, .files = false});
      simulation.run(0);
      return simulation.last_state();
    };
    constexpr double change = 1e-4;
    const double slope =
        (state_at(1.0 + change).pair_energy - state_at(1.0 - change).pair_energy) / (2.0 * change);
    CHECK(state_at(1.0).virial == doctest::Approx(-slope).epsilon(1e-4));
  }
}

TEST_CASE("forces are the derivative of these energies, the virial that over strains") {
  const comm::Context world;
  const test::SharedFolder output(world);
  Simulation simulation(world, input_of(world, output.path(), {}), {.quiet = true});
  simulation.run();
  auto positions = start_positions();
  const auto total = [&] {
    double sum = 0.0;
    for (const auto& [name, energy] : energies_of(positions)) {
      if (name != "coulomb_14") sum += energy;
    }
    return sum;
  };
  const ParticleStore& particles = simulation.particles();
  Vec3 force;
  for (std::size_t i = 0; i < particles.local_count(); ++i) force += particles.force[i];
  comm::ReductionBatch batch(world, "test");
  batch.sum(&force.x, 3).run();
  CHECK(std::sqrt(dot(force, force)) < 1e-9);
  // Ends and corners of the chain, and atoms at both sides of the faces of the box.
  for (const std::int64_t id : {1, 4, 7, 150, 154, 196, 343}) {
    Vec3& at = positions[static_cast<std::size_t>(id) - 1];
    Vec3 slope;
    for (int axis = 0; axis < 3; ++axis) {
      const double before = at[axis], step = 1e-4;
      std::array<double, 2> energy{};
      for (const int side : {0, 1}) {
        at[axis] = before + (side == 0 ? -step : step);
        energy[static_cast<std::size_t>(side)] = total();
      }
      at[axis] = before;
      slope[axis] = (energy[1] - energy[0]) / (2.0 * step);
    }
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      if (particles.id[i] != id) continue;
      const Vec3 difference = particles.force[i] + slope;
      INFO(id);
      CHECK(std::sqrt(dot(difference, difference)) < 1e-5 * std::sqrt(dot(slope, slope)) + 1e-5);
    }
  }
}

TEST_CASE("charges by the multipole method, smoothed or not, at the accuracy asked for") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const Reference reference;
  Simulation without(world, input_of(world, output.path(), {}), {.quiet = true, .files = false});
  without.run();
  std::vector<double> others(3 * atom_count, 0.0);
  for (std::size_t i = 0; i < without.particles().local_count(); ++i) {
    const Vec3& f = without.particles().force[i];
    const auto at = 3 * (static_cast<std::size_t>(without.particles().id[i]) - 1);
    others[at] = f.x, others[at + 1] = f.y, others[at + 2] = f.z;
  }
  comm::ReductionBatch batch(world, "test");
  batch.sum(others.data(), others.size()).run();
  for (const std::string method : {"fmm\"\naccuracy = 1e-4\n", "fmm\"\naccuracy = 1e-6\n",
                                   "fmm\"\naccuracy = 1e-4\nsmoothing = 0.3\n"}) {
    const bool fine = method.find("1e-6") != std::string::npos;
    INFO(method);
    Simulation simulation(world,
                          input_of(world, output.path(), {.electrostatics = "kind = \"" + method}),
                          {.quiet = true});
    simulation.run();
    const auto energies = energies_of(simulation.last_state());
    CHECK(energies.at("electrostatics") ==
          doctest::Approx(reference.electrostatic_energy).epsilon(fine ? 1e-5 : 1e-3));
    // What is left when the others are subtracted, and the pairs three bonds apart.
    std::vector<Vec3> all = reference.electrostatic_forces;
    const auto positions = start_positions();
    for (int a = 0; a < atom_count; ++a) {
      const auto i = static_cast<std::size_t>(a);
      all[i] += Vec3{others[3 * i], others[3 * i + 1], others[3 * i + 2]};
      for (int b = 0; b < atom_count; ++b) {
        if (bonds_between(a, b) != 3) continue;
        const Vec3 d = nearest(positions[i] - positions[static_cast<std::size_t>(b)]);
        const double r2 = dot(d, d);
        all[i] += (coulomb_14 * charge_of(a) * charge_of(b) / (r2 * std::sqrt(r2))) * d;
      }
    }
    CHECK(test::error_of_forces(world, simulation.particles(), all) < (fine ? 1e-6 : 1e-4));
  }
}

TEST_CASE("mixed precision: the same forces but for its rounding") {
  const comm::Context world;
  const test::SharedFolder output(world);
  std::vector<double> forces(3 * atom_count, 0.0);
  {
    Simulation simulation(world, input_of(world, output.path(), {}), {.quiet = true});
    simulation.run();
    for (std::size_t i = 0; i < simulation.particles().local_count(); ++i) {
      const auto at = 3 * (static_cast<std::size_t>(simulation.particles().id[i]) - 1);
      const Vec3& f = simulation.particles().force[i];
      forces[at] = f.x, forces[at + 1] = f.y, forces[at + 2] = f.z;
    }
  }
  comm::ReductionBatch batch(world, "test");
  batch.sum(forces.data(), forces.size()).run();
  std::vector<Vec3> reference;
  for (std::size_t i = 0; i < forces.size(); i += 3) {
    reference.push_back({forces[i], forces[i + 1], forces[i + 2]});
  }
  Simulation simulation(world, input_of(world, output.path(), {.precision = "mixed"}),
                        {.quiet = true});
  simulation.run();
  CHECK(test::error_of_forces(world, simulation.particles(), reference) < 2e-6);
}

TEST_CASE("energy is conserved, and the bits are the same whichever exchange there is") {
  const comm::Context world;
  const test::SharedFolder output(world);
  std::optional<std::int64_t> expected;
  for (const comm::MethodInfo& method : comm::neighbor_methods()) {
    if (!comm::why_neighbor_method_unavailable(world, method.name).empty()) continue;
    INFO(method.name);
    const Input input = input_of(
        world, output.path(),
        {.steps = 60, .more = fmt::format("[communication]\nhalo = \"{}\"\n", method.name)});
    Simulation simulation(world, input, {.quiet = true, .files = false});
    simulation.run(0);
    const double before = simulation.last_state().total_energy;
    simulation.run(60);
    CHECK(std::abs(simulation.last_state().total_energy - before) < 2e-3 * atom_count);
    const std::int64_t bits = test::fingerprint(world, simulation.particles(), simulation.box());
    if (!expected) expected = bits;
    CHECK(bits == *expected);
  }
}

TEST_CASE("a run that goes on has the same bits, and goes on with another number of ranks") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const comm::Context alone = world.split(world.rank() == 0 ? 0 : -1);
  const Input input = input_of(world, output.path(), {.steps = 90});
  std::int64_t whole = 0;
  double energy = 0.0;
  {
    Simulation simulation(world, input, {.quiet = true});
    simulation.run();
    whole = test::fingerprint(world, simulation.particles(), simulation.box());
    energy = simulation.last_state().total_energy;
  }
  const std::string latest = checkpoint_path(output.path() + "/molecules");
  comm::barrier(world);
  if (world.rank() == 0) std::filesystem::remove(latest);
  comm::barrier(world);
  {
    Simulation simulation(world, input, {.resume = true, .quiet = true});
    CHECK(simulation.step_number() < 90);
    simulation.run();
    CHECK(test::fingerprint(world, simulation.particles(), simulation.box()) == whole);
  }
  // Others are molecules that differ in a number.
  std::string text;
  try {
    Input other = input;
    other.molecules[1].atoms[3].charge = 0.5;
    Simulation simulation(world, other, {.resume = true, .quiet = true});
  } catch (const FileError& error) {
    text = error.what();
  }
  CHECK(text.find("a [[molecule]] has another content than when the run began") !=
        std::string::npos);
  if (!alone.valid()) return;
  Input longer = input;
  longer.run.steps = 110;
  Simulation simulation(alone, longer, {.resume = true, .quiet = true});
  CHECK(simulation.step_number() == 90);
  CHECK(test::fingerprint(alone, simulation.particles(), simulation.box()) == whole);
  simulation.run();
  CHECK(std::abs(simulation.last_state().total_energy - energy) < 2e-3 * atom_count);
}

TEST_CASE("a partner beyond the halo, and starts that are not those of the molecules") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const std::string start = output.path() + "/start.extxyz";
  write_start(world, start);
  const auto failure = [&](const std::string& molecule) {
    const Input input = test::input_of(
        output.path(), "broken",
        fmt::format("[run]\nsteps = 0\ntimestep = 0.001\n[start]\nkind = \"file\"\nfile = \"{}\"\n"
                    "[[type]]\nname = \"A\"\n[[type]]\nname = \"B\"\n[interaction]\ncutoff = "
                    "1.0\n[neighbor]\nskin = 0.1\n{}",
                    start, molecule));
    std::string text;
    try {
      Simulation simulation(world, input, {.quiet = true});
      simulation.run();
    } catch (const FileError& error) {
      text = error.what();
    }
    // All ranks end together and say the same.
    std::string of_first = text;
    comm::broadcast(world, 0, of_first);
    CHECK(text == of_first);
    return text;
  };
  std::string atoms, bonds;
  for (int a = 0; a < atom_count; ++a) atoms += "{type = \"A\"},\n";
  for (int a = 1; a + 171 <= atom_count; ++a) bonds += fmt::format("[{}, {}],\n", a, a + 171);
  const std::string far = failure(fmt::format(
      "[[molecule]]\nname = \"net\"\ncount = 1\nexcluded_bonds = 1\natom = [{}]\n"
      "[[molecule.bond]]\npotential = \"harmonic\"\nstiffness = 1\nr0 = 1\natoms = [{}]\n",
      atoms, bonds));
  if (world.size() >= 4) {
    CHECK(far.find("which is bonded to it or excluded from its pairs") != std::string::npos);
    CHECK(far.find("of molecule 1 (net)") != std::string::npos);
    CHECK(far.find("rank ") != std::string::npos);
  }
  CHECK(failure("[[molecule]]\nname = \"pair\"\ncount = 171\natom = [{type = \"A\"}, "
                "{type = \"A\"}]\n")
            .find("the start has 343 particles, and the molecules have 342 atoms: 171 of \"pair\" "
                  "(2)") != std::string::npos);
  CHECK(failure("[[molecule]]\nname = \"one\"\ncount = 343\natom = [{type = \"B\"}]\n")
            .find("is of type \"A\" at the start, and of \"B\" in its molecule") !=
        std::string::npos);
}
