#include <doctest/doctest.h>

#include "md/core/file_error.hpp"
#include "md/output/checkpoint.hpp"
#include "simulation/simulation_support.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

std::string text(int steps, const std::string& cells, const std::string& more) {
  return fmt::format(
      "[run]\nsteps = {}\ntimestep = 0.004\n[start]\nkind = \"lattice\"\ncells = {}\n"
      "density = 0.8\ntemperature = 1.2\n[[type]]\nname = \"A\"\n[interaction]\n"
      "cutoff = 2.5\n{}",
      steps, cells, more);
}

std::string thermostat(const std::string& kind, double temperature) {
  return fmt::format("[thermostat]\nkind = \"{}\"\ntemperature = {}\ntime_constant = 0.4\n", kind,
                     temperature);
}

std::string failure_of_resume(const comm::Context& world, const Input& input) {
  try {
    Simulation simulation(world, input, {.resume = true, .quiet = true});
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a checkpoint of a version that did not keep its input is compared by what it has") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const auto input_of = [&](int steps, const std::string& cells, const std::string& more = "") {
    return test::input_of(output.path(), "run", text(steps, cells, more));
  };
  {
    Simulation simulation(world, input_of(40, "[5, 5, 5]"), {.quiet = true});
    simulation.run();
  }
  {
    const std::string stem = output.path() + "/run";
    const CheckpointReader reader(world, checkpoint_path(stem));
    CheckpointState state = reader.state();
    CHECK(state.state.contains("input"));
    state.state.erase("input");
    ParticleStore particles;
    reader.read_particles(particles);
    write_checkpoint(world, stem, state, particles);
  }
  CHECK(failure_of_resume(world, input_of(60, "[5, 5, 6]"))
            .find("particles: 500 in the checkpoint, now 600") != std::string::npos);
  Input thin = input_of(60, "[5, 5, 5]");
  thin.start.density = 0.7;
  CHECK(failure_of_resume(world, thin).find("edge of the box along x") != std::string::npos);
  Simulation simulation(world, input_of(60, "[5, 5, 5]"), {.resume = true, .quiet = true});
  CHECK(simulation.step_number() == 40);
  CHECK(simulation.run() == Outcome::complete);
  CHECK(simulation.step_number() == 60);
}

TEST_CASE("a run goes on with another thermostat, another number of them, or none") {
  const comm::Context world;
  const test::SharedFolder output(world);
  int steps = 20;
  for (const std::string& more : {thermostat("nose_hoover_chain", 1.2), thermostat("langevin", 1.0),
                                  std::string(), thermostat("nose_hoover_chain", 0.9)}) {
    CAPTURE(more);
    const Input input = test::input_of(output.path(), "heat", text(steps, "[5, 5, 5]", more));
    Simulation simulation(world, input, {.resume = steps > 20, .quiet = true});
    CHECK(simulation.step_number() == steps - 20);
    CHECK(simulation.run() == Outcome::complete);
    steps += 20;
  }
}
