// Integrators in whole runs: what they sample, constraints and rotations in the middle of a step,
// and the minima that minimizers reach.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "simulation/constrained_system.hpp"
#include "simulation/simulation_support.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

/// Mean squared displacement along an axis of free particles on springs of stiffness 1 in a bath of
/// temperature 1, with a time step of 1.2 of the inverse frequency.
double width_on_springs(const comm::Context& world, const std::string& folder,
                        const std::string& integrator) {
  const Input input = test::input_of(
      folder, integrator,
      fmt::format("[run]\nsteps = 1200\ntimestep = 1.2\nintegrator = \"{}\"\n"
                  "[start]\nkind = \"lattice\"\ncells = [6, 6, 6]\ndensity = 1e-5\n"
                  "temperature = 1.0\n[[type]]\nname = \"A\"\nepsilon = 0\n"
                  "[interaction]\ncutoff = 2.5\n[[restraint]]\nstiffness = 1.0\n"
                  "[thermostat]\nkind = \"langevin\"\ntemperature = 1.0\ntime_constant = 1.0\n",
                  integrator));
  Simulation simulation(world, input, {.quiet = true});
  double sum = 0.0, samples = 0.0;
  simulation.on_step([&](std::int64_t step) {
    if (step < 40 || step % 4 != 0) return;
    // Of a spring, u = x^2 / 2 along each axis.
    sum += 2.0 * simulation.last_state().potential_energy;
    samples += 3.0 * static_cast<double>(simulation.particle_count());
  });
  simulation.run();
  return samples > 0.0 ? sum / samples : 0.0;
}

}  // namespace

TEST_CASE("BAOAB samples the positions of a harmonic oscillator exactly at any time step") {
  const comm::Context world;
  const test::SharedFolder folder(world);
  // The width is kT / k. Half a million samples, each of which is nearly independent of the last.
  CHECK(width_on_springs(world, folder.path(), "baoab") == doctest::Approx(1.0).epsilon(0.01));
  // With velocity Verlet it is 1 / (1 - (omega dt / 2)^2) of that: Leimkuhler and Matthews, Appl.
  // Math. Res. Express 2013, 34.
  CHECK(width_on_springs(world, folder.path(), "velocity_verlet") ==
        doctest::Approx(1.0 / (1.0 - 0.36)).epsilon(0.02));
}

TEST_CASE("BAOAB keeps constraints in both halves of the drift, and a resumed run has its bits") {
  const comm::Context world;
  const test::SharedFolder folder(world);
  Input input = test::constrained::input_of(
      world, folder.path(), 400, 0.002,
      "[thermostat]\nkind = \"langevin\"\ntemperature = 0.9\ntime_constant = 0.5\n");
  input.run.integrator = "baoab";
  Simulation simulation(world, input, SimulationOptions::inside_a_program());
  double temperature = 0.0, least = 1e300, most = -1e300;
  for (int part = 0; part < 20; ++part) {
    simulation.run(20);
    const auto [distance, velocity] = test::constrained::violation(simulation);
    CHECK(distance < 2.0 * test::constrained::tolerance);
    CHECK(velocity < 1e-5);
    simulation.measure();
    temperature += simulation.last_state().temperature / 20.0;
    least = std::min(least, simulation.last_state().conserved_energy);
    most = std::max(most, simulation.last_state().conserved_energy);
  }
  CHECK(temperature == doctest::Approx(0.9).epsilon(0.1));
  // What friction and noise give and what constraints take is counted.
  CHECK(most - least < 0.01 * simulation.last_state().kinetic_energy);

  const std::string checkpoint = folder.path() + "/middle.checkpoint";
  simulation.save(checkpoint);
  simulation.run(40);
  SimulationOptions resumed = SimulationOptions::inside_a_program();
  resumed.checkpoint = checkpoint;
  Simulation other(world, input, resumed);
  other.run(40);
  CHECK(test::fingerprint(world, other.particles(), other.box()) ==
        test::fingerprint(world, simulation.particles(), simulation.box()));
}

