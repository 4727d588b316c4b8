// Distances that stay as they are, on any number of ranks: triangles and a chain that is longer than
// half the box; against rigid rotors, a dumbbell's known motion, and what cannot be.

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "md/core/unstable_run.hpp"
#include "md/output/checkpoint.hpp"
#include "simulation/constrained_system.hpp"
#include "simulation/simulation_support.hpp"
#include "sterna/comm/methods.hpp"

using namespace sterna;
using namespace sterna::md;

using namespace sterna::md::test::constrained;

namespace {

double virial_of(const Simulation& simulation, std::string_view name) {
  for (const auto& term : simulation.last_state().terms) {
    if (term.name == name) return term.virial;
  }
  FAIL("no such term");
  return 0.0;
}

}  // namespace

TEST_CASE("distances stay, energy and momentum too, whatever the number of ranks") {
  const comm::Context world;
  const test::SharedFolder output(world);
  Simulation simulation(world, input_of(world, output.path(), 400), {.quiet = true});
  simulation.run(0);
  CHECK(simulation.last_state().temperature == doctest::Approx(0.9).epsilon(1e-9));
  const double before = simulation.last_state().total_energy;
  for (int part = 0; part < 4; ++part) {
    simulation.run(100);
    const auto [distance, velocity] = violation(simulation);
    CHECK(distance < 1.01 * tolerance);
    CHECK(velocity < 2e-4 * base);
  }
  const ThermodynamicState& state = simulation.last_state();
  CHECK(std::abs(state.total_energy - before) < 1e-3 * state.kinetic_energy);
  for (const double momentum : state.momentum) CHECK(std::abs(momentum) < 1e-8);
}

TEST_CASE("the start is put right: the same energy on any number of ranks") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const Input input = input_of(world, output.path(), 0);
  Simulation simulation(world, input, {.quiet = true, .files = false});
  simulation.run(0);
  const double energy = simulation.last_state().potential_energy;
  const double virial = simulation.last_state().virial;
  const comm::Context alone = world.split(world.rank() == 0 ? 0 : -1);
  if (!alone.valid()) return;
  Simulation one(alone, input, {.quiet = true, .files = false});
  one.run(0);
  CHECK(energy == doctest::Approx(one.last_state().potential_energy).epsilon(1e-10));
  CHECK(virial == doctest::Approx(one.last_state().virial).epsilon(1e-9));
}

TEST_CASE("the energy's fluctuation falls with the square of the time step") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const auto fluctuation = [&](int steps, double timestep) {
    Simulation simulation(world, input_of(world, output.path(), steps, timestep),
                          {.quiet = true, .files = false});
    simulation.run(0);
    double sum = 0.0, squares = 0.0;
    for (int k = 0; k < 20; ++k) {
      simulation.run(steps / 20);
      const double energy = simulation.last_state().total_energy;
      sum += energy;
      squares += energy * energy;
    }
    return std::sqrt(squares / 20 - sum * sum / 400);
  };
  const double coarse = fluctuation(60, 0.004), fine = fluctuation(120, 0.002);
  CHECK(coarse / fine > 3.0);
  CHECK(coarse / fine < 5.5);
}

TEST_CASE("the same bits with every exchange method, in one run or in parts") {
  const comm::Context world;
  const test::SharedFolder output(world);
  std::optional<std::int64_t> expected;
  for (const comm::MethodInfo& method : comm::neighbor_methods()) {
    if (!comm::why_neighbor_method_unavailable(world, method.name).empty()) continue;
    INFO(method.name);
    const Input input = input_of(world, output.path(), 40, 0.002,
                                 fmt::format("[communication]\nhalo = \"{}\"\n", method.name));
    Simulation simulation(world, input, {.quiet = true, .files = false});
    // In parts, and with looks at it.
    simulation.run(expected ? 40 : 15);
    if (!expected) simulation.run(25);
    const std::int64_t bits = test::fingerprint(world, simulation.particles(), simulation.box());
    if (!expected) expected = bits;
    CHECK(bits == *expected);
  }
}

