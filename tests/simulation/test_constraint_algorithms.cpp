// Constraints by each algorithm, with what acts on velocities beside the forces, and their motion
// backwards.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "simulation/constrained_system.hpp"

using namespace sterna;
using namespace sterna::md;
using namespace sterna::md::test::constrained;

namespace {

double size(const Vec3& v) {
  return std::sqrt(dot(v, v));
}

Input with_algorithm(const comm::Context& world, const std::string& folder,
                     ConstraintAlgorithm algorithm, double wanted_tolerance, double timestep) {
  Input input = input_of(world, folder, 0, timestep);
  input.run.constraint_algorithm = algorithm;
  input.run.constraint_tolerance = wanted_tolerance;
  return input;
}

double constraint_virial(const Simulation& simulation) {
  for (const auto& term : simulation.last_state().terms) {
    if (term.name == "constraints") return term.virial;
  }
  FAIL("no such term");
  return 0.0;
}

/// An ideal gas of the triangles and the chain: what their velocities are is the thermostat's doing.
/// By SHAKE, as conjugate gradients for the chain would communicate in each of many steps.
Input ideal_gas(const comm::Context& world, const std::string& folder, const std::string& more) {
  if (world.rank() == 0) std::ofstream(folder + "/start.extxyz") << start_text();
  comm::barrier(world);
  return test::input_of(
      folder, "gas",
      fmt::format("[run]\nsteps = 1000\ntimestep = 0.01\nconstraint_algorithm = "
                  "\"shake\"\n[start]\nkind = \"file\"\nfile = "
                  "\"{}/start.extxyz\"\ntemperature = 0.5\n"
                  "[[type]]\nname = \"A\"\nmass = 8.0\nepsilon = 0\n"
                  "[[type]]\nname = \"B\"\nmass = 0.5\nepsilon = 0\n"
                  "[[type]]\nname = \"C\"\nmass = 2.0\nepsilon = 0\n[interaction]\ncutoff = 2.2\n",
                  folder) +
          more + molecules_text());
}

/// Kinetic energy of the centers of the triangles, and of their turning; on the first rank.
struct Split {
  double centers = 0.0, turning = 0.0;
};
Split split(Simulation& simulation) {
  Split sums;
  const auto atoms = particles_by_id(simulation);
  if (atoms.empty()) return sums;
  for (std::int64_t first = 1; first < 3 * triangles; first += 3) {
    double mass = 0.0, energy = 0.0;
    Vec3 momentum;
    for (std::int64_t id = first; id < first + 3; ++id) {
      const double m = id == first ? 8.0 : 0.5;
      const Vec3& v = atoms.at(id).velocity;
      mass += m;
      momentum += m * v;
      energy += 0.5 * m * dot(v, v);
    }
    const double of_center = 0.5 * dot(momentum, momentum) / mass;
    sums.centers += of_center;
    sums.turning += energy - of_center;
  }
  return sums;
}

}  // namespace

TEST_CASE("SETTLE, SHAKE and conjugate gradients move atoms alike, with the same virial") {
  const comm::Context world;
  const test::SharedFolder output(world);
  Simulation expected(
      world, with_algorithm(world, output.path(), ConstraintAlgorithm::shake, 1e-12, 0.002),
      {.quiet = true, .files = false});
  expected.run(0);
  const double potential = expected.last_state().potential_energy;
  const double virial = constraint_virial(expected);
  expected.run(10);
  const auto wanted = particles_by_id(expected);
  for (const auto algorithm :
       {ConstraintAlgorithm::settle, ConstraintAlgorithm::conjugate_gradients}) {
    INFO(choice_name(algorithm));
    Simulation simulation(world, with_algorithm(world, output.path(), algorithm, 1e-12, 0.002),
                          {.quiet = true, .files = false});
    simulation.run(0);
    CHECK(simulation.last_state().potential_energy == doctest::Approx(potential).epsilon(1e-9));
    CHECK(constraint_virial(simulation) == doctest::Approx(virial).epsilon(1e-6));
    simulation.run(10);
    CHECK(violation(simulation).first < 1.1e-12);
    CHECK(constraint_virial(simulation) ==
          doctest::Approx(constraint_virial(expected)).epsilon(1e-6));
    for (const auto& [id, atom] : particles_by_id(simulation)) {
      const Vec3 d =
          simulation.box().nearest_image(atom.position.vector() - wanted.at(id).position.vector());
      REQUIRE(size(d) < 1e-8);
      REQUIRE(size(atom.velocity - wanted.at(id).velocity) < 1e-6);
    }
  }
}