TEST_CASE("BAOAB turns rigid molecules: each kind of motion has its share of the energy") {
  const comm::Context world;
  const test::SharedFolder folder(world);
  const Input input = test::input_of(
      folder.path(), "turning",
      "[run]\nsteps = 900\ntimestep = 0.004\nintegrator = \"baoab\"\n"
      "[start]\nkind = \"lattice\"\ncells = [5, 5, 5]\ndensity = 0.4\ntemperature = 0.5\n"
      "[[component]]\nname = \"bent\"\n"
      "[[component.site]]\nkind = \"lennard_jones\"\nposition = [0.1, 0.3, 0]\nmass = 0.5\n"
      "epsilon = 1.0\nsigma = 1.0\n"
      "[[component.site]]\nkind = \"lennard_jones\"\nposition = [0.1, -0.3, 0]\nmass = 0.5\n"
      "epsilon = 1.0\nsigma = 1.0\n"
      "[[component.site]]\nkind = \"lennard_jones\"\nposition = [-0.2, 0, 0]\nmass = 0.5\n"
      "epsilon = 0.5\nsigma = 0.9\n"
      "[interaction]\ncutoff = 3.0\n"
      "[thermostat]\nkind = \"langevin\"\ntemperature = 1.5\ntime_constant = 0.1\n");
  Simulation simulation(world, input, {.quiet = true});
  double moving = 0.0, turning = 0.0, samples = 0.0, least = 1e300, most = -1e300;
  simulation.on_step([&](std::int64_t step) {
    if (step % 10 != 0) return;
    const ThermodynamicState& state = simulation.last_state();
    least = std::min(least, state.conserved_energy);
    most = std::max(most, state.conserved_energy);
    if (step < 300) return;
    turning += state.rotational_energy;
    moving += state.kinetic_energy - state.rotational_energy;
    samples += 1.5 * 1.5 * static_cast<double>(simulation.particle_count());
  });
  simulation.run();
  CHECK(moving / samples == doctest::Approx(1.0).epsilon(0.05));
  CHECK(turning / samples == doctest::Approx(1.0).epsilon(0.05));
  CHECK(most - least < 0.01 * simulation.last_state().kinetic_energy);
}

TEST_CASE("L-BFGS reaches the minimum that FIRE reaches, in fewer steps") {
  const comm::Context world;
  const test::SharedFolder folder(world);
  const auto minimized = [&](const std::string& integrator, std::int64_t& steps) {
    // A crystal whose atoms heat has brought off their places has one minimum near by.
    const std::string crystal =
        "[start]\nkind = \"lattice\"\ncells = [4, 4, 4]\ndensity = 1.0\ntemperature = 0.3\n"
        "[[type]]\nname = \"A\"\n[interaction]\ncutoff = 2.5\ntruncation = \"force_shifted\"\n"
        "[neighbor]\nskin = 0.6\n";
    const Input warm =
        test::input_of(folder.path(), "warm", "[run]\nsteps = 100\ntimestep = 0.004\n" + crystal);
    Simulation start(world, warm, SimulationOptions::inside_a_program());
    start.run(100);
    const Input downhill =
        test::input_of(folder.path(), integrator,
                       fmt::format("[run]\nsteps = 2000\nintegrator = \"{}\"\n", integrator) +
                           crystal + "[minimize]\nforce_tolerance = 1e-6\n");
    const std::string checkpoint = folder.path() + "/" + integrator + ".start";
    start.save(checkpoint);
    SimulationOptions options = SimulationOptions::inside_a_program();
    options.checkpoint = checkpoint;
    Simulation simulation(world, downhill, options);
    const std::int64_t first = simulation.step_number();
    simulation.run(2000);
    steps = simulation.step_number() - first;
    simulation.measure();
    CHECK(simulation.last_state().largest_force <= 1e-6);
    return simulation.last_state().potential_energy;
  };
  std::int64_t steps_of_fire = 0, steps_of_lbfgs = 0;
  const double fire = minimized("minimize", steps_of_fire);
  const double lbfgs = minimized("lbfgs", steps_of_lbfgs);
  CHECK(lbfgs == doctest::Approx(fire).epsilon(1e-9));
  CHECK(steps_of_lbfgs < steps_of_fire / 2);
}

TEST_CASE("L-BFGS goes along constraints") {
  const comm::Context world;
  const test::SharedFolder folder(world);
  Input input = test::constrained::input_of(world, folder.path(), 3000);
  input.run.integrator = "lbfgs";
  input.minimize.force_tolerance = 1e-4;
  Simulation simulation(world, input, SimulationOptions::inside_a_program());
  simulation.measure();
  const double before = simulation.last_state().potential_energy;
  simulation.run(3000);
  CHECK(test::constrained::violation(simulation).first < 2.0 * test::constrained::tolerance);
  simulation.measure();
  CHECK(simulation.last_state().potential_energy < before - 100.0);
  CHECK(simulation.last_state().largest_force <= 1e-4);
}
