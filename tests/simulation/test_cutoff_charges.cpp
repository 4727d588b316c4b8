// Charges of the atoms of flexible molecules that end at a cutoff, on any number of ranks, against
// sums over all pairs: energies, forces, slopes over the size of the box, bits.

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "md/output/checkpoint.hpp"
#include "simulation/force_error.hpp"
#include "simulation/simulation_support.hpp"
#include "sterna/comm/methods.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

constexpr int chains = 98, atoms_per_chain = 7, atom_count = chains * atoms_per_chain;
constexpr double spacing = 1.1, length = 7.7, depth = 15.4;
constexpr double stiffness = 90.0, r0 = 1.15, coulomb_14 = 0.8;

/// Rows of atoms along x that reach through the whole box, and just not through its face.
std::vector<Vec3> start_positions() {
  std::mt19937_64 engine(7);
  std::uniform_real_distribution<double> jitter(-0.08, 0.08);
  std::vector<Vec3> positions;
  for (int chain = 0; chain < chains; ++chain) {
    // They begin at different places, so that most of them cross a face.
    for (int k = 0; k < atoms_per_chain; ++k) {
      const double dx = jitter(engine), dy = jitter(engine), dz = jitter(engine);
      Vec3 at{spacing * (k + 0.37 * chain) + dx, spacing * (chain % 7 + 0.5) + dy,
              spacing * (chain / 7 + 0.5) + dz};
      at.x -= length * std::floor(at.x / length);
      positions.push_back(at);
    }
  }
  return positions;
}

double charge_of(int atom) {
  constexpr std::array<double, atoms_per_chain> charges{0.3, -0.4, 0.0, 0.5, -0.1, 0.0, 0.2};
  return charges[static_cast<std::size_t>(atom % atoms_per_chain)];
}

Vec3 nearest(Vec3 d, double scale) {
  for (int axis = 0; axis < 3; ++axis) {
    const double edge = scale * (axis == 2 ? depth : length);
    d[axis] -= edge * std::round(d[axis] / edge);
  }
  return d;
}

struct Charges {
  std::string kind = "reaction_field";
  double cutoff = 2.6, permittivity = 1.0, outside = 0.0;  ///< 0: infinite
  bool shifted = true;

  std::string text() const {
    std::string text =
        fmt::format("[electrostatics]\nkind = \"{}\"\ncutoff = {}\npermittivity = {}\n", kind,
                    cutoff, permittivity);
    if (outside > 0.0) text += fmt::format("reaction_field_permittivity = {}\n", outside);
    if (!shifted) text += "truncation = \"truncated\"\n";
    return text;
  }
};

struct Expected {
  std::map<std::string, double> energies;
  std::vector<Vec3> forces = std::vector<Vec3>(atom_count);
};

/// From the formulas alone: Barker and Watts, Mol. Phys. 26, 789 (1973).
Expected expected_of(const Charges& charges) {
  Expected expected;
  double curvature = 0.0, shift = 0.0;
  const double rc = charges.cutoff;
  if (charges.kind == "reaction_field") {
    const double inside = charges.permittivity, outside = charges.outside;
    curvature = outside > 0.0 ? (outside - inside) / ((2.0 * outside + inside) * rc * rc * rc)
                              : 0.5 / (rc * rc * rc);
  }
  if (charges.kind == "reaction_field" || charges.shifted) {
    shift = 1.0 / rc + curvature * rc * rc;
  }
  const auto at = start_positions();
  for (int a = 0; a < atom_count; ++a) {
    const double own = charge_of(a);
    expected.energies["pairs_electrostatics"] -= 0.5 * shift * own * own / charges.permittivity;
    for (int b = a + 1; b < atom_count; ++b) {
      const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
      const Vec3 d = nearest(at[i] - at[j], 1.0);
      const double r = std::sqrt(dot(d, d));
      const double product = own * charge_of(b) / charges.permittivity;
      const int bonds = a / atoms_per_chain == b / atoms_per_chain ? b - a : 99;
      double slope = 0.0;  // -u' / r
      if (r < rc) {
        const double inverse = bonds <= 3 ? 0.0 : 1.0 / r;
        expected.energies["pairs_electrostatics"] +=
            product * (inverse + curvature * r * r - shift);
        slope += product * (inverse * inverse * inverse - 2.0 * curvature);
      }
      if (bonds == 3) {
        expected.energies["bonded_coulomb_14"] += coulomb_14 * product / r;
        slope += coulomb_14 * product / (r * r * r);
      }
      if (bonds == 1) {
        expected.energies["bonded_harmonic_bond"] += 0.5 * stiffness * (r - r0) * (r - r0);
        slope -= stiffness * (r - r0) / r;
      }
      expected.forces[i] += slope * d;
      expected.forces[j] -= slope * d;
    }
  }
  return expected;
}