// Without other forces the virial of the constraints goes by the square of the velocities.
TEST_CASE("the virial of slow atoms is as exact as that of fast ones, by each algorithm") {
  const comm::Context world;
  const test::SharedFolder output(world);
  for (const auto algorithm :
       {ConstraintAlgorithm::automatic, ConstraintAlgorithm::settle, ConstraintAlgorithm::shake,
        ConstraintAlgorithm::conjugate_gradients}) {
    INFO(choice_name(algorithm));
    const auto virial_at = [&](double temperature) {
      Input input = ideal_gas(world, output.path(), "");
      input.run.constraint_algorithm = algorithm;
      input.start.temperature = temperature;
      Simulation simulation(world, input, {.quiet = true, .files = false});
      simulation.run(0);
      return constraint_virial(simulation);
    };
    CHECK(virial_at(0.5e-10) == doctest::Approx(1e-10 * virial_at(0.5)).scale(0.0).epsilon(1e-6));
  }
}

TEST_CASE("rotors and SETTLE keep triangles to rounding, however loose the tolerance is") {
  const comm::Context world;
  const test::SharedFolder output(world);
  for (const auto algorithm : {ConstraintAlgorithm::automatic, ConstraintAlgorithm::settle}) {
    INFO(choice_name(algorithm));
    Simulation simulation(world, with_algorithm(world, output.path(), algorithm, 1e-3, 0.002),
                          {.quiet = true, .files = false});
    simulation.run(50);
    const auto atoms = particles_by_id(simulation);
    if (atoms.empty()) continue;
    for (const Pair& pair : constraints()) {
      if (pair.first > 3 * triangles) continue;
      const ParticleRecord &a = atoms.at(pair.first), &b = atoms.at(pair.second);
      const Vec3 d = simulation.box().nearest_image(a.position.vector() - b.position.vector());
      REQUIRE(std::abs(size(d) / pair.distance - 1.0) < 1e-13);
      REQUIRE(std::abs(dot(a.velocity - b.velocity, d)) < 1e-12);
    }
  }
}

