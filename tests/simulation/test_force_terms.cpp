// The set of force terms: what each gives apart adds up to the whole, on any number of ranks, and
// the log shows it under the term's name.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "md/simulation/files/logged_scalars.hpp"
#include "md/simulation/force_term_table.hpp"
#include "simulation/simulation_support.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

struct Case {
  const char* name;
  const char* input;
  std::vector<std::string> scalars;  ///< of the log: energies that this input must show
};

const std::vector<Case> cases{
    {"homogeneous tail",
     R"(
units = "reduced"
[run]
steps = 10
timestep = 0.002
[start]
kind = "lattice"
cells = [6, 6, 6]
density = 0.8
temperature = 1.0
[[type]]
name = "LJ"
[interaction]
cutoff = 2.5
tail_correction = "homogeneous"
)",
     {"lennard_jones_energy", "tail_correction_energy"}},
    {"planar tail",
     R"(
units = "reduced"
[run]
steps = 10
timestep = 0.002
[start]
kind = "lattice"
cells = [6, 6, 6]
density = 0.8
temperature = 1.0
[[type]]
name = "LJ"
[interaction]
cutoff = 2.5
tail_correction = "planar"
)",
     {"lennard_jones_energy", "planar_correction_energy"}},
    {"water with charges at any distance",
     R"(
units = "metal"
[run]
steps = 5
timestep = "1 fs"
[start]
kind = "lattice"
cells = [4, 4, 4]
density = "1.0 g/cm^3"
temperature = "300 K"
[[component]]
name = "water"
model = "spce"
[interaction]
cutoff = "6 A"
[electrostatics]
kind = "fmm"
accuracy = 1e-3
)",
     {"molecules_energy", "molecules_lennard_jones_energy", "electrostatics_energy"}},
    {"water in a reaction field",
     R"(
units = "metal"
[run]
steps = 5
timestep = "1 fs"
[start]
kind = "lattice"
cells = [4, 4, 4]
density = "1.0 g/cm^3"
temperature = "300 K"
[[component]]
name = "water"
model = "spce"
[interaction]
cutoff = "6 A"
electrostatics = "reaction_field"
)",
     {"molecules_energy", "molecules_lennard_jones_energy", "molecules_coulomb_energy"}},
};

double value_of(const std::vector<LoggedScalar>& scalars, const std::string& name) {
  const auto found = std::find_if(scalars.begin(), scalars.end(),
                                  [&](const LoggedScalar& scalar) { return scalar.name == name; });
  REQUIRE(found != scalars.end());
  return found->value;
}

}  // namespace

TEST_CASE("energies and virials of the terms add up to those of the system") {
  const comm::Context world;
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const test::SharedFolder output(world);
    const Input input = test::input_of(output.path(), "terms", c.input);
    Simulation simulation(world, input, {.quiet = true});
    simulation.run();
    const ThermodynamicState& state = simulation.last_state();
    double energy = 0.0, virial = 0.0;
    for (const auto& term : state.terms) {
      CAPTURE(term.name);
      energy += term.energy;
      virial += term.virial;
      double of_parts = 0.0;
      for (const auto& part : term.parts) of_parts += part.energy;
      if (!term.parts.empty()) CHECK(of_parts == doctest::Approx(term.energy).epsilon(1e-12));
    }
    CHECK(energy == doctest::Approx(state.potential_energy).epsilon(1e-12));
    CHECK(virial ==
          doctest::Approx(state.virial + simulation.tail_correction().virial).epsilon(1e-12));
    const auto scalars =
        logged_scalars(state, input.units, {.rotating = simulation.particles().rotating()});
    for (const std::string& name : c.scalars) CHECK(value_of(scalars, name) != 0.0);
  }
}

TEST_CASE("what charges give at short range is apart from Lennard-Jones") {
  const comm::Context world;
  // The same water with and without a reaction field: its Lennard-Jones energy does not change.
  std::vector<double> lennard_jones;
  for (const std::size_t index : {std::size_t{2}, std::size_t{3}}) {
    const test::SharedFolder output(world);
    std::string text = cases[index].input;
    text.replace(text.find("steps = 5"), 9, "steps = 0");
    const Input input = test::input_of(output.path(), "water", text);
    Simulation simulation(world, input, {.quiet = true});
    simulation.run();
    const auto& parts = simulation.last_state().terms.front().parts;
    REQUIRE(parts.size() == 2);
    lennard_jones.push_back(parts[0].energy);
    // With [electrostatics] the short-range term has no charges.
    if (index == 2) CHECK(parts[1].energy == 0.0);
    if (index == 3) CHECK(std::fabs(parts[1].energy) > 1e-3 * std::fabs(parts[0].energy));
  }
  CHECK(lennard_jones[0] == doctest::Approx(lennard_jones[1]).epsilon(1e-12));
}

TEST_CASE("the table names each term once, and says what it is") {
  std::set<std::string_view> names;
  for (const ForceTermRow& entry : force_term_table()) {
    CHECK(names.insert(entry.name).second);
    CHECK(!entry.sentence.empty());
    CHECK(std::all_of(entry.name.begin(), entry.name.end(),
                      [](char c) { return c == '_' || (c >= 'a' && c <= 'z'); }));
  }
}
