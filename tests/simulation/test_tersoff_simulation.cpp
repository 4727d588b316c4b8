#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "simulation/simulation_support.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

/// Runs an input and returns the state of its last step.
ThermodynamicState last_state(const comm::Context& world, const std::string& folder,
                              const std::string& text) {
  Simulation simulation(world, test::input_of(folder, "tersoff", text), {.quiet = true});
  CHECK(simulation.run() == Outcome::complete);
  return simulation.last_state();
}

std::string crystal(const std::string& lattice, double density, const std::string& types) {
  return fmt::format(
      "units = \"metal\"\n[start]\nkind = \"lattice\"\nlattice = \"{}\"\ncells = [3, 3, 4]\n"
      "density = {}\ntemperature = 900\n[interaction]\npotential = \"tersoff\"\n{}",
      lattice, density, types);
}

const std::string silicon =
    crystal("diamond", 0.0499, "[[type]]\nname = \"Si\"\nmass = 28.0855\ntersoff = \"Si(C)\"\n");
const std::string carbide = crystal("zincblende", 0.0993,
                                    "[[type]]\nname = \"Si\"\nmass = 28.0855\n"
                                    "[[type]]\nname = \"C\"\nmass = 12.011\n");

std::string run_section(int steps, const std::string& more = "") {
  return fmt::format("[run]\nsteps = {}\ntimestep = 0.0005\n{}", steps, more);
}

}  // namespace

TEST_CASE("a crystal at rest has the energy that is published, on any number of ranks") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const UnitSystem metal = *UnitSystem::by_name("metal");
  struct Case {
    std::string text;
    double energy;  // eV per atom
  };
  // By LAMMPS, 22 Jul 2025; the papers have 4.63 and, Phys. Rev. B 39, 5566, 6.165.
  const Case cases[] = {{silicon, -4.62973}, {carbide, -6.164651}};
  for (const Case& c : cases) {
    const auto state = last_state(world, output.path(), c.text + run_section(0));
    const double energy = metal.from_internal(state.potential_energy, Dimension::energy) / 288.0;
    CHECK(energy == doctest::Approx(c.energy).epsilon(2e-6));
  }
}

TEST_CASE("the energy of a moving crystal does not depend on ranks, halo or decomposition") {
  const comm::Context world;
  // The same run by each rank alone.
  const comm::Context alone = world.split(world.rank());
  const test::SharedFolder output(world);
  for (const std::string& text : {silicon, carbide}) {
    const test::SharedFolder own(alone);
    const auto expected = last_state(alone, own.path(), text + run_section(60));
    for (const std::string more :
         {"[domain]\nhalo_route = \"direct\"\ndecomposition = \"grid\"\n",
          "[domain]\nhalo_route = \"staged\"\ndecomposition = \"grid\"\n",
          "[domain]\ndecomposition = \"bisection\"\nrebalance_interval = 20\n",
          "[domain]\ndecomposition = \"grid\"\n[communication]\nhalo = \"p2p\"\n"}) {
      CAPTURE(more);
      const auto at_start = last_state(world, output.path(), text + run_section(0) + more);
      const auto alone_at_start = last_state(alone, own.path(), text + run_section(0));
      CHECK(at_start.potential_energy ==
            doctest::Approx(alone_at_start.potential_energy).epsilon(1e-13));
      const auto state = last_state(world, output.path(), text + run_section(60) + more);
      CHECK(state.potential_energy == doctest::Approx(expected.potential_energy).epsilon(1e-10));
      CHECK(state.virial == doctest::Approx(expected.virial).epsilon(1e-8));
    }
  }
}

TEST_CASE("energy and momentum of a crystal stay over ten thousand steps") {
  const comm::Context world;
  const test::SharedFolder output(world);
  if (world.size() > 2) return;  // the forces are those of the test above
  for (const std::string precision : {"double", "mixed"}) {
    CAPTURE(precision);
    const std::string more = fmt::format("precision = \"{}\"\n", precision);
    Simulation simulation(world,
                          test::input_of(output.path(), "nve", silicon + run_section(10000, more)),
                          {.quiet = true});
    // The slope of a straight line through the energies: they go up and down with the bonds.
    double count = 0, sum = 0, sum_of_steps = 0, mixed = 0, squares = 0;
    simulation.on_step([&](std::int64_t step) {
      if (step % 10 != 0) return;
      const auto x = static_cast<double>(step);
      const double energy = simulation.last_state().total_energy;
      count += 1, sum += energy, sum_of_steps += x, mixed += x * energy, squares += x * x;
    });
    CHECK(simulation.run() == Outcome::complete);
    const ThermodynamicState& end = simulation.last_state();
    const double slope =
        (count * mixed - sum * sum_of_steps) / (count * squares - sum_of_steps * sum_of_steps);
    CHECK(std::fabs(10000.0 * slope) < 1e-5 * end.kinetic_energy);
    for (int axis = 0; axis < 3; ++axis) {
      CHECK(std::fabs(end.momentum[axis]) < (precision == "mixed" ? 1e-4 : 1e-9));
    }
  }
}