TEST_CASE("a chain that fills the box many times needs no wider halo") {
  const comm::Context world;
  const test::SharedFolder output(world);
  constexpr int rows = 8, atoms = rows * rows * rows;
  constexpr double bond = 1.0, box = rows * 1.05;
  // There and back; the end of a row is bonded to the next one.
  std::string start =
      fmt::format("{}\nLattice=\"{} 0 0 0 {} 0 0 0 {}\" Properties=species:S:1:pos:R:3\n", atoms,
                  box, box, box);
  std::string bonds;
  for (int k = 0; k < atoms; ++k) {
    int at[] = {k % rows, k / rows % rows, k / (rows * rows)};
    if (at[2] % 2 == 1) at[1] = rows - 1 - at[1];
    if ((k / rows) % 2 == 1) at[0] = rows - 1 - at[0];
    start += fmt::format("A {} {} {}\n", 1.05 * at[0] + 0.01 * (k % 7),
                         1.05 * at[1] + 0.02 * (k % 3), 1.05 * at[2] + 0.03 * (k % 5));
    if (k > 0) bonds += fmt::format("[{}, {}], ", k, k + 1);
  }
  if (world.rank() == 0) std::ofstream(output.path() + "/start.extxyz") << start;
  comm::barrier(world);
  std::string text = fmt::format(
      "[run]\nsteps = 0\ntimestep = 0.002\n[start]\nkind = \"file\"\nfile = "
      "\"{}/start.extxyz\"\ntemperature = 0.8\n[[type]]\nname = \"A\"\nsigma = 0.8\n"
      "[interaction]\ncutoff = 1.8\ntruncation = \"force_shifted\"\n[neighbor]\nskin = 0.2\n"
      "[[molecule]]\nname = \"chain\"\ncount = 1\nconstrained_bonds = \"all\"\natom = [",
      output.path());
  for (int k = 0; k < atoms; ++k) text += "{type = \"A\"}, ";
  text += fmt::format(
      "]\n[[molecule.bond]]\npotential = \"harmonic\"\nstiffness = 100\nr0 = {}\natoms = [{}]\n",
      bond, bonds);
  const Input input = test::input_of(output.path(), "chain", text);
  Simulation simulation(world, input, {.quiet = true, .files = false});
  simulation.run(0);
  const double energy = simulation.last_state().total_energy;
  const double potential = simulation.last_state().potential_energy;
  const comm::Context alone = world.split(world.rank() == 0 ? 0 : -1);
  if (alone.valid()) {
    Simulation one(alone, input, {.quiet = true, .files = false});
    one.run(0);
    CHECK(potential == doctest::Approx(one.last_state().potential_energy).epsilon(1e-10));
  }
  simulation.run(20);
  const ThermodynamicState& state = simulation.last_state();
  CHECK(std::abs(state.total_energy - energy) < 2e-3 * state.kinetic_energy);
  for (const double momentum : state.momentum) CHECK(std::abs(momentum) < 1e-8);
  const auto found = particles_by_id(simulation);
  for (std::int64_t id = 2; id <= static_cast<std::int64_t>(found.size()); ++id) {
    const Vec3 d = simulation.box().nearest_image(found.at(id).position.vector() -
                                                  found.at(id - 1).position.vector());
    REQUIRE(std::abs(size(d) / bond - 1.0) < 1.01e-8);
  }
}

TEST_CASE("velocities the other way lead back to the start") {
  const comm::Context world;
  const test::SharedFolder output(world);
  Simulation simulation(
      world, with_algorithm(world, output.path(), ConstraintAlgorithm::automatic, 1e-13, 0.002),
      {.quiet = true, .files = false});
  const auto before = particles_by_id(simulation);
  simulation.run(50);
  simulation.change([](ParticleRecord& particle) { particle.velocity *= -1.0; });
  simulation.run(50);
  double farthest = 0.0, fastest = 0.0;
  for (const auto& [id, atom] : particles_by_id(simulation)) {
    const Vec3 d =
        simulation.box().nearest_image(atom.position.vector() - before.at(id).position.vector());
    farthest = std::max(farthest, size(d));
    fastest = std::max(fastest, size(atom.velocity + before.at(id).velocity));
  }
  CHECK(farthest < 1e-9);
  CHECK(fastest < 1e-7);
}

TEST_CASE("noise along a constraint is taken off: the temperature is right, in every motion") {
  const comm::Context world;
  const test::SharedFolder output(world);
  for (const std::string kind : {"langevin", "andersen"}) {
    CAPTURE(kind);
    Simulation simulation(
        world,
        ideal_gas(world, output.path(),
                  fmt::format("[[thermostat]]\nkind = \"{}\"\ntemperature = 1.2\ntime_constant = "
                              "0.1\n",
                              kind)),
        {.quiet = true, .files = false});
    simulation.run(50);
    const double conserved = simulation.last_state().conserved_energy;
    constexpr int samples = 60;
    double temperature = 0.0;
    Split sums;
    for (int sample = 0; sample < samples; ++sample) {
      simulation.run(10);
      temperature += simulation.last_state().temperature / samples;
      const Split now = split(simulation);
      sums.centers += now.centers / samples;
      sums.turning += now.turning / samples;
    }
    CHECK(temperature == doctest::Approx(1.2).epsilon(0.04));
    CHECK(std::abs(simulation.last_state().conserved_energy - conserved) <
          2e-3 * simulation.last_state().kinetic_energy);
    CHECK(violation(simulation).first < 1.01 * tolerance);
    if (world.rank() > 0) continue;
    CHECK(sums.centers == doctest::Approx(1.5 * 1.2 * triangles).epsilon(0.05));
    CHECK(sums.turning == doctest::Approx(1.5 * 1.2 * triangles).epsilon(0.05));
  }
}