TEST_CASE("the staged halo, whose ghosts travel on, keeps the distances, too") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const Input input = input_of(world, output.path(), 100, 0.002,
                               "[domain]\ndecomposition = \"grid\"\nhalo_route = \"staged\"\n");
  Simulation simulation(world, input, {.quiet = true, .files = false});
  simulation.run(100);
  CHECK(violation(simulation).first < 1.01 * tolerance);
}

TEST_CASE("a run that goes on has the same bits") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const Input input = input_of(world, output.path(), 90, 0.002);
  std::int64_t whole = 0;
  {
    Simulation simulation(world, input, {.quiet = true});
    simulation.run();
    whole = test::fingerprint(world, simulation.particles(), simulation.box());
  }
  const std::string latest = checkpoint_path(output.path() + "/constraints");
  comm::barrier(world);
  if (world.rank() == 0) std::filesystem::remove(latest);
  comm::barrier(world);
  Simulation simulation(world, input, {.resume = true, .quiet = true});
  CHECK(simulation.step_number() < 90);
  simulation.run();
  CHECK(test::fingerprint(world, simulation.particles(), simulation.box()) == whole);
}

TEST_CASE("a dumbbell turns as it must, and its virial is that of the centripetal force") {
  const comm::Context world;
  const test::SharedFolder output(world);
  constexpr double distance = 1.2, speed = 0.7, timestep = 0.001;
  constexpr int steps = 500;
  // The heavier atom is at rest at first, so the center moves; across a face of the box.
  if (world.rank() == 0) {
    std::ofstream(output.path() + "/start.extxyz")
        << "2\nLattice=\"9 0 0 0 9 0 0 0 9\" Properties=species:S:1:pos:R:3:velo:R:3\n"
        << "A 8.5 4.5 4.5 0 0 0\n"
        << fmt::format("B 0.7 4.5 4.5 0 {} 0\n", speed);
  }
  comm::barrier(world);
  const Input input = test::input_of(
      output.path(), "dumbbell",
      fmt::format("[run]\nsteps = {}\ntimestep = {}\n[start]\nkind = \"file\"\nfile = "
                  "\"{}/start.extxyz\"\n[[type]]\nname = \"A\"\nmass = 3\n[[type]]\nname = \"B\"\n"
                  "[interaction]\ncutoff = 2\n[[molecule]]\nname = \"dumbbell\"\ncount = 1\natom = "
                  "[{{type = \"A\"}}, {{type = \"B\"}}]\n[[molecule.constraint]]\ndistance = {}\n"
                  "atoms = [1, 2]\n[[molecule.exclusion]]\natoms = [1, 2]\n",
                  steps, timestep, output.path(), distance));
  Simulation simulation(world, input, {.quiet = true, .files = false});
  constexpr double reduced_mass = 0.75;
  simulation.run(0);
  CHECK(virial_of(simulation, "constraints") ==
        doctest::Approx(-reduced_mass * speed * speed).epsilon(1e-9));
  simulation.run(steps);
  CHECK(virial_of(simulation, "constraints") ==
        doctest::Approx(-reduced_mass * speed * speed).epsilon(1e-6));
  const auto atoms = simulation.gather(0);
  if (atoms.empty()) return;
  const Vec3 d =
      simulation.box().nearest_image(atoms[1].position.vector() - atoms[0].position.vector());
  const double angle = speed / distance * steps * timestep;
  CHECK(d.x == doctest::Approx(distance * std::cos(angle)).epsilon(1e-6));
  CHECK(d.y == doctest::Approx(distance * std::sin(angle)).epsilon(1e-6));
  const double center = 0.75 * atoms[0].position.y + 0.25 * atoms[1].position.y;
  CHECK(center == doctest::Approx(4.5 + 0.25 * speed * steps * timestep).epsilon(1e-9));
}

