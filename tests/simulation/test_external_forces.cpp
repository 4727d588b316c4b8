// Walls, fields and springs in whole runs, on any number of ranks.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "md/core/file_error.hpp"
#include "md/output/checkpoint.hpp"
#include "simulation/simulation_support.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

/// 500 particles of two types in a box of edge 10.
std::string fluid(int steps, double epsilon, double temperature = 1.0) {
  return fmt::format(
      "[run]\nsteps = {}\ntimestep = 0.002\n"
      "[start]\nkind = \"lattice\"\ncells = [5, 5, 5]\ndensity = 0.5\ntemperature = {}\n"
      "[[type]]\nname = \"A\"\nepsilon = {}\n[[type]]\nname = \"B\"\nepsilon = {}\nmass = 3.0\n"
      "[interaction]\ncutoff = 2.5\ntruncation = \"force_shifted\"\n",
      steps, temperature, epsilon, epsilon);
}

/// Of the run's energies at multiples of ten steps.
struct Spread {
  double least = 1e300, most = -1e300;
  void add(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  double width() const { return most - least; }
};

Spread spread_of_energy(Simulation& simulation) {
  Spread spread;
  simulation.on_step([&](std::int64_t step) {
    if (step % 10 == 0) spread.add(simulation.last_state().total_energy);
  });
  simulation.run();
  return spread;
}

double energy_of_term(const Simulation& simulation, const std::string& name) {
  for (const auto& term : simulation.last_state().terms) {
    if (term.name == name) return term.energy;
  }
  return 0.0;
}

}  // namespace

TEST_CASE("between walls the energy is kept, and the walls' part is in the log") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const std::string walls =
      "[[wall]]\npotential = \"lj_9_3\"\naxis = \"x\"\nposition = 9.99\nside = \"below\"\n"
      "epsilon = 1.0\nsigma = 0.9\ncutoff = 2.5\ncomponent = \"A\"\n"
      "[[wall]]\npotential = \"harmonic\"\nshape = \"sphere\"\ncenter = [5.0, 5.0, 5.0]\n"
      "radius = 4.0\nside = \"inside\"\nstiffness = 2.0\n"
      "[[wall]]\npotential = \"reflecting\"\nposition = 3.3\nside = \"both\"\n";
  Simulation simulation(world, test::input_of(output.path(), "walls", fluid(200, 1.0) + walls),
                        {.quiet = true});
  const Spread energy = spread_of_energy(simulation);
  const ThermodynamicState& end = simulation.last_state();
  CHECK(energy.width() < 1e-3 * end.kinetic_energy);
  CHECK(energy_of_term(simulation, "walls") > 10.0);
  // Momentum is not kept, so that all degrees of freedom count.
  CHECK(end.temperature == doctest::Approx(2.0 * end.kinetic_energy / 1500.0).epsilon(1e-12));
  CHECK(std::fabs(end.momentum[0]) > 0.1);
}

TEST_CASE("gravity accelerates all alike, and its energy has no jump at the faces") {
  const comm::Context world;
  const test::SharedFolder output(world);
  Simulation simulation(
      world,
      test::input_of(output.path(), "gravity",
                     fluid(500, 1.0) + "[[field]]\nacceleration = [0.0, 6.0, -2.0]\n"
                                       "[[field]]\ncomponent = \"A\"\nforce = [1.0, 0.0, 0.0]\n"),
      {.quiet = true});
  const Spread energy = spread_of_energy(simulation);
  const ThermodynamicState& end = simulation.last_state();
  // Half of the particles have mass 3: 1000 in all. In a time of 1 they fall through the box.
  CHECK(end.momentum[0] == doctest::Approx(250.0).epsilon(1e-9));
  CHECK(end.momentum[1] == doctest::Approx(6000.0).epsilon(1e-9));
  CHECK(end.momentum[2] == doctest::Approx(-2000.0).epsilon(1e-9));
  CHECK(end.kinetic_energy > 20000.0);
  CHECK(energy.width() < 1e-4 * end.kinetic_energy);
  CHECK(energy_of_term(simulation, "fields") < -19000.0);
}