TEST_CASE("a frozen atom of a triangle stays, and the others turn about it") {
  const comm::Context world;
  const test::SharedFolder output(world);
  Simulation simulation(world,
                        ideal_gas(world, output.path(),
                                  "[[freeze]]\ncomponent = \"A\"\n"
                                  "[[thermostat]]\nkind = \"langevin\"\ntemperature = 1.2\n"
                                  "time_constant = 0.1\n"),
                        {.quiet = true, .files = false});
  const auto before = particles_by_id(simulation);
  simulation.run(50);
  constexpr int samples = 60;
  double temperature = 0.0, energy = 0.0;
  for (int sample = 0; sample < samples; ++sample) {
    simulation.run(10);
    temperature += simulation.last_state().temperature / samples;
    energy += simulation.last_state().kinetic_energy / samples;
  }
  CHECK(temperature == doctest::Approx(1.2).epsilon(0.04));
  // Three degrees of freedom of each triangle, and those of the chain.
  const double degrees = 3.0 * triangles + 3.0 * chain_atoms - (chain_atoms - 1);
  CHECK(energy == doctest::Approx(0.5 * degrees * 1.2).epsilon(0.04));
  CHECK(violation(simulation).first < 1.01 * tolerance);
  for (const auto& [id, atom] : particles_by_id(simulation)) {
    if (id <= 3 * triangles && id % 3 == 1) {
      REQUIRE(atom.position.vector() == before.at(id).position.vector());
    }
  }
}

TEST_CASE("a drift of some atoms is controlled, and distances stay") {
  const comm::Context world;
  const test::SharedFolder output(world);
  Simulation simulation(world,
                        ideal_gas(world, output.path(),
                                  "[[drift_control]]\ncomponent = \"C\"\ninterval = 1\n"
                                  "sample_interval = 1\nvelocity = [0.3, 0, 0]\n"
                                  "[[drift_control]]\ncomponent = \"A\"\ninterval = 1\n"
                                  "sample_interval = 1\nvelocity = [0, 0.2, 0]\n"),
                        {.quiet = true, .files = false});
  simulation.run(1);
  const double conserved = simulation.last_state().conserved_energy;
  simulation.run(99);
  CHECK(std::abs(simulation.last_state().conserved_energy - conserved) <
        2e-3 * simulation.last_state().kinetic_energy);
  const auto [distance, velocity] = violation(simulation);
  CHECK(distance < 1.01 * tolerance);
  CHECK(velocity < 2e-6);
  Vec3 chain, apexes;
  for (const auto& [id, atom] : particles_by_id(simulation)) {
    if (id > 3 * triangles) chain += (1.0 / chain_atoms) * atom.velocity;
    if (id <= 3 * triangles && id % 3 == 1) apexes += (1.0 / triangles) * atom.velocity;
  }
  if (world.rank() > 0) return;
  // A whole molecule has what is asked for; some atoms of a molecule share it with the others.
  CHECK(size(chain - Vec3{0.3, 0.0, 0.0}) < 1e-6);
  CHECK(size(apexes - Vec3{0.0, 0.2, 0.0}) < 0.02);
}