std::string chain_text() {
  std::string atoms, bonds;
  for (int k = 0; k < atoms_per_chain; ++k) {
    atoms += fmt::format("{{type = \"{}\", charge = {}}},\n", k % 2 == 0 ? "A" : "B", charge_of(k));
    if (k > 0) bonds += fmt::format("[{}, {}],\n", k, k + 1);
  }
  return fmt::format(
      "[[molecule]]\nname = \"chain\"\ncount = {}\ncoulomb_14 = {}\natom = [\n{}]\n"
      "[[molecule.bond]]\npotential = \"harmonic\"\nstiffness = {}\nr0 = {}\natoms = [{}]\n",
      chains, coulomb_14, atoms, stiffness, r0, bonds);
}

struct Case {
  Charges charges = {};
  int steps = 0;
  double epsilon = 0.0;  ///< 0: charges and bonds are all there is
  std::string precision = "double", more = "";
  double scale = 1.0;
};

Input input_of(const comm::Context& world, const std::string& folder, const Case& wanted) {
  const std::string start = folder + "/start.extxyz";
  if (world.rank() == 0) {
    std::ofstream out(start);
    out << fmt::format("{}\nLattice=\"{} 0 0 0 {} 0 0 0 {}\" Properties=species:S:1:pos:R:3\n",
                       atom_count, wanted.scale * length, wanted.scale * length,
                       wanted.scale * depth);
    int atom = 0;
    for (const Vec3& at : start_positions()) {
      out << fmt::format("{} {} {} {}\n", atom++ % atoms_per_chain % 2 == 0 ? "A" : "B",
                         wanted.scale * at.x, wanted.scale * at.y, wanted.scale * at.z);
    }
  }
  comm::barrier(world);
  const auto type = [&](const char* name) {
    return fmt::format("[[type]]\nname = \"{}\"\nepsilon = {}\n", name, wanted.epsilon);
  };
  return test::input_of(
      folder, "charges",
      fmt::format("[run]\nsteps = {}\ntimestep = 0.002\nprecision = \"{}\"\n[start]\nkind = "
                  "\"file\"\nfile = \"{}\"\ntemperature = 0.8\n{}{}[interaction]\ncutoff = 2.2\n"
                  "[neighbor]\nskin = 0.3\n{}{}{}",
                  wanted.steps, wanted.precision, start, type("A"), type("B"),
                  wanted.charges.text(), chain_text(), wanted.more));
}

std::map<std::string, double> energies_of(const ThermodynamicState& state) {
  std::map<std::string, double> energies;
  for (const auto& term : state.terms) {
    for (const auto& part : term.parts) energies[part.name] = part.energy;
  }
  return energies;
}

const std::vector<Charges> cases{
    {},
    {.permittivity = 15.0},
    {.cutoff = 2.0, .permittivity = 2.0, .outside = 60.0},
    {.kind = "cutoff"},
    {.kind = "cutoff", .permittivity = 4.0, .shifted = false},
};

}  // namespace

TEST_CASE("energies and forces are those of sums over all pairs, whatever the number of ranks") {
  const comm::Context world;
  const test::SharedFolder output(world);
  for (const Charges& charges : cases) {
    INFO(charges.text());
    const Expected expected = expected_of(charges);
    for (const std::string precision : {"double", "mixed"}) {
      INFO(precision);
      const bool exact = precision == "double";
      Simulation simulation(
          world, input_of(world, output.path(), {.charges = charges, .precision = precision}),
          {.quiet = true, .files = false});
      simulation.run(0);
      const auto energies = energies_of(simulation.last_state());
      for (const auto& [name, energy] : expected.energies) {
        INFO(name);
        REQUIRE(energies.contains(name));
        CHECK(energies.at(name) == doctest::Approx(energy).epsilon(exact ? 1e-11 : 2e-6));
      }
      CHECK(test::error_of_forces(world, simulation.particles(), expected.forces) <
            (exact ? 1e-12 : 2e-6));
    }
  }
}

