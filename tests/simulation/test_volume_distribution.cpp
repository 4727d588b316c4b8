#include <doctest/doctest.h>

#include <string>

#include "simulation/simulation_support.hpp"

using namespace sterna;
using namespace sterna::md;

// Of an ideal gas the volume is distributed as V^N exp(-p V / kT): mean (N + 1) kT / p, variance
// (N + 1) (kT / p)^2.
TEST_CASE("the volumes of an ideal gas have their exact distribution") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const double particles = 27.0, scale = 1.5 / 0.75;
  for (const std::string& barostat :
       {std::string("kind = \"stochastic_cell_rescaling\"\nbulk_modulus = 0.75\ntime_constant = 1\n"
                    "interval = 5\n"),
        std::string("kind = \"martyna_tobias_klein\"\ntime_constant = 8\ninterval = 4\n")}) {
    CAPTURE(barostat);
    const Input input = test::input_of(
        output.path(), "ideal",
        "[run]\nsteps = 60000\ntimestep = 0.02\n"
        "[start]\nkind = \"lattice\"\nlattice = \"sc\"\ncells = [3, 3, 3]\ndensity = 0.5\n"
        "temperature = 1.5\n[[type]]\nname = \"A\"\nepsilon = 0\n"
        "[interaction]\ncutoff = 0.3\n[neighbor]\nskin = 0.2\n"
        "[thermostat]\nkind = \"stochastic_velocity_rescaling\"\ntemperature = 1.5\n"
        "time_constant = 0.5\n[barostat]\npressure = 0.75\n" +
            barostat);
    Simulation simulation(world, input, {.quiet = true, .files = false});
    double sum = 0.0, squares = 0.0, samples = 0.0;
    simulation.on_step([&](std::int64_t step) {
      if (step <= 1000) return;
      const double volume = simulation.box().volume();
      sum += volume;
      squares += volume * volume;
      samples += 1.0;
    });
    simulation.run();
    const double mean = sum / samples, variance = squares / samples - mean * mean;
    CHECK(mean == doctest::Approx((particles + 1.0) * scale).epsilon(0.03));
    CHECK(variance == doctest::Approx((particles + 1.0) * scale * scale).epsilon(0.2));
  }
}
