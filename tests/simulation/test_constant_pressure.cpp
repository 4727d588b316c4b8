// Boxes that change: what drives them is the derivative of the energy, what they conserve is
// conserved, and their volumes are those of the equation of state.

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "md/core/deformation.hpp"
#include "simulation/simulation_support.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

// Triangles under constraints, each with a fourth atom on a spring, and single atoms; charged.
constexpr int edge = 4, cells = edge * edge * edge;
constexpr double spacing = 1.55, leg = 0.35, base = 0.55;

struct Atom {
  char type;
  Vec3 position;
  int group;  ///< atoms of one move together
};

std::vector<Atom> atoms() {
  std::vector<Atom> all;
  const double high = std::sqrt(leg * leg - 0.25 * base * base);
  int group = 0;
  // The start of molecules is skewed so that nothing vanishes by symmetry, and some cross faces.
  const auto corner = [](int k) {
    return spacing * Vec3{k % edge + 0.03 * (k % 3), k / edge % edge + 0.02 * (k % 5),
                          k / (edge * edge) + 0.03 * (k % 7)};
  };
  for (int k = 0; k < cells - 8; ++k) {
    const Vec3 at = corner(k);
    const bool turned = k % 2 == 0;
    const auto arm = [&](double a, double b) { return turned ? Vec3{a, b, 0.0} : Vec3{b, 0.0, a}; };
    all.push_back({'A', at, group});
    all.push_back({'B', at + arm(high, 0.5 * base), group});
    all.push_back({'B', at + arm(high, -0.5 * base), group});
    all.push_back({'C', at + arm(-0.45, 0.1), ++group});
    ++group;
  }
  for (int k = cells - 8; k < cells; ++k) all.push_back({'C', corner(k), ++group});
  return all;
}

/// With the box deformed, and the centers of mass of the triangles with it.
std::string start_text(const Deformation& by) {
  const std::vector<Atom> all = atoms();
  const Box box = by(Box{{edge * spacing, edge * spacing, edge * spacing}});
  const std::array<Vec3, 3> edges = box.edges();
  std::string text = fmt::format("{}\nLattice=\"", all.size());
  for (const Vec3& e : edges) text += fmt::format("{:.15g} {:.15g} {:.15g} ", e.x, e.y, e.z);
  text += "\" Properties=species:S:1:pos:R:3\n";
  for (const Atom& atom : all) {
    Vec3 center;
    double mass = 0.0;
    for (const Atom& other : all) {
      if (other.group != atom.group) continue;
      const double m = other.type == 'A' ? 8.0 : other.type == 'B' ? 0.5 : 2.0;
      center += m * other.position;
      mass += m;
    }
    center = (1.0 / mass) * center;
    const Vec3 p = atom.position + by(center) - center;
    text += fmt::format("{} {:.15g} {:.15g} {:.15g}\n", atom.type, p.x, p.y, p.z);
  }
  return text;
}

Input input_of(const comm::Context& world, const std::string& folder, const std::string& run,
               const std::string& more, const Deformation& by = {}, bool charged = false) {
  const double charge = charged ? 0.2 : 0.0;
  if (world.rank() == 0) std::ofstream(folder + "/start.extxyz") << start_text(by);
  comm::barrier(world);
  return test::input_of(
      folder, "box",
      fmt::format("[run]\n{}\n[start]\nkind = \"file\"\nfile = \"{}/start.extxyz\"\n", run,
                  folder) +
          more +
          fmt::format("[[type]]\nname = \"A\"\nmass = 8.0\ncharge = {}\n"
                      "[[type]]\nname = \"B\"\nmass = 0.5\nepsilon = 0\ncharge = {}\n"
                      "[[type]]\nname = \"C\"\nmass = 2.0\nsigma = 0.9\n"
                      "[interaction]\ncutoff = 2.2\ntruncation = \"switched\"\nswitch_start = 1.7\n"
                      "[neighbor]\nskin = 0.3\n"
                      "[[molecule]]\nname = \"triangle\"\ncount = {}\n"
                      "atom = [{{type = \"A\"}}, {{type = \"B\"}}, {{type = \"B\"}}, "
                      "{{type = \"C\", charge = {}}}]\n"
                      "[[molecule.constraint]]\ndistance = {}\natoms = [[1, 2], [1, 3]]\n"
                      "[[molecule.constraint]]\ndistance = {}\natoms = [2, 3]\n"
                      "[[molecule.bond]]\npotential = \"harmonic\"\nstiffness = 200\nr0 = 0.45\n"
                      "atoms = [1, 4]\n"
                      "[[molecule.exclusion]]\natoms = [[2, 4], [3, 4]]\n"
                      "[[molecule]]\nname = \"atom\"\ncount = 8\natom = [{{type = \"C\"}}]\n",
                      -3.0 * charge, charge, cells - 8, charge, leg, base));
}

std::string barostat_text(const std::string& kind, const std::string& coupling) {
  std::string text = fmt::format(
      "[barostat]\nkind = \"{}\"\ncoupling = \"{}\"\npressure = 2.0\ntime_constant = 1.5\n", kind,
      coupling);
  if (kind == "stochastic_cell_rescaling") text += "bulk_modulus = 30\n";
  return text;
}

const std::string charges = "[electrostatics]\nkind = \"ewald\"\naccuracy = 1e-6\n";

}  // namespace

