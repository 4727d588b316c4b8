// Multiple time steps: against the same scheme written over sums of all pairs; energy, reversal,
// restarts, whatever the number of ranks.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "md/output/checkpoint.hpp"
#include "simulation/simulation_support.hpp"
#include "sterna/comm/methods.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

// Charged dumbbells on a lattice, turned by and by.
constexpr int edge = 6, dumbbells = edge * edge * edge, atom_count = 2 * dumbbells;
constexpr double spacing = 1.5, length = edge * spacing, cutoff = 2.5;
constexpr double stiffness = 400.0, r0 = 0.6, mass_a = 2.0, mass_b = 0.5;
constexpr double timestep = 0.002;

std::vector<Vec3> start_positions() {
  std::vector<Vec3> positions;
  for (int k = 0; k < dumbbells; ++k) {
    const Vec3 at = spacing * Vec3{k % edge + 0.5, k / edge % edge + 0.5, k / (edge * edge) + 0.5};
    const Vec3 along{std::cos(0.7 * k), std::sin(0.7 * k) * std::cos(1.3 * k),
                     std::sin(0.7 * k) * std::sin(1.3 * k)};
    positions.push_back(at - (0.51 * r0) * along);
    positions.push_back(at + (0.51 * r0) * along);
  }
  return positions;
}

struct Settings {
  int steps = 0;
  std::string time_steps = "", electrostatics = "", more = "";
  double dt = timestep;
};

Input input_of(const comm::Context& world, const std::string& folder, const Settings& settings) {
  if (world.rank() == 0) {
    std::ofstream file(folder + "/start.extxyz");
    file << fmt::format("{}\nLattice=\"{} 0 0 0 {} 0 0 0 {}\" Properties=species:S:1:pos:R:3\n",
                        atom_count, length, length, length);
    int index = 0;
    for (const Vec3& p : start_positions()) {
      file << fmt::format("{} {:.17g} {:.17g} {:.17g}\n", index++ % 2 == 0 ? "A" : "B", p.x, p.y,
                          p.z);
    }
  }
  comm::barrier(world);
  std::string text = fmt::format(
      "[run]\nsteps = {}\ntimestep = {}\n[start]\nkind = \"file\"\nfile = \"{}/start.extxyz\"\n"
      "[[type]]\nname = \"A\"\nmass = {}\nsigma = 1.0\n"
      "[[type]]\nname = \"B\"\nmass = {}\nsigma = 0.7\n"
      "[interaction]\ncutoff = {}\ntruncation = \"quintic_switched\"\nswitch_start = 2.0\n"
      "[neighbor]\nskin = 0.4\n"
      "[[molecule]]\nname = \"dumbbell\"\ncount = {}\n"
      "atom = [{{type = \"A\", charge = 1.5}}, {{type = \"B\", charge = -1.5}}]\n"
      "[[molecule.bond]]\npotential = \"harmonic\"\nstiffness = {}\nr0 = {}\natoms = [1, 2]\n",
      settings.steps, settings.dt, folder, mass_a, mass_b, cutoff, dumbbells, stiffness, r0);
  if (!settings.time_steps.empty()) text += "[multiple_time_steps]\n" + settings.time_steps + "\n";
  if (!settings.electrostatics.empty()) text += "[electrostatics]\n" + settings.electrostatics;
  std::string without_charges = text;
  if (settings.electrostatics.empty()) {
    for (const std::string charge : {", charge = 1.5", ", charge = -1.5"}) {
      without_charges.erase(without_charges.find(charge), charge.size());
    }
  }
  return test::input_of(folder, "dumbbells", without_charges + settings.more);
}

/// Positions by id, unwrapped; on rank 0 only.
std::vector<Vec3> positions_of(Simulation& simulation) {
  std::vector<Vec3> positions;
  for (const ParticleRecord& record : simulation.gather(0)) {
    const Vec3 length_of_box = simulation.box().length;
    const Vec3 p = record.position.vector();
    positions.push_back({p.x + record.image.x * length_of_box.x,
                         p.y + record.image.y * length_of_box.y,
                         p.z + record.image.z * length_of_box.z});
  }
  return positions;
}

double largest_distance(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Vec3 d = a[i] - b[i];
    largest = std::max(largest, std::sqrt(dot(d, d)));
  }
  return largest;
}

using Forces = std::vector<Vec3>;

Forces bond_forces(const std::vector<Vec3>& at) {
  Forces forces(at.size());
  for (std::size_t i = 0; i < at.size(); i += 2) {
    const Vec3 d = at[i + 1] - at[i];
    const double r = std::sqrt(dot(d, d));
    const Vec3 pull = (stiffness * (r - r0) / r) * d;
    forces[i] += pull;
    forces[i + 1] -= pull;
  }
  return forces;
}

