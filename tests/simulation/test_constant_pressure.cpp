#include <doctest/doctest.h>

#include <cmath>

#include "simulation/simulation_support.hpp"

using namespace sterna;
using namespace sterna::md;

TEST_CASE("a fluid under constant pressure has it, and the density of the equation of state") {
  const comm::Context world;
  const test::SharedFolder output(world);
  // T = 2, density 0.7: p = 3.032 by Thol et al., J. Phys. Chem. Ref. Data 45, 023101 (2016).
  const Input input = test::input_of(
      output.path(), "pressure",
      "[run]\nsteps = 6000\ntimestep = 0.004\n"
      "[start]\nkind = \"lattice\"\nparticles = 500\ndensity = 0.74\ntemperature = 2.0\n"
      "[[type]]\nname = \"A\"\n"
      "[interaction]\ncutoff = 3.0\ntruncation = \"truncated\"\ntail_correction = true\n"
      "[thermostat]\nkind = \"stochastic_velocity_rescaling\"\ntemperature = 2.0\n"
      "time_constant = 0.2\n"
      "[barostat]\nkind = \"stochastic_cell_rescaling\"\npressure = 3.032\nbulk_modulus = 20.0\n"
      "time_constant = 0.5\n");
  Simulation simulation(world, input, {.quiet = true});
  double pressure = 0.0, density = 0.0, samples = 0.0;
  simulation.on_step([&](std::int64_t step) {
    if (step <= 1000 || step % 10 != 0) return;
    pressure += simulation.last_state().pressure;
    density += 500.0 / simulation.box().volume();
    samples += 1.0;
  });
  CHECK(simulation.run() == Outcome::complete);
  // Three standard errors of the density and five of the pressure for a run of this length.
  CHECK(std::abs(pressure / samples - 3.032) < 0.3);
  CHECK(std::abs(density / samples - 0.7) < 0.014);
}
