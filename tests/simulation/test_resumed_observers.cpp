// Every observer of the table, in runs that are interrupted and resumed, against the same run
// without interruption.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "md/input/observer_row.hpp"
#include "simulation/simulation_support.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

/// Where an observer is tried, and the keys that it needs.
struct Case {
  bool flexible, rigid;
  std::string keys;
};

/// A row for each observer.
const std::map<std::string, Case> cases{
    {"rdf", {true, true, "bins = 20"}},
    {"profile", {true, true, "bins = 8"}},
    {"radial_profile", {true, true, "maximum = 3.0\nbins = 8"}},
    {"profile_2d", {true, true, "bins = 4\ncentered = true"}},
    {"flow_profile", {true, true, "shape = \"cylinder\"\nmaximum = 3.0\nbins = 8"}},
    // It knows no molecules: tests/python/test_observers_of_space.py resumes it.
    {"stress_profile", {false, false, ""}},
    {"liquid_vapor", {true, true, "bins = 8"}},
    {"pressure_tensor", {true, true, "surface_normal = \"z\""}},
    {"viscosity", {true, true, ""}},
    {"fluctuations", {true, true, ""}},
    // Of atoms alone, for which tests/python/test_derivatives.py resumes it.
    {"derivatives", {false, false, ""}},
    {"insertion", {false, true, "insertions = 40\norientations = 2"}},
    {"orientation_order", {false, true, "bins = 4"}},
    {"diffusion", {true, true, ""}},
    {"velocity_autocorrelation", {true, true, "length = 0.08"}},
    {"vibrational_spectrum", {true, true, "length = 0.08"}},
    {"van_hove", {true, true, "length = 0.08\nmaximum = 0.5\nbins = 10"}},
    {"van_hove_distinct", {true, true, "length = 0.08\nmaximum = 2.0\nbins = 10"}},
    {"dielectric", {true, true, ""}},
    {"structure_factor", {true, true, "maximum = 3.0\nbins = 20"}},
    {"coordination", {true, false, "of = \"ends\"\nwith = \"all\"\ndistance = 1.5"}},
    {"radius_of_gyration", {true, false, ""}},
    {"end_to_end_distance", {true, false, "groups = [\"ends\", \"all\"]"}},
    {"rmsd", {true, false, "groups = [\"first\", \"ends\"]"}},
    {"rmsf", {true, false, "group = \"first\""}},
    {"bond_distribution", {true, false, "minimum = 0.5\nmaximum = 1.5\nbins = 20"}},
    {"angle_distribution", {true, false, "bins = 18"}},
    {"torsion_distribution", {true, false, "bins = 18"}},
    {"hydrogen_bonds",
     {true, false, "hydrogens = \"light\"\nacceptors = \"ends\"\ndistance = 2.0\nangle = 90"}},
    {"molecular_dipole", {true, false, ""}},
    {"common_neighbors", {true, true, "field = \"structure\""}},
    {"centro_symmetry", {true, true, "neighbors = 4\nthreshold = 0.5\nfield = \"centro\""}},
};

constexpr int steps = 60;
// The windows of [diffusion] have 9 samples, then 9 of every tenth sample.
constexpr int cuts[] = {1, 8, 10, 11, 25, 47, 59};

std::string sections(bool flexible) {
  std::string text;
  for (const ObserverRow& section : observer_rows()) {
    const std::string name(section.schema.name);
    const auto found = cases.find(name);
    INFO("[" << name << "] has no row in the table of this test");
    REQUIRE(found != cases.end());
    if (!(flexible ? found->second.flexible : found->second.rigid)) continue;
    text += fmt::format("[{}]\ninterval = 1\n{}\n", name, found->second.keys);
  }
  return text;
}

const char* const settings = R"(
units = "reduced"
[run]
steps = 60
timestep = 0.004
[domain]
decomposition = "grid"
)";

