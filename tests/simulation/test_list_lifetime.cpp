// Lists that may miss pairs: what that does to the energy of a run, and that nothing else changes.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "md/output/checkpoint.hpp"
#include "simulation/simulation_support.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

constexpr int particles = 4 * 7 * 7 * 7;
constexpr double timestep = 0.004;

Input input_of(const std::string& folder, int steps, const std::string& neighbor,
               const std::string& more = "") {
  return test::input_of(
      folder, "liquid",
      fmt::format("[run]\nsteps = {}\ntimestep = {}\n[start]\nkind = \"lattice\"\n"
                  "cells = [7, 7, 7]\ndensity = 0.8\ntemperature = 1.4\n[[type]]\nname = \"A\"\n"
                  "[interaction]\ncutoff = 2.5\ntruncation = \"force_shifted\"\n"
                  "[neighbor]\n{}\n{}",
                  steps, timestep, neighbor, more));
}

/// Of the total energy per particle and time, by its mean over some steps at both ends.
double drift_of(const comm::Context& world, const Input& input) {
  Simulation simulation(world, input, {.quiet = true, .files = false});
  // The lattice melts at first.
  simulation.run(300);
  const auto mean = [&] {
    double sum = 0.0;
    for (int k = 0; k < 20; ++k) {
      simulation.run(5);
      sum += simulation.last_state().total_energy / particles / 20.0;
    }
    return sum;
  };
  const double before = mean();
  simulation.run(1400);
  return (mean() - before) / (1500 * timestep);
}

}  // namespace

TEST_CASE("missed pairs let the energy drift, but by less than the tolerance") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const double exact = drift_of(world, input_of(output.path(), 0, ""));
  for (const double tolerance : {0.003, 0.05}) {
    CAPTURE(tolerance);
    const Input input = input_of(
        output.path(), 0,
        fmt::format("buffer = \"tolerance\"\ntolerance = {}\nmaximum_interval = 20\n", tolerance));
    const double drift = drift_of(world, input);
    CHECK(drift != exact);
    CHECK(std::abs(drift - exact) < tolerance);
  }
}

TEST_CASE("a run by tolerance goes on with the same bits") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const Input input =
      input_of(output.path(), 110, "buffer = \"tolerance\"\n",
               "[thermostat]\nkind = \"langevin\"\ntemperature = 1.4\ntime_constant = 1.0\n"
               "[barostat]\nkind = \"stochastic_cell_rescaling\"\npressure = 1.0\n"
               "time_constant = 5.0\ninterval = 25\nbulk_modulus = 20.0\n");
  std::int64_t whole = 0;
  {
    Simulation simulation(world, input, {.quiet = true});
    simulation.run();
    whole = test::fingerprint(world, simulation.particles(), simulation.box());
  }
  comm::barrier(world);
  if (world.rank() == 0) std::filesystem::remove(checkpoint_path(output.path() + "/liquid"));
  comm::barrier(world);
  Simulation simulation(world, input, {.resume = true, .quiet = true});
  CHECK(simulation.step_number() > 0);
  CHECK(simulation.step_number() < 110);
  simulation.run();
  CHECK(test::fingerprint(world, simulation.particles(), simulation.box()) == whole);
}
