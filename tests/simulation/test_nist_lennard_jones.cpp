#include <doctest/doctest.h>

#include <cmath>

#include "simulation/simulation_support.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

/// Half a unit of the last of five published digits.
double published_tolerance(double value) {
  return 0.5 * std::pow(10.0, std::floor(std::log10(std::fabs(value))) - 4.0);
}

}  // namespace

TEST_CASE("NIST configurations: energy, virial and tail correction to every published digit") {
  const std::string folder = STERNA_SOURCE_DIR "/../shared/data/nist/lj/";
  if (!std::filesystem::exists(folder)) {
    MESSAGE("skipped: " << folder << " is absent");
    return;
  }
  struct Published {
    int configuration;
    double cutoff;
    const char* truncation;
    double energy, virial, tail;
  };
  const Published table[] = {{1, 3, "truncated", -4.3515e3, -5.6867e2, -1.9849e2},
                             {1, 4, "truncated", -4.4675e3, -1.2639e3, -8.3769e1},
                             {1, 3, "force_shifted", -3.8709e3, 3.1754e2, 0.0},
                             {4, 3, "truncated", -1.6790e1, -4.6249e1, -5.4517e-1},
                             {4, 4, "truncated", -1.7060e1, -4.7869e1, -2.3008e-1},
                             {4, 3, "force_shifted", -1.5001e1, -4.3096e1, 0.0}};
  const comm::Context world;
  const test::SharedFolder output(world);
  for (const Published& p : table) {
    for (const std::string halo : {"direct", "staged"}) {
      CAPTURE(p.configuration);
      CAPTURE(p.cutoff);
      CAPTURE(std::string(p.truncation));
      CAPTURE(halo);
      const std::string text = fmt::format(
          "[run]\nsteps = 0\ntimestep = 0.001\n[start]\nkind = \"file\"\n"
          "file = \"{}lj_sample_config_periodic{}.txt\"\n[[type]]\nname = \"A\"\n"
          "[interaction]\ncutoff = {}\ntruncation = \"{}\"\ntail_correction = {}\n"
          "[domain]\nhalo_route = \"{}\"\n[neighbor]\nskin = 0.2\n",
          folder, p.configuration, p.cutoff, p.truncation, p.tail != 0.0, halo);
      const Input input = test::input_of(output.path(), "nist", text);
      Simulation simulation(world, input, {.quiet = true});
      simulation.run();
      const ThermodynamicState& state = simulation.last_state();
      CHECK(std::fabs(state.pair_energy - p.energy) <= published_tolerance(p.energy));
      CHECK(std::fabs(state.virial - p.virial) <= published_tolerance(p.virial));
      if (p.tail != 0.0) {
        CHECK(std::fabs(simulation.tail_correction().energy - p.tail) <=
              published_tolerance(p.tail));
      }
    }
  }
}

// C12 / r^12 with a tiny C6 or none, as of Go models, has a large sigma and a tiny epsilon.
TEST_CASE("a repulsion by a tiny energy and a large size is there, in each precision") {
  const comm::Context world;
  const test::SharedFolder output(world);
  if (world.rank() == 0) {
    std::ofstream(output.path() + "/pair.extxyz")
        << "2\nLattice=\"20 0 0 0 20 0 0 0 20\" Properties=species:S:1:pos:R:3\n"
        << "A 1 1 1\nA 1.5 1 1\n";
  }
  comm::barrier(world);
  for (const auto& [sigma, epsilon] : {std::pair{1.0, 9e-16}, {5.0, 4e-24}, {113.0, 3e-35}}) {
    for (const std::string precision : {"double", "mixed"}) {
      CAPTURE(sigma);
      CAPTURE(precision);
      const Input input = test::input_of(
          output.path(), "repulsion",
          fmt::format("[run]\nsteps = 0\ntimestep = 0.001\nprecision = \"{}\"\n[start]\n"
                      "kind = \"file\"\nfile = \"{}/pair.extxyz\"\n[[type]]\nname = \"A\"\n"
                      "sigma = {}\nepsilon = {}\n[interaction]\ncutoff = 2\n"
                      "truncation = \"truncated\"\n",
                      precision, output.path(), sigma, epsilon));
      Simulation simulation(world, input, {.quiet = true, .files = false});
      simulation.run(0);
      const double power = std::pow(sigma / 0.5, 6), size = 4.0 * epsilon * power * power;
      const double expected = size - 4.0 * epsilon * power;
      CHECK(simulation.last_state().pair_energy ==
            doctest::Approx(expected).scale(0.0).epsilon(1e-6));
      CHECK(simulation.last_state().virial ==
            doctest::Approx(12.0 * size - 6.0 * (size - expected)).scale(0.0).epsilon(1e-6));
    }
  }
}