/// Chains of four atoms, which are not on a line, along x. They fill the box, or a `part` of its
/// edges along y and z, within its lower half.
Input flexible_input(const comm::Context& context, const std::string& folder, double part = 1.0) {
  constexpr int along = 2, across = 5;
  constexpr double spacing = 1.5, period = 5.0;
  const double edge = across * spacing / part, margin = 0.5 * (0.5 * edge - across * spacing);
  if (context.rank() == 0) {
    std::ofstream file(folder + "/chains.extxyz");
    file << 4 * along * across * across << "\nLattice=\"" << along * period << " 0 0 0 " << edge
         << " 0 0 0 " << edge << "\" Properties=species:S:1:pos:R:3\n";
    for (int n = 0; n < along * across * across; ++n) {
      const int x = n % along, y = n / along % across, z = n / along / across;
      const char* const types[] = {"A", "B", "B", "A"};
      for (int k = 0; k < 4; ++k) {
        file << types[k] << ' ' << 0.5 + period * x + 0.9 * k << ' '
             << std::max(margin, 0.0) + spacing * y + (k % 2 == 0 ? 0.2 : 0.5) << ' '
             << std::max(margin, 0.0) + spacing * z + (k < 2 ? 0.2 : 0.4) + 0.02 * ((3 * n + k) % 5)
             << '\n';
      }
    }
  }
  comm::barrier(context);
  return test::input_of(folder, "chains", std::string(settings) + R"(
[start]
kind = "file"
file = "chains.extxyz"
temperature = 1.0
[[type]]
name = "A"
[[type]]
name = "B"
mass = 0.5
epsilon = 0.5
[[molecule]]
name = "chain"
count = 50
atom = [
  { name = "A1", type = "A", charge = 0.3 },
  { name = "B1", type = "B", charge = -0.3 },
  { name = "B2", type = "B", charge = -0.3 },
  { name = "A2", type = "A", charge = 0.3 },
]
[[molecule.bond]]
potential = "harmonic"
stiffness = 200
r0 = 1.0
atoms = [[1, 2], [2, 3], [3, 4]]
[[group]]
name = "all"
select = "all"
[[group]]
name = "ends"
select = "type A"
[[group]]
name = "light"
select = "type B"
[[group]]
name = "first"
select = "resid 1:3"
[interaction]
cutoff = 2.5
[electrostatics]
kind = "ewald"
)" + sections(true));
}

/// Dipolar dumbbells.
Input rigid_input(const std::string& folder) {
  return test::input_of(folder, "dumbbells", std::string(settings) + R"(
[start]
kind = "lattice"
lattice = "sc"
cells = [6, 6, 6]
density = 0.3
temperature = 1.5
[[component]]
name = "D"
[[component.site]]
kind = "lennard_jones"
position = [0.3, 0.0, 0.0]
mass = 1.0
epsilon = 1.0
sigma = 1.0
[[component.site]]
kind = "lennard_jones"
position = [-0.3, 0.0, 0.0]
mass = 1.0
epsilon = 1.0
sigma = 1.0
[[component.site]]
kind = "charge"
position = [0.3, 0.0, 0.0]
charge = 0.5
[[component.site]]
kind = "charge"
position = [-0.3, 0.0, 0.0]
charge = -0.5
[interaction]
cutoff = 2.5
electrostatics = "reaction_field"
[thermostat]
kind = "stochastic_velocity_rescaling"
temperature = 1.5
time_constant = 0.1
)" + sections(false));
}

std::map<std::string, std::string> texts_of(Simulation& simulation) {
  std::map<std::string, std::string> texts;
  for (const ObserverReport& report : simulation.observer_reports()) {
    texts[report.name] = report.text;
    for (const ObserverReport::Average& average : report.averages) {
      texts[report.name] +=
          fmt::format("{} {:a} {:a}\n", average.name, average.mean, average.standard_error);
    }
  }
  return texts;
}

SimulationOptions from(const std::string& checkpoint) {
  SimulationOptions options = SimulationOptions::inside_a_program();
  options.checkpoint = checkpoint;
  return options;
}

