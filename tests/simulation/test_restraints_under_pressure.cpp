// Springs in a box that a barostat changes.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "simulation/simulation_support.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

/// Root mean square change of what the barostat conserves.
double deviation(const comm::Context& world, const std::string& folder, int steps, double timestep,
                 const std::string& restraint) {
  const Input input = test::input_of(
      folder, "held",
      fmt::format("[run]\nsteps = {}\ntimestep = {}\n", steps, timestep) +
          "[start]\nkind = \"lattice\"\nparticles = 256\ndensity = 0.7\ntemperature = 1.2\n"
          "[[type]]\nname = \"A\"\n[[group]]\nname = \"half\"\nselect = \"id 1:128\"\n"
          "[interaction]\ncutoff = 2.5\ntruncation = \"quintic_switched\"\nswitch_start = 1.5\n"
          "[barostat]\nkind = \"martyna_tobias_klein\"\ncoupling = \"anisotropic\"\n"
          "pressure = 4.0\ntime_constant = 2.0\ninterval = 4\n"
          "[[restraint]]\nstiffness = 100.0\ngroups = [\"half\"]\n" +
          restraint);
  Simulation simulation(world, input, {.quiet = true, .files = false});
  simulation.measure();
  const double first = simulation.last_state().conserved_energy;
  const double volume = simulation.last_state().volume;
  double sum = 0.0;
  const int rows = 10;
  for (int row = 0; row < rows; ++row) {
    simulation.run(steps / rows);
    const double change = simulation.last_state().conserved_energy - first;
    sum += change * change / rows;
  }
  // The box does move.
  CHECK(std::abs(simulation.last_state().volume / volume - 1.0) > 1e-3);
  return std::sqrt(sum);
}

}  // namespace

TEST_CASE("what a barostat conserves deviates by the square of the step, however places scale") {
  const comm::Context world;
  const test::SharedFolder output(world);
  for (const std::string scaling : {"none", "all", "center"}) {
    CAPTURE(scaling);
    const std::string key = "reference_scaling = \"" + scaling + "\"\n";
    const double coarse = deviation(world, output.path(), 160, 0.002, key);
    const double fine = deviation(world, output.path(), 320, 0.001, key);
    CHECK(coarse / fine == doctest::Approx(4.0).epsilon(0.25));
    // Without the virial it is not conserved at all.
    const double ignored =
        deviation(world, output.path(), 320, 0.001, key + "virial = \"ignored\"\n");
    CHECK(ignored > 3.0 * fine);
  }
}