// Atoms of a triangle that turns about its center of mass at the rate w feel -m w^2 r.
TEST_CASE("a triangle that turns slowly has the virial tensor of the centripetal forces at once") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const double masses[] = {8.0, 0.5, 0.5};
  Vec3 places[] = {{4.0, 4.0, 4.0}, {4.9, 4.3, 4.0}, {4.3, 4.9, 4.0}}, center;
  for (int k = 0; k < 3; ++k) center += (masses[k] / 9.0) * places[k];
  for (const double rate : {1.0, 1e-3, 1e-6}) {
    std::string start =
        "3\nLattice=\"9 0 0 0 9 0 0 0 9\" Properties=species:S:1:pos:R:3:velo:R:3\n";
    std::array<double, 6> expected{};
    for (int k = 0; k < 3; ++k) {
      const Vec3 r = places[k] - center;
      start += fmt::format("{} {} {} {} {:.17g} {:.17g} 0\n", k == 0 ? "A" : "B", places[k].x,
                           places[k].y, places[k].z, -rate * r.y, rate * r.x);
      const double m = -masses[k] * rate * rate;
      expected[0] += m * r.x * r.x;
      expected[1] += m * r.y * r.y;
      expected[3] += m * r.x * r.y;
    }
    if (world.rank() == 0) std::ofstream(output.path() + "/triangle.extxyz") << start;
    comm::barrier(world);
    for (const std::string algorithm : {"auto", "settle", "shake", "conjugate_gradients"}) {
      CAPTURE(rate);
      CAPTURE(algorithm);
      const Input input = test::input_of(
          output.path(), "triangle",
          fmt::format("[run]\nsteps = 0\ntimestep = 0.001\nconstraint_algorithm = \"{}\"\n"
                      "[start]\nkind = \"file\"\nfile = \"{}/triangle.extxyz\"\n"
                      "[[type]]\nname = \"A\"\nmass = 8\nepsilon = 0\n"
                      "[[type]]\nname = \"B\"\nmass = 0.5\nepsilon = 0\n"
                      "[interaction]\ncutoff = 2\n[[molecule]]\nname = \"triangle\"\ncount = 1\n"
                      "atom = [{{type = \"A\"}}, {{type = \"B\"}}, {{type = \"B\"}}]\n"
                      "[[molecule.constraint]]\ndistance = {:.17g}\natoms = [[1, 2], [1, 3]]\n"
                      "[[molecule.constraint]]\ndistance = {:.17g}\natoms = [2, 3]\n",
                      algorithm, output.path(), std::sqrt(0.9), std::sqrt(0.72)));
      Simulation simulation(world, input, {.quiet = true, .files = false});
      simulation.run(0);
      const auto virial = simulation.virial_tensor();
      for (std::size_t k = 0; k < 6; ++k) {
        CHECK(virial[k] == doctest::Approx(expected[k]).scale(rate * rate).epsilon(1e-6));
      }
    }
  }
}