TEST_CASE("a droplet of constrained molecules is shared among the ranks, and moves the same way") {
  const comm::Context world;
  const test::SharedFolder output(world);
  // Triangles in a ball beside a corner of the box, and a chain right through it.
  const Vec3 box{20, 18, 16}, center{5.5, 5.5, 5.5};
  constexpr double radius = 4.6;
  constexpr int links = 7;
  std::string start, molecules;
  int count = 0;
  const double high = std::sqrt(leg * leg - 0.25 * base * base);
  for (int k = 0; k < 8 * 8 * 8; ++k) {
    const Vec3 at = spacing * Vec3{k % 8 + 0.5, k / 8 % 8 + 0.5, k / 64 + 0.5};
    const bool taken = k / 8 % 8 == 4 && k / 64 == 4;
    if (taken || size(at - center) > radius) continue;
    ++count;
    start += fmt::format("A {} {} {}\nB {} {} {}\nB {} {} {}\n", at.x, at.y, at.z, at.x + high,
                         at.y + 0.5 * base, at.z, at.x + high, at.y - 0.5 * base, at.z);
  }
  for (int k = 0; k < links; ++k) {
    start += fmt::format("C {} {} {}\n", 2.4 + 0.98 * k, 5.8 + 0.2 * (k % 2), 5.85);
    molecules += "{type = \"C\"}, ";
  }
  const int atoms = 3 * count + links;
  if (world.rank() == 0) {
    std::ofstream(output.path() + "/start.extxyz")
        << fmt::format("{}\nLattice=\"{} 0 0 0 {} 0 0 0 {}\" Properties=species:S:1:pos:R:3\n",
                       atoms, box.x, box.y, box.z)
        << start;
  }
  comm::barrier(world);
  std::string bonds;
  for (int k = 1; k < links; ++k) bonds += fmt::format("[{}, {}], ", k, k + 1);
  const auto run = [&](const std::string& domain) {
    return test::input_of(
        output.path(), "drop",
        fmt::format(
            "[run]\nsteps = 0\ntimestep = 0.002\nconstraint_tolerance = 1e-11\n[start]\nkind = "
            "\"file\"\nfile = \"{}/start.extxyz\"\ntemperature = 0.4\n"
            "[[type]]\nname = \"A\"\nmass = 8\n[[type]]\nname = \"B\"\nmass = 0.5\nepsilon = 0\n"
            "[[type]]\nname = \"C\"\nmass = 2.0\nsigma = 0.8\n"
            "[interaction]\ncutoff = 2.2\ntruncation = \"force_shifted\"\n[neighbor]\nskin = 0.3\n"
            "[domain]\n{}\n"
            "[[molecule]]\nname = \"triangle\"\ncount = {}\n"
            "atom = [{{type = \"A\"}}, {{type = \"B\"}}, {{type = \"B\"}}]\n"
            "[[molecule.constraint]]\ndistance = {}\natoms = [[1, 2], [1, 3]]\n"
            "[[molecule.constraint]]\ndistance = {}\natoms = [2, 3]\n"
            "[[molecule]]\nname = \"chain\"\ncount = 1\nconstrained_bonds = \"all\"\natom = [{}]\n"
            "[[molecule.bond]]\npotential = \"harmonic\"\nstiffness = 100\nr0 = {}\natoms = [{}]\n",
            output.path(), domain, count, leg, base, molecules, test::constrained::link, bonds));
  };
  Simulation grid(world, run("decomposition = \"grid\""), {.quiet = true, .files = false});
  grid.run(20);
  for (const std::string decomposition : {"bisection", "sampling"}) {
    CAPTURE(decomposition);
    Simulation simulation(world,
                          run("decomposition = \"" + decomposition + "\"\nweights = \"particles\""),
                          {.quiet = true, .files = false});
    simulation.run(20);
    CHECK(simulation.last_state().total_energy ==
          doctest::Approx(grid.last_state().total_energy).epsilon(1e-8));
    auto most = static_cast<std::int64_t>(simulation.particles().local_count());
    comm::ReductionBatch(world, "test").max(most).run();
    CHECK(static_cast<double>(most) < 1.5 * atoms / world.size());
  }
}