TEST_CASE("an electric field pulls charges and turns dipoles") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const std::string molecules =
      "[run]\nsteps = 200\ntimestep = 0.002\n"
      "[start]\nkind = \"lattice\"\nlattice = \"sc\"\ncells = [5, 5, 5]\ndensity = 0.05\n"
      "temperature = 1.0\n"
      "[[component]]\nname = \"M\"\n"
      "[[component.site]]\nkind = \"lennard_jones\"\nposition = [0.0, 0.0, 0.0]\nmass = 1.0\n"
      "epsilon = 1.0\nsigma = 1.0\n"
      "[[component.site]]\nkind = \"charge\"\nposition = [0.3, 0.0, 0.1]\nmass = 0.5\n"
      "charge = 0.4\n"
      "[[component.site]]\nkind = \"charge\"\nposition = [-0.3, 0.2, 0.0]\nmass = 0.5\n"
      "charge = -0.1\n"
      "[[component.site]]\nkind = \"dipole\"\nposition = [0.0, 0.1, 0.0]\naxis = [0, 1, 1]\n"
      "dipole_moment = 0.5\n"
      "[interaction]\ncutoff = 4.0\nelectrostatics = \"reaction_field\"\n"
      "reaction_field_epsilon = 10.0\n[[field]]\nelectric_field = [0.0, 0.0, 3.0]\n";
  Simulation simulation(world, test::input_of(output.path(), "electric", molecules),
                        {.quiet = true});
  const Spread energy = spread_of_energy(simulation);
  const ThermodynamicState& end = simulation.last_state();
  // 125 molecules of charge 0.3 for a time of 0.4.
  CHECK(end.momentum[2] == doctest::Approx(125.0 * 0.3 * 3.0 * 0.4).epsilon(1e-9));
  CHECK(energy.width() < 0.02 * end.kinetic_energy);
}

TEST_CASE("springs hold molecules, and a resumed run knows their places") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const std::string text = fluid(120, 1.0) +
                           "[[restraint]]\ncomponent = \"B\"\nstiffness = 40.0\n"
                           "[[restraint]]\nstiffness = 1.0\nplace = [5.0, 5.0, 5.0]\n"
                           "axes = [\"y\"]\nlower = [0, 0, 0]\nupper = [4, 10, 10]\n"
                           "[[wall]]\npotential = \"lj_10_4\"\nposition = 5.0\nside = \"both\"\n"
                           "epsilon = 0.5\nsigma = 0.5\ncutoff = 2.0\n";
  const Input input = test::input_of(output.path(), "springs", text);
  std::int64_t whole = 0;
  ThermodynamicState end;
  {
    Simulation simulation(world, input, {.quiet = true});
    const Spread energy = spread_of_energy(simulation);
    CHECK(energy.width() < 2e-3 * simulation.last_state().kinetic_energy);
    whole = test::fingerprint(world, simulation.particles(), simulation.box());
    end = simulation.last_state();
    CHECK(energy_of_term(simulation, "restraints") > 10.0);
  }
  const std::string latest = checkpoint_path(output.path() + "/springs");
  comm::barrier(world);
  if (world.rank() == 0) std::filesystem::remove(latest);
  comm::barrier(world);
  Simulation simulation(world, input, {.resume = true, .quiet = true});
  CHECK(simulation.step_number() >= 40);
  CHECK(simulation.step_number() < 120);
  simulation.run();
  CHECK(test::fingerprint(world, simulation.particles(), simulation.box()) == whole);
  CHECK(simulation.last_state().total_energy == end.total_energy);
}

TEST_CASE("a wall needs a box in which it repeats") {
  const comm::Context world;
  const test::SharedFolder output(world);
  if (world.rank() == 0) {
    std::ofstream file(output.path() + "/leaning.xyz");
    file << "64\n\n";
    for (int k = 0; k < 64; ++k) {
      file << fmt::format("A {} {} {}\n", 0.5 + 2.0 * (k % 4), 0.5 + 2.0 * (k / 4 % 4),
                          0.5 + 2.0 * (k / 16));
    }
  }
  comm::barrier(world);
  const std::string leaning = fmt::format(
      "[run]\nsteps = 10\ntimestep = 0.002\n"
      "[start]\nkind = \"file\"\nfile = \"{}/leaning.xyz\"\nbox = [8.0, 8.0, 8.0]\n"
      "tilt = [1.0, 0.0, 2.0]\ntemperature = 1.0\n[[type]]\nname = \"A\"\n"
      "[interaction]\ncutoff = 2.0\n[[wall]]\npotential = \"reflecting\"\nposition = 4.0\n",
      output.path());
  const auto starts = [&](const std::string& more) {
    Simulation simulation(world, test::input_of(output.path(), "leaning", leaning + more),
                          {.quiet = true});
    simulation.run();
  };
  CHECK_NOTHROW(starts("side = \"both\"\n"));
  CHECK_THROWS_WITH_AS(starts("axis = \"y\"\n"), doctest::Contains("a wall across y needs a box"),
                       FileError);
}