/// Lennard-Jones, switched to 0 from 2.0 to the cutoff by the polynomial of fifth degree.
Forces pair_forces(const std::vector<Vec3>& at) {
  Forces forces(at.size());
  constexpr double begin = 2.0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    for (std::size_t j = i + 1; j < at.size(); ++j) {
      if (j == i + 1 && i % 2 == 0) continue;
      Vec3 d = at[j] - at[i];
      for (int axis = 0; axis < 3; ++axis) d[axis] -= length * std::round(d[axis] / length);
      const double r = std::sqrt(dot(d, d));
      if (r >= cutoff) continue;
      const double sigma = 0.5 * ((i % 2 == 0 ? 1.0 : 0.7) + (j % 2 == 0 ? 1.0 : 0.7));
      const double s6 = std::pow(sigma / r, 6);
      double energy = 4.0 * (s6 * s6 - s6), slope = -24.0 * (2.0 * s6 * s6 - s6) / r;
      if (r > begin) {
        const double x = (r - begin) / (cutoff - begin);
        const double s = 1.0 - x * x * x * (10.0 - x * (15.0 - 6.0 * x));
        const double ds = -30.0 * x * x * (1.0 - x) * (1.0 - x) / (cutoff - begin);
        slope = slope * s + energy * ds;
      }
      const Vec3 pull = (slope / r) * d;
      forces[i] += pull;
      forces[j] -= pull;
    }
  }
  return forces;
}

/// r-RESPA as Tuckerman, Berne and Martyna write it: a long step is a kick by the pairs, `n` short
/// steps by the bonds, and a kick by the pairs.
std::vector<Vec3> reference(int long_steps, int n) {
  std::vector<Vec3> at = start_positions(), velocity(at.size());
  const auto kick = [&](const Forces& forces, double time) {
    for (std::size_t i = 0; i < at.size(); ++i) {
      velocity[i] += (time / (i % 2 == 0 ? mass_a : mass_b)) * forces[i];
    }
  };
  for (int step = 0; step < long_steps; ++step) {
    kick(pair_forces(at), 0.5 * n * timestep);
    for (int inner = 0; inner < n; ++inner) {
      kick(bond_forces(at), 0.5 * timestep);
      for (std::size_t i = 0; i < at.size(); ++i) at[i] += timestep * velocity[i];
      kick(bond_forces(at), 0.5 * timestep);
    }
    kick(pair_forces(at), 0.5 * n * timestep);
  }
  return at;
}

/// Runs there and, with reversed velocities, back; how far from the start.
double distance_after_reversal(const comm::Context& world, const Input& input, int steps) {
  Simulation simulation(world, input, {.quiet = true, .files = false});
  simulation.run(steps);
  simulation.change([](ParticleRecord& record) {
    record.velocity = -1.0 * record.velocity;
    record.angular_momentum = -1.0 * record.angular_momentum;
  });
  simulation.run(steps);
  const auto end = positions_of(simulation);
  double distance = end.empty() ? 0.0 : largest_distance(end, start_positions());
  comm::ReductionBatch(world, "test").max(distance).run();
  return distance;
}

/// Root of the mean square deviation of the conserved energy from its mean, at so many steps.
double fluctuation(const comm::Context& world, const Input& input, int samples, int interval) {
  Simulation simulation(world, input, {.quiet = true, .files = false});
  double sum = 0.0, squares = 0.0;
  for (int k = 0; k < samples; ++k) {
    simulation.run(interval);
    const double energy = simulation.last_state().conserved_energy;
    sum += energy, squares += energy * energy;
  }
  const double mean = sum / samples;
  return std::sqrt(std::max(0.0, squares / samples - mean * mean));
}

const std::string fmm = "kind = \"fmm\"\naccuracy = 1e-6\n";
const std::string smooth_fmm = "kind = \"fmm\"\naccuracy = 1e-4\nsmoothing = 0.3\n";

}  // namespace

TEST_CASE("pairs in every fifth step: the trajectory of r-RESPA over sums of all pairs") {
  const comm::Context world;
  const test::SharedFolder output(world);
  Simulation simulation(world,
                        input_of(world, output.path(), {.steps = 40, .time_steps = "pairs = 5"}),
                        {.quiet = true, .files = false});
  simulation.run(40);
  const auto at = positions_of(simulation);
  if (world.rank() != 0) return;
  const auto expected = reference(8, 5);
  CHECK(largest_distance(expected, start_positions()) > 1e-2);
  CHECK(largest_distance(at, expected) < 1e-11);
}

TEST_CASE("the steps between are of the bonds alone, and energies there are those of all forces") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const Settings settings{
      .steps = 40, .time_steps = "pairs = 2\nfar_field = 10", .electrostatics = fmm};
  Simulation simulation(world, input_of(world, output.path(), settings),
                        {.quiet = true, .files = false});
  simulation.run(7);
  const auto bits = [&] {
    return test::fingerprint(world, simulation.particles(), simulation.box());
  };
  // Whoever looks does not change the run.
  simulation.run(13);
  const std::int64_t looked = bits();
  Simulation other(world, input_of(world, output.path(), settings),
                   {.quiet = true, .files = false});
  other.run(20);
  CHECK(test::fingerprint(world, other.particles(), other.box()) == looked);
}