TEST_CASE("energy, virial and motion are those of rigid rotors") {
  const comm::Context world;
  const test::SharedFolder output(world);
  constexpr int cells = 4;
  constexpr double apart = 1.6, half = 0.3, box = cells * apart;
  std::mt19937_64 engine(3);
  std::normal_distribution<double> normal;
  System::Particles rotors, atoms;
  for (int k = 0; k < cells * cells * cells; ++k) {
    const Vec3 at =
        apart * Vec3{k % cells + 0.5, k / cells % cells + 0.5, k / (cells * cells) + 0.5};
    const double w = normal(engine), x = normal(engine), y = normal(engine), z = normal(engine);
    const Quaternion turned = Quaternion{w, x, y, z}.normalized();
    rotors.position.push_back(at);
    rotors.orientation.push_back(turned);
    for (const double side : {-1.0, 1.0}) {
      atoms.position.push_back(at + turned.to_lab({0.0, 0.0, side * half}));
    }
  }
  if (world.rank() > 0) rotors = {}, atoms = {};
  const std::string run =
      "units = \"reduced\"\n[run]\ntimestep = 0.0005\n[interaction]\ncutoff = 2.5\n";
  const std::string site =
      "[[component.site]]\nkind = \"lennard_jones\"\nmass = 1\nepsilon = 1\nsigma = 1\n";
  const std::string component =
      "molecular_cutoff = \"site\"\n[[component]]\nname = \"dumbbell\"\n" + site +
      fmt::format("position = [0, 0, {}]\n", half) + site +
      fmt::format("position = [0, 0, -{}]\n", half);
  const std::string molecule = fmt::format(
      "[[molecule]]\nname = \"dumbbell\"\ncount = {}\natom = [{{type = \"A\"}}, {{type = "
      "\"A\"}}]\n[[molecule.constraint]]\natoms = [1, 2]\ndistance = {}\n"
      "[[molecule.exclusion]]\natoms = [1, 2]\n",
      cells * cells * cells, 2.0 * half);
  const Box cube{{box, box, box}};
  const System rotor_system = System::from_particles(cube, rotors);
  System atom_system = System::from_particles(cube, atoms);
  atom_system.types = {{.name = "A"}};
  Simulation expected(world, run + component, rotor_system);
  Simulation simulation(world, run + molecule, atom_system);
  expected.run(0);
  simulation.run(0);
  CHECK(simulation.last_state().potential_energy ==
        doctest::Approx(expected.last_state().potential_energy).epsilon(1e-10));
  CHECK(simulation.last_state().virial ==
        doctest::Approx(expected.last_state().virial).epsilon(1e-8));
  expected.run(100);
  simulation.run(100);
  CHECK(simulation.last_state().kinetic_energy ==
        doctest::Approx(expected.last_state().kinetic_energy).epsilon(1e-4));
  CHECK(simulation.last_state().potential_energy ==
        doctest::Approx(expected.last_state().potential_energy).epsilon(1e-5));
}