// One rule for all terms: what is frozen has no kinetic energy, and potential energy like all others.
TEST_CASE("energies and virials of frozen particles count, whatever the term") {
  const comm::Context world;
  const test::SharedFolder output(world);
  std::string start = "512\nLattice=\"10 0 0 0 10 0 0 0 10\" Properties=species:S:1:pos:R:3\n";
  for (int k = 0; k < 512; ++k) {
    start += fmt::format("{} {} {} {}\n", k % 4 == 0 || k % 4 == 3 ? "A" : "B", 1.25 * (k % 8),
                         1.25 * (k / 8 % 8) + 0.05 * (k % 3), 1.25 * (k / 64) + 0.1 * (k % 5));
  }
  if (world.rank() == 0) std::ofstream(output.path() + "/start.extxyz") << start;
  comm::barrier(world);
  const auto state = [&](const std::string& more) {
    const Input input = test::input_of(
        output.path(), "frozen",
        fmt::format("[run]\nsteps = 0\ntimestep = 0.001\n"
                    "[start]\nkind = \"file\"\nfile = \"{}/start.extxyz\"\ntemperature = 1\n",
                    output.path()) +
            "[[type]]\nname = \"A\"\ncharge = 0.4\n[[type]]\nname = \"B\"\nmass = 3.0\n"
            "charge = -0.4\n[interaction]\ncutoff = 2.5\ntail_correction = true\n"
            "[electrostatics]\nkind = \"fmm\"\naccuracy = 1e-3\n"
            "[[molecule]]\nname = \"chain\"\ncount = 128\n"
            "atom = [{type = \"A\"}, {type = \"B\"}, {type = \"B\"}, {type = \"A\"}]\n"
            "[[molecule.bond]]\npotential = \"harmonic\"\nstiffness = 5\nr0 = 1\n"
            "atoms = [2, 3]\n" +
            more);
    Simulation simulation(world, input, {.quiet = true, .files = false});
    simulation.run(0);
    return simulation.last_state();
  };
  const ThermodynamicState moving = state(""), frozen = state("[[freeze]]\ncomponent = \"B\"\n");
  CHECK(frozen.potential_energy == moving.potential_energy);
  CHECK(frozen.virial == moving.virial);
  REQUIRE(frozen.terms.size() == moving.terms.size());
  for (std::size_t k = 0; k < frozen.terms.size(); ++k) {
    CAPTURE(frozen.terms[k].name);
    CHECK(frozen.terms[k].energy != 0.0);
    CHECK(frozen.terms[k].energy == moving.terms[k].energy);
    CHECK(frozen.terms[k].virial == moving.terms[k].virial);
  }
  CHECK(frozen.kinetic_energy < 0.7 * moving.kinetic_energy);
}

TEST_CASE("a wall outside of the box reaches in with its cutoff") {
  const comm::Context world;
  const test::SharedFolder output(world);
  if (world.rank() == 0) {
    std::ofstream file(output.path() + "/grid.xyz");
    file << "64\n\n";
    for (int k = 0; k < 64; ++k) {
      file << fmt::format("A {} {} {}\n", 0.5 + 2.0 * (k % 4), 0.5 + 2.0 * (k / 4 % 4),
                          0.5 + 2.0 * (k / 16));
    }
  }
  comm::barrier(world);
  const auto energy = [&](double position, const std::string& side) {
    const std::string text = fmt::format(
        "[run]\nsteps = 0\ntimestep = 0.002\n"
        "[start]\nkind = \"file\"\nfile = \"{}/grid.xyz\"\nbox = [8.0, 8.0, 8.0]\n"
        "temperature = 0.0\n[[type]]\nname = \"A\"\n[interaction]\ncutoff = 1.5\n"
        "[[wall]]\npotential = \"lj_9_3\"\nposition = {}\nside = \"{}\"\nepsilon = 1.3\n"
        "sigma = 0.9\ncutoff = 2.0\n",
        output.path(), position, side);
    Simulation simulation(world, test::input_of(output.path(), "outside", text), {.quiet = true});
    simulation.run();
    return energy_of_term(simulation, "walls");
  };
  // 16 particles at this distance.
  const auto expected = [](double distance) {
    const auto potential = [](double d) {
      return 1.3 * (2.0 / 15.0 * std::pow(0.9 / d, 9) - std::pow(0.9 / d, 3));
    };
    return 16.0 * (potential(distance) - potential(2.0));
  };
  CHECK(energy(-0.5, "above") == doctest::Approx(expected(1.0)).epsilon(1e-12));
  CHECK(energy(-0.5, "both") == doctest::Approx(expected(1.0)).epsilon(1e-12));
  CHECK(energy(8.25, "below") == doctest::Approx(expected(1.75)).epsilon(1e-12));
  for (const auto& [position, side] :
       {std::pair(-2.5, "above"), std::pair(-0.5, "below"), std::pair(8.5, "above")}) {
    CHECK_THROWS_WITH_AS(energy(position, side), doctest::Contains("from where the cutoff"),
                         std::exception);
  }
}