TEST_CASE("a run there and back ends where it began") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const auto distance = [&](const std::string& steps, const std::string& charges) {
    return distance_after_reversal(
        world, input_of(world, output.path(), {.time_steps = steps, .electrostatics = charges}),
        100);
  };
  CHECK(distance("pairs = 5", "") < 1e-9);
  CHECK(distance("far_field = 5", smooth_fmm) < 3e-7);
  CHECK(distance("pairs = 2\nfar_field = 10", smooth_fmm) < 3e-7);
  // Without smoothing a charge that changes its cell makes the energy jump by the error, whether
  // the far field has steps of its own or not.
  const double one_step = distance("", fmm), two_steps = distance("far_field = 5", fmm);
  CHECK(two_steps < 20.0 * std::max(one_step, 1e-7));
}

TEST_CASE("energy is conserved, with a square of the long step") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const auto fluctuates = [&](const std::string& steps, double dt, int interval) {
    return fluctuation(
        world,
        input_of(world, output.path(), {.time_steps = steps, .electrostatics = fmm, .dt = dt}), 40,
        interval);
  };
  const double one = fluctuates("", timestep, 10);
  const double far = fluctuates("far_field = 2", timestep, 10);
  const double pairs = fluctuates("pairs = 5", timestep, 10);
  const double half = fluctuates("pairs = 5", 0.5 * timestep, 20);
  CHECK(far < 2.0 * one);
  CHECK(pairs / half > 2.5);
  CHECK(pairs / half < 6.5);
}

TEST_CASE("a run that goes on has the same bits, whichever exchange there is") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const Settings settings{
      .steps = 90, .time_steps = "pairs = 2\nfar_field = 10", .electrostatics = fmm};
  const Input input = input_of(world, output.path(), settings);
  std::int64_t whole = 0;
  {
    Simulation simulation(world, input, {.quiet = true});
    simulation.run();
    whole = test::fingerprint(world, simulation.particles(), simulation.box());
  }
  comm::barrier(world);
  if (world.rank() == 0) std::filesystem::remove(checkpoint_path(output.path() + "/dumbbells"));
  comm::barrier(world);
  {
    Simulation simulation(world, input, {.resume = true, .quiet = true});
    CHECK(simulation.step_number() > 0);
    CHECK(simulation.step_number() < 90);
    simulation.run();
    CHECK(test::fingerprint(world, simulation.particles(), simulation.box()) == whole);
  }
  for (const comm::MethodInfo& method : comm::neighbor_methods()) {
    if (!comm::why_neighbor_method_unavailable(world, method.name).empty()) continue;
    INFO(method.name);
    Settings other = settings;
    other.more = fmt::format("[communication]\nhalo = \"{0}\"\nfmm = \"{0}\"\n", method.name);
    Simulation simulation(world, input_of(world, output.path(), other),
                          {.quiet = true, .files = false});
    simulation.run(90);
    CHECK(test::fingerprint(world, simulation.particles(), simulation.box()) == whole);
  }
}

TEST_CASE("thermostats and constant pressure: the conserved energy stays") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const std::string more =
      "[thermostat]\nkind = \"nose_hoover_chain\"\ntemperature = 1.0\ntime_constant = 0.5\n"
      "[barostat]\nkind = \"martyna_tobias_klein\"\npressure = 1.0\ntime_constant = 20.0\n"
      "interval = 20\n";
  const auto fluctuates = [&](const std::string& steps) {
    return fluctuation(world,
                       input_of(world, output.path(),
                                {.time_steps = steps, .electrostatics = smooth_fmm, .more = more}),
                       20, 20);
  };
  const double one = fluctuates("");
  CHECK(fluctuates("pairs = 2\nfar_field = 10") < 10.0 * one);
}

TEST_CASE("rigid molecules: torques of the far field are impulses too") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const std::string text =
      "units = \"nano\"\n[run]\nsteps = 100\ntimestep = 0.001\n"
      "[start]\nkind = \"lattice\"\nlattice = \"sc\"\nparticles = 216\ndensity = 33.0\n"
      "temperature = 300\n[[component]]\nname = \"water\"\nmodel = \"spce\"\n"
      "[interaction]\ncutoff = 0.6\ntruncation = \"truncated\"\n"
      "[electrostatics]\nkind = \"fmm\"\naccuracy = 1e-4\nsmoothing = 0.3\n";
  const auto run = [&](const std::string& steps) {
    Simulation simulation(world, test::input_of(output.path(), "water", text + steps),
                          {.quiet = true, .files = false});
    simulation.run(0);
    const auto start = positions_of(simulation);
    const double before = simulation.last_state().total_energy;
    simulation.run(100);
    const double drift = std::abs(simulation.last_state().total_energy - before);
    simulation.change([](ParticleRecord& record) {
      record.velocity = -1.0 * record.velocity;
      record.angular_momentum = -1.0 * record.angular_momentum;
    });
    simulation.run(100);
    double distance = largest_distance(positions_of(simulation), start);
    comm::ReductionBatch(world, "test").max(distance).run();
    return std::array{drift, distance};
  };
  const auto one = run(""), two = run("[multiple_time_steps]\nfar_field = 2\n");
  CHECK(two[1] < std::max(1e-7, 20.0 * one[1]));
  CHECK(two[0] < std::max(2.0 * one[0], 1e-2 * 216));
}
