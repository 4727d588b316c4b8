#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "md/input/physics_advice.hpp"
#include "md/integrate/timestep_advice.hpp"
#include "simulation/simulation_support.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

struct Fluid {
  const char* name;
  const char* units;
  const char* start;        // density, temperature
  const char* model;        // the particles
  const char* interaction;  // cutoff and electrostatics
  double temperature;       // of the start
  const char* timestep;     // much too short
};

std::string text_of(const Fluid& fluid, const std::string& timestep, int steps) {
  return fmt::format(
      "{}[run]\nsteps = {}\ntimestep = {}\n[start]\nkind = \"lattice\"\nparticles = 108\n"
      "{}\n{}\n[interaction]\n{}\n",
      fluid.units, steps, timestep, fluid.start, fluid.model, fluid.interaction);
}

constexpr const char* nano = "units = \"nano\"\n";

}  // namespace

TEST_CASE("the longer time step that is advised runs, and keeps the energy") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const auto component = [](const char* model) {
    return fmt::format("[[component]]\nname = \"A\"\nmodel = \"{}\"", model);
  };
  const std::string water = component("spce"), tip4p = component("tip4p_2005"),
                    oxide = component("ethylene_oxide"),
                    carbon_dioxide = component("carbon_dioxide_trappe"),
                    quadrupoles = component("carbon_dioxide_2cljq"),
                    nitrogen = component("nitrogen_2cljq");
  // What is cut off where dipoles are strong makes forces jump, whatever the step.
  const char* whole =
      "truncation = \"shifted\"\n[electrostatics]\nkind = \"fmm\"\naccuracy = 1e-3\n";
  const std::string near = std::string("cutoff = 0.7\n") + whole;
  const std::string oxide_near = std::string("cutoff = 0.9\n") + whole;
  const std::string far = "cutoff = 0.95\ntruncation = \"shifted\"\n";
  const Fluid fluids[] = {
      {"water", nano, "density = \"0.997 g/cm^3\"\ntemperature = 300", water.c_str(), near.c_str(),
       300, "1e-5"},
      {"tip4p", nano, "density = \"0.997 g/cm^3\"\ntemperature = 300", tip4p.c_str(), near.c_str(),
       300, "1e-5"},
      {"ethylene_oxide", nano, "density = \"17 mol/l\"\ntemperature = 375", oxide.c_str(),
       oxide_near.c_str(), 375, "1e-5"},
      {"carbon_dioxide", nano, "density = \"20 mol/l\"\ntemperature = 280", carbon_dioxide.c_str(),
       far.c_str(), 280, "1e-5"},
      {"quadrupoles", nano, "density = \"20 mol/l\"\ntemperature = 280", quadrupoles.c_str(),
       far.c_str(), 280, "1e-5"},
      {"nitrogen", nano, "density = \"25 mol/l\"\ntemperature = 90", nitrogen.c_str(), far.c_str(),
       90, "1e-5"},
      {"argon", "", "density = 0.8\ntemperature = 1.0", "[[type]]\nname = \"A\"",
       "cutoff = 2.3\ntruncation = \"force_shifted\"", 1.0, "1e-5"},
      {"salt", "", "density = 0.8\ntemperature = 0.5",
       "[[type]]\nname = \"A\"\ncharge = 1.0\n[[type]]\nname = \"B\"\ncharge = -1.0",
       "cutoff = 2.0\ntruncation = \"force_shifted\"\n[electrostatics]\nkind = \"fmm\"\n"
       "accuracy = 1e-4",
       0.5, "1e-6"},
  };
  for (const Fluid& fluid : fluids) {
    INFO(std::string(fluid.name));
    const Input rash =
        test::input_of(output.path(), fluid.name, text_of(fluid, fluid.timestep, 10));
    const auto longer = longer_timestep(rash, fluid.temperature);
    REQUIRE(longer);
    const std::string said = render(physics_advice(rash, facts_of(rash)));
    CHECK(said.find(rash.units.text(*longer, Dimension::time) + " would be as sound") !=
          std::string::npos);
    const std::string timestep =
        fmt::format("{}", rash.units.from_internal(*longer, Dimension::time));
    // From random orientations the heat of condensation comes first; a thermostat takes it up.
    const Input input =
        test::input_of(output.path(), fluid.name,
                       text_of(fluid, timestep, 2000) +
                           fmt::format("[thermostat]\nkind = \"langevin\"\ntemperature = {}\n"
                                       "time_constant = {}\nstop_step = 1000\n",
                                       fluid.temperature,
                                       rash.units.from_internal(20.0 * *longer, Dimension::time)));
    Simulation simulation(world, input, {.quiet = true});
    double first = 0.0;
    simulation.on_step([&](std::int64_t step) {
      if (step == 1010) first = simulation.last_state().total_energy;
    });
    simulation.run();
    const ThermodynamicState& end = simulation.last_state();
    CHECK(end.temperature < 2.0 * fluid.temperature);
    CHECK(std::abs(end.total_energy - first) < 0.02 * end.kinetic_energy);
  }
}

TEST_CASE("no step is advised that some motion would not stand") {
  const auto advised = [](const std::string& text, double temperature) {
    const Input input = test::input_of("/tmp", "unused", text);
    return longer_timestep(input, temperature).has_value();
  };
  const std::string head =
      "units = \"nano\"\n[run]\nsteps = 10\ntimestep = {}\n[start]\nkind = "
      "\"lattice\"\nparticles = 108\ndensity = \"0.997 g/cm^3\"\ntemperature = 300\n"
      "[interaction]\ncutoff = 0.7\nelectrostatics = \"reaction_field\"\n";
  const std::string water = head + "[[component]]\nname = \"A\"\nmodel = \"spce\"\n";
  // At 0.3 fs the oxygens alone would stand 9.8 fs, which the hydrogens do not.
  CHECK_FALSE(advised(fmt::format(fmt::runtime(water), 3e-4), 300));
  // Ions beside water: how near the hydrogens come to them is not known.
  const std::string ion =
      "[[component]]\nname = \"ion\"\n[[component.site]]\nkind = \"lennard_jones\"\nmass = "
      "35.0\nepsilon = 0.4\nsigma = 0.4\n[[component.site]]\nkind = \"charge\"\ncharge = "
      "-1.0\n";
  CHECK_FALSE(advised(fmt::format(fmt::runtime(water + ion), 1e-6), 300));
}