/// Goes on to the last step. Checkpoints are written where `whole` wrote them, since lists are
/// rebuilt there.
void finish(Simulation& simulation, const std::string& scratch) {
  for (const int cut : cuts) {
    if (cut <= simulation.step_number()) continue;
    simulation.run(cut - simulation.step_number());
    simulation.save(scratch);
  }
  simulation.run(steps - simulation.step_number());
}

void check_same(const std::map<std::string, std::string>& found,
                const std::map<std::string, std::string>& expected) {
  REQUIRE(found.size() == expected.size());
  for (const auto& [name, text] : expected) {
    CAPTURE(name);
    CHECK(found.at(name) == text);
  }
}

/// Texts with the same words, and numbers that only rounding distinguishes.
void check_close(const std::map<std::string, std::string>& found,
                 const std::map<std::string, std::string>& expected) {
  REQUIRE(found.size() == expected.size());
  for (const auto& [name, text] : expected) {
    CAPTURE(name);
    std::istringstream ours(found.at(name)), theirs(text);
    std::string our, their;
    bool same = true;
    while (theirs >> their) {
      if (!(ours >> our)) our = "the end";
      char *our_end = nullptr, *their_end = nullptr;
      const double a = std::strtod(our.c_str(), &our_end);
      const double b = std::strtod(their.c_str(), &their_end);
      const bool numbers = *our_end == '\0' && *their_end == '\0';
      if (numbers ? std::fabs(a - b) <= 1e-5 * std::max(1.0, std::fabs(b)) : our == their) continue;
      same = false;
      CAPTURE(our);
      CAPTURE(their);
      CHECK(our == their);
      break;
    }
    CHECK(same);
    const bool ends = !(ours >> our);
    CHECK(ends);
  }
}

void interrupt_and_resume(const comm::Context& world, const Input& input,
                          const std::string& folder) {
  const auto path_of = [&](int cut) { return fmt::format("{}/at-{}", folder, cut); };
  Simulation whole(world, input, SimulationOptions::inside_a_program());
  for (const int cut : cuts) {
    whole.run(cut - whole.step_number());
    whole.save(path_of(cut));
  }
  whole.run(steps - whole.step_number());
  const auto expected = texts_of(whole);
  std::set<std::string> observed;
  for (const auto& [name, text] : expected) {
    CAPTURE(name);
    CHECK(std::ranges::count(text, '\n') > 4);
    CHECK(text.find("nan") == std::string::npos);
    observed.insert(name);
  }
  for (const auto& [name, of_table] : cases) {
    CAPTURE(name);
    CHECK((input.components.empty() ? of_table.flexible : of_table.rigid) ==
          observed.contains(name));
  }

  const std::string scratch = folder + "/scratch";
  for (const int cut : cuts) {
    CAPTURE(cut);
    Simulation resumed(world, input, from(path_of(cut)));
    CHECK(resumed.step_number() == cut);
    finish(resumed, scratch);
    check_same(texts_of(resumed), expected);
  }
  // Cut at all of these places, one after the other; also right behind a resumption.
  std::string latest = path_of(cuts[0]);
  for (const int cut : cuts) {
    Simulation part(world, input, from(latest));
    part.run(cut - part.step_number());
    latest = fmt::format("{}/part-{}", folder, cut);
    part.save(latest);
    Simulation(world, input, from(latest)).save(latest);
  }
  Simulation last(world, input, from(latest));
  last.run(steps - last.step_number());
  check_same(texts_of(last), expected);

  // On another number of ranks, and back again.
  const comm::Context alone = world.split(world.rank());
  const auto own = [&](int rank) { return fmt::format("{}/of-{}", folder, rank); };
  {
    Simulation one(alone, input, from(path_of(11)));
    one.run(25 - one.step_number());
    one.save(own(world.rank()));
    one.run(steps - one.step_number());
    check_close(texts_of(one), expected);
  }
  comm::barrier(world);
  Simulation again(world, input, from(own(0)));
  again.run(steps - again.step_number());
  check_close(texts_of(again), expected);
}

}  // namespace