TEST_CASE("a minimization keeps distances and finds what one of rigid rotors finds") {
  const comm::Context world;
  const test::SharedFolder output(world);
  constexpr double half = 0.3, box = 12.0;
  const std::vector<std::pair<Vec3, Quaternion>> dumbbells{
      {{5.3, 6.0, 6.1}, Quaternion{1.0, 0.2, 0.1, 0.0}.normalized()},
      {{6.4, 6.2, 6.0}, Quaternion{0.8, -0.5, 0.3, 0.0}.normalized()},
      {{5.9, 7.1, 6.4}, Quaternion{0.6, 0.1, -0.7, 0.0}.normalized()}};
  System::Particles rotors, atoms;
  if (world.rank() == 0) {
    for (const auto& [at, turned] : dumbbells) {
      rotors.position.push_back(at);
      rotors.orientation.push_back(turned);
      for (const double side : {-1.0, 1.0}) {
        // The start violates the constraints, from where it is put right.
        atoms.position.push_back(at + turned.to_lab({0.0, 0.0, side * 1.02 * half}));
      }
    }
  }
  const std::string run =
      "units = \"reduced\"\n[run]\nintegrator = \"minimize\"\nconstraint_tolerance = 1e-10\n"
      "[minimize]\nforce_tolerance = 1e-7\n"
      "[interaction]\ncutoff = 4.5\ntruncation = \"shifted\"\n";
  const std::string site =
      "[[component.site]]\nkind = \"lennard_jones\"\nmass = 1\nepsilon = 1\nsigma = 1\n";
  const std::string component =
      "molecular_cutoff = \"site\"\n[[component]]\nname = \"dumbbell\"\n" + site +
      fmt::format("position = [0, 0, {}]\n", half) + site +
      fmt::format("position = [0, 0, -{}]\n", half);
  // Masses do not count in a minimization.
  const std::string molecule = fmt::format(
      "[[molecule]]\nname = \"dumbbell\"\ncount = {}\natom = [{{type = \"A\"}}, {{type = "
      "\"B\"}}]\n[[molecule.constraint]]\natoms = [1, 2]\ndistance = {}\n"
      "[[molecule.exclusion]]\natoms = [1, 2]\n",
      dumbbells.size(), 2.0 * half);
  const Box cube{{box, box, box}};
  const System rotor_system = System::from_particles(cube, rotors);
  for (std::size_t k = 0; k < atoms.position.size(); ++k) {
    atoms.type.push_back(static_cast<int>(k % 2));
  }
  System atom_system = System::from_particles(cube, atoms);
  atom_system.types = {{.name = "A"}, {.name = "B", .mass = 5.0}};
  Simulation expected(world, run + component, rotor_system);
  Simulation simulation(world, run + molecule, atom_system);
  expected.run(5000);
  simulation.run(5000);
  expected.measure();
  simulation.measure();
  CHECK(simulation.last_state().potential_energy ==
        doctest::Approx(expected.last_state().potential_energy).epsilon(1e-9));
  CHECK(simulation.last_state().largest_force < 1e-7);
  // A cluster that nothing holds has no virial at the minimum, with that of its constraints.
  CHECK(std::abs(virial_of(simulation, "constraints")) > 1.0);
  CHECK(std::abs(simulation.last_state().virial) < 1e-4);
  std::map<std::int64_t, Vec3> places;
  for (const ParticleRecord& record : simulation.gather(0)) {
    places[record.id] = record.position.vector();
  }
  for (std::int64_t id = 1; id < static_cast<std::int64_t>(places.size()); id += 2) {
    const Vec3 d = places.at(id) - places.at(id + 1);
    CHECK(std::sqrt(dot(d, d)) == doctest::Approx(2.0 * half).epsilon(1e-9));
  }
}

TEST_CASE("constraints that contradict each other end the run on all ranks, by name") {
  const comm::Context world;
  const test::SharedFolder output(world);
  if (world.rank() == 0) {
    std::ofstream(output.path() + "/start.extxyz")
        << "3\nLattice=\"9 0 0 0 9 0 0 0 9\" Properties=species:S:1:pos:R:3\n"
        << "A 1 4 4\nA 2 4 4\nA 1.5 4.9 4\n";
  }
  comm::barrier(world);
  Input input = test::input_of(
      output.path(), "contradiction",
      fmt::format(
          "[run]\nsteps = 10\ntimestep = 0.001\n[start]\nkind = \"file\"\nfile = "
          "\"{}/start.extxyz\"\n[[type]]\nname = \"A\"\n[interaction]\ncutoff = 2\n"
          "[[molecule]]\nname = \"triangle\"\ncount = 1\natom = [{{type = \"A\"}}, {{type = "
          "\"A\"}}, {{type = \"A\"}}]\n[[molecule.constraint]]\ndistance = 1\natoms = [[1, "
          "2], [2, 3]]\n[[molecule.constraint]]\ndistance = 2.5\natoms = [1, 3]\n",
          output.path()));
  // The triangle is longer than the halo that the forces need.
  for (const auto& [algorithm, unfinished] :
       {std::pair{ConstraintAlgorithm::shake, "2000 sweeps"},
        std::pair{ConstraintAlgorithm::automatic, "100 rounds"}}) {
    input.run.constraint_algorithm = algorithm;
    std::string text;
    try {
      Simulation simulation(world, input, {.quiet = true, .files = false});
    } catch (const UnstableRun& error) {
      text = error.what();
    }
    INFO(text);
    CHECK(text.find("step 0: the constraint of atom ") != std::string::npos);
    CHECK(text.find(std::string("of molecule 1 (triangle) did not converge within ") +
                    unfinished) != std::string::npos);
  }
}