TEST_CASE("the pressure of centers is the derivative of the energy by each part of a strain") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const auto state = [&](const Tensor& strain) {
    const Input input = input_of(world, output.path(), "steps = 1\ntimestep = 0.0001",
                                 charges + barostat_text("stochastic_cell_rescaling", "triclinic"),
                                 Deformation::exponential(strain), true);
    Simulation simulation(world, input, {.quiet = true, .files = false});
    simulation.measure();
    return simulation.last_state();
  };
  const ThermodynamicState at_rest = state({});
  REQUIRE(at_rest.center_pressure);
  const double h = 1e-4;
  for (std::size_t k = 0; k < 6; ++k) {
    CAPTURE(k);
    Tensor up{}, down{};
    up[k] = h;
    down[k] = -h;
    const double slope =
        (state(up).potential_energy - state(down).potential_energy) / (2.0 * h * at_rest.volume);
    CHECK((*at_rest.center_pressure)[k] == doctest::Approx(-slope).scale(1.0).epsilon(2e-5));
  }
}

TEST_CASE("what Martyna-Tobias-Klein conserves deviates by the square of the step") {
  const comm::Context world;
  const test::SharedFolder output(world);
  for (const std::string coupling :
       {"isotropic", "semi_isotropic", "uniaxial", "anisotropic", "triclinic"}) {
    CAPTURE(coupling);
    // Constant enthalpy: no chain, no noise. Long steps, so that rounding is far away.
    const auto deviation = [&](int steps, double timestep) {
      const Input input = input_of(
          world, output.path(),
          fmt::format("steps = {}\ntimestep = {}\nconstraint_tolerance = 1e-12", steps, timestep),
          "temperature = 0.9\n" + barostat_text("martyna_tobias_klein", coupling) +
              "interval = 4\n");
      Simulation simulation(world, input, {.quiet = true, .files = false});
      double first = 0.0, sum = 0.0, samples = 0.0, volume = 0.0;
      simulation.measure();
      first = simulation.last_state().conserved_energy;
      volume = simulation.last_state().volume;
      const int rows = 10;
      for (int row = 0; row < rows; ++row) {
        simulation.run(steps / rows);
        const double change = simulation.last_state().conserved_energy - first;
        sum += change * change;
        samples += 1.0;
      }
      // The box does move.
      CHECK(std::abs(simulation.last_state().volume / volume - 1.0) > 1e-3);
      return std::sqrt(sum / samples);
    };
    const double coarse = deviation(80, 0.002), fine = deviation(160, 0.001);
    CHECK(coarse / fine == doctest::Approx(4.0).epsilon(0.25));
  }
}

TEST_CASE("the mean pressure is the same of atoms and of centers") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const Input input =
      input_of(world, output.path(), "steps = 3000\ntimestep = 0.002",
               "temperature = 1.5\n[thermostat]\nkind = \"nose_hoover_chain\"\ntemperature = 1.5\n"
               "time_constant = 0.2\n" +
                   barostat_text("martyna_tobias_klein", "isotropic") + "interval = 4\n");
  Simulation simulation(world, input, {.quiet = true, .files = false});
  simulation.run(600);
  double of_atoms = 0.0, of_centers = 0.0;
  for (int row = 0; row < 240; ++row) {
    simulation.run(10);
    const Tensor& p = *simulation.last_state().center_pressure;
    of_atoms += simulation.last_state().pressure / 240.0;
    of_centers += (p[0] + p[1] + p[2]) / 3.0 / 240.0;
  }
  // The kinetic parts alone differ by 0.7; what is left is of the square of the time step.
  CHECK(of_centers == doctest::Approx(of_atoms).epsilon(0.005));
  CHECK(of_centers == doctest::Approx(2.0).epsilon(0.15));
}

TEST_CASE("a fluid under constant pressure has it, and the density of the equation of state") {
  const comm::Context world;
  const test::SharedFolder output(world);
  for (const std::string& barostat :
       {std::string("kind = \"stochastic_cell_rescaling\"\nbulk_modulus = 20.0\n"
                    "time_constant = 0.5\n"),
        std::string("kind = \"martyna_tobias_klein\"\ntime_constant = 4.0\n")}) {
    CAPTURE(barostat);
    // T = 2, density 0.7: p = 3.032 by Thol et al., J. Phys. Chem. Ref. Data 45, 023101 (2016).
    const Input input = test::input_of(
        output.path(), "pressure",
        "[run]\nsteps = 6000\ntimestep = 0.004\n"
        "[start]\nkind = \"lattice\"\nparticles = 500\ndensity = 0.74\ntemperature = 2.0\n"
        "[[type]]\nname = \"A\"\n"
        "[interaction]\ncutoff = 3.0\ntruncation = \"truncated\"\ntail_correction = true\n"
        "[thermostat]\nkind = \"stochastic_velocity_rescaling\"\ntemperature = 2.0\n"
        "time_constant = 0.2\n[barostat]\npressure = 3.032\n" +
            barostat);
    Simulation simulation(world, input, {.quiet = true, .files = false});
    double pressure = 0.0, density = 0.0, samples = 0.0;
    simulation.on_step([&](std::int64_t step) {
      if (step <= 1000 || step % 10 != 0) return;
      pressure += simulation.last_state().pressure;
      density += 500.0 / simulation.box().volume();
      samples += 1.0;
    });
    CHECK(simulation.run() == Outcome::complete);
    // Three standard errors of the density and five of the pressure for a run of this length.
    CHECK(std::abs(pressure / samples - 3.032) < 0.3);
    CHECK(std::abs(density / samples - 0.7) < 0.014);
  }
}