TEST_CASE("the virial is minus the slope of the energy over the size of the box") {
  const comm::Context world;
  const test::SharedFolder output(world);
  for (const Charges& charges : cases) {
    // A truncated energy jumps where a pair crosses the cutoff, also one that is excluded.
    if (!charges.shifted) continue;
    INFO(charges.text());
    const auto state_at = [&](double scale) {
      Simulation simulation(world,
                            input_of(world, output.path(), {.charges = charges, .scale = scale}),
                            {.quiet = true, .files = false});
      simulation.run(0);
      return simulation.last_state();
    };
    constexpr double change = 1e-5;
    const double slope =
        (state_at(1.0 + change).pair_energy - state_at(1.0 - change).pair_energy) / (2.0 * change);
    CHECK(state_at(1.0).virial == doctest::Approx(-slope).epsilon(1e-5));
  }
}

TEST_CASE("energy is conserved, and the bits are the same whichever exchange there is") {
  const comm::Context world;
  const test::SharedFolder output(world);
  for (const std::string precision : {"double", "mixed"}) {
    std::optional<std::int64_t> expected;
    for (const comm::MethodInfo& method : comm::neighbor_methods()) {
      if (!comm::why_neighbor_method_unavailable(world, method.name).empty()) continue;
      INFO(method.name);
      const Input input =
          input_of(world, output.path(),
                   {.steps = 60,
                    .epsilon = 0.4,
                    .precision = precision,
                    .more = fmt::format("[communication]\nhalo = \"{}\"\n", method.name)});
      Simulation simulation(world, input, {.quiet = true, .files = false});
      simulation.run(0);
      const double before = simulation.last_state().total_energy;
      simulation.run(60);
      CHECK(std::abs(simulation.last_state().total_energy - before) < 2e-3 * atom_count);
      const std::int64_t bits = test::fingerprint(world, simulation.particles(), simulation.box());
      if (!expected) expected = bits;
      CHECK(bits == *expected);
    }
  }
}

TEST_CASE("a resumed run has the same bits") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const Input input = input_of(world, output.path(), {.steps = 90, .epsilon = 0.4});
  std::int64_t whole = 0;
  {
    Simulation simulation(world, input, {.quiet = true});
    simulation.run();
    whole = test::fingerprint(world, simulation.particles(), simulation.box());
  }
  const std::string latest = checkpoint_path(output.path() + "/charges");
  comm::barrier(world);
  if (world.rank() == 0) std::filesystem::remove(latest);
  comm::barrier(world);
  Simulation simulation(world, input, {.resume = true, .quiet = true});
  CHECK(simulation.step_number() < 90);
  simulation.run();
  CHECK(test::fingerprint(world, simulation.particles(), simulation.box()) == whole);
}

TEST_CASE("what is frozen keeps its place and acts all the same") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const auto state_of = [&](const std::string& more) {
    Simulation simulation(
        world, input_of(world, output.path(), {.steps = 10, .epsilon = 0.4, .more = more}),
        {.quiet = true, .files = false});
    simulation.run(0);
    return energies_of(simulation.last_state());
  };
  CHECK(state_of("[[freeze]]\ncomponent = \"B\"\n").at("pairs_electrostatics") ==
        doctest::Approx(state_of("").at("pairs_electrostatics")).epsilon(1e-12));
}

TEST_CASE("a permittivity divides the charges of every solver, and those of 1-4 pairs") {
  const comm::Context world;
  const test::SharedFolder output(world);
  for (const std::string kind : {"ewald", "fmm"}) {
    INFO(kind);
    const auto energies_with = [&](double permittivity) {
      Input input = input_of(world, output.path(), {.charges = {.permittivity = permittivity}});
      input.electrostatics.kind = kind;
      input.electrostatics.accuracy = 1e-6;
      Simulation simulation(world, input, {.quiet = true, .files = false});
      simulation.run(0);
      auto energies = energies_of(simulation.last_state());
      for (const auto& term : simulation.last_state().terms) {
        if (term.name == "electrostatics") energies[term.name] = term.energy;
      }
      return energies;
    };
    const auto plain = energies_with(1.0), screened = energies_with(2.5);
    for (const char* name : {"electrostatics", "bonded_coulomb_14"}) {
      CHECK(screened.at(name) == doctest::Approx(plain.at(name) / 2.5).epsilon(1e-5));
    }
  }
}