TEST_CASE("flexible molecules: a run that was interrupted observes what a whole run does") {
  const comm::Context world;
  const test::SharedFolder folder(world);
  interrupt_and_resume(world, flexible_input(world, folder.path()), folder.path());
}

TEST_CASE("rigid molecules: a run that was interrupted observes what a whole run does") {
  const comm::Context world;
  const test::SharedFolder folder(world);
  interrupt_and_resume(world, rigid_input(folder.path()), folder.path());
}

TEST_CASE("ranks without any particle change nothing that is observed") {
  const comm::Context world;
  const test::SharedFolder folder(world);
  // Four ranks share out y and z: all chains are with one of them.
  const Input input = flexible_input(world, folder.path(), 1.0 / 3.0);
  Simulation simulation(world, input, SimulationOptions::inside_a_program());
  const comm::Context alone = world.split(world.rank());
  Simulation one(alone, input, SimulationOptions::inside_a_program());
  std::int64_t empty = 0;
  for (Simulation* each : {&simulation, &one}) each->run(steps);
  if (simulation.particles().local_count() == 0) ++empty;
  comm::ReductionBatch(world, "empty ranks").sum(empty).run();
  CHECK(empty == world.size() - 1);
  check_close(texts_of(simulation), texts_of(one));
}

TEST_CASE("an observer that is added or changed begins anew, and the others go on") {
  const comm::Context world;
  const test::SharedFolder folder(world);
  const auto input = [&](const std::string& observers) {
    return test::input_of(folder.path(), "melt", std::string(settings) + R"(
[start]
kind = "lattice"
cells = [5, 5, 5]
density = 0.8
temperature = 1.2
[[type]]
name = "A"
[interaction]
cutoff = 2.5
[diffusion]
interval = 5
)" + observers);
  };
  const auto rdf = [](double maximum) {
    return fmt::format("[rdf]\ninterval = 5\nbins = 10\nmaximum = {}\n", maximum);
  };
  const std::string path = folder.path() + "/half";
  Simulation whole(world, input(rdf(2.5)), SimulationOptions::inside_a_program());
  whole.run(30);
  whole.save(path);
  const std::string profile = "[profile]\ninterval = 5\nbins = 4\n";
  const Input other = input(rdf(2.0) + profile);
  Simulation resumed(world, other, from(path));
  Simulation taken_over(world, other, whole);
  whole.run(30);
  const auto expected = texts_of(whole);
  CHECK(expected.at("rdf").find("13 frames") != std::string::npos);
  for (Simulation* changed : {&resumed, &taken_over}) {
    changed->run(30);
    const auto found = texts_of(*changed);
    CHECK(found.at("rdf").find(" 6 frames") != std::string::npos);
    CHECK(found.at("profile").find(" 6 frames") != std::string::npos);
    check_close({{"diffusion", found.at("diffusion")}}, {{"diffusion", expected.at("diffusion")}});
  }
  CHECK(texts_of(resumed).at("diffusion") == expected.at("diffusion"));
}

TEST_CASE("step 0 is sampled once, though a simulation goes on from it") {
  const comm::Context world;
  const test::SharedFolder folder(world);
  const Input input = test::input_of(folder.path(), "melt", std::string(settings) + R"(
[start]
kind = "lattice"
cells = [5, 5, 5]
density = 0.8
temperature = 1.2
[[type]]
name = "A"
[interaction]
cutoff = 2.5
[profile]
interval = 5
bins = 4
)");
  Simulation first(world, input, SimulationOptions::inside_a_program());
  const std::string path = folder.path() + "/start";
  first.save(path);
  Simulation resumed(world, input, from(path));
  Simulation taken_over(world, input, first);
  for (Simulation* simulation : {&first, &resumed, &taken_over}) {
    simulation->run(10);
    CHECK(texts_of(*simulation).at("profile").find(" 3 frames") != std::string::npos);
  }
}
