// Virtual sites of every kind on any number of ranks: forces are slopes of the energy over the
// places of their atoms, virials those over a strain of the box, and steps keep the sum of energies.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/file_error.hpp"
#include "md/output/checkpoint.hpp"
#include "simulation/simulation_support.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

constexpr int edge = 3, molecules = edge * edge * edge, atoms = 4, sites = 12;
constexpr int size = atoms + sites, count = molecules * size;
constexpr double spacing = 2.2, length = edge * spacing;

constexpr const char* molecule_text = R"(
[[type]]
name = "A"
mass = 3.0
epsilon = 0.4
sigma = 0.9
[[type]]
name = "B"
epsilon = 0.5
sigma = 0.8
[[type]]
name = "M"
mass = 0
epsilon = 0.6
sigma = 0.7
[[molecule]]
name = "ammonia"
count = 27
atom = [
  {type = "A"}, {type = "B", charge = 0.1}, {type = "B", charge = 0.2}, {type = "B", charge = 0.1},
  {type = "M", charge = -0.2}, {type = "M", charge = 0.1}, {type = "M"}, {type = "M", charge = 0.3},
  {type = "M", charge = -0.3}, {type = "M", charge = -0.1}, {type = "M", charge = 0.2},
  {type = "M", charge = -0.4}, {type = "M", charge = 0.2}, {type = "M", charge = -0.1},
  {type = "M", charge = 0.1}, {type = "M"},
]
[[molecule.bond]]
potential = "harmonic"
stiffness = 300
r0 = 0.5
atoms = [[1, 2], [1, 3], [1, 4]]
[[molecule.angle]]
potential = "harmonic"
bending_stiffness = 20
theta0 = 105
atoms = [[2, 1, 3], [2, 1, 4], [3, 1, 4]]
[[molecule.virtual_site]]
kind = "2"
a = 0.3
atoms = [5, 1, 2]
[[molecule.virtual_site]]
kind = "2fd"
distance = -0.4
atoms = [6, 1, 3]
[[molecule.virtual_site]]
kind = "3"
a = 0.3
b = 0.45
atoms = [7, 1, 2, 3]
[[molecule.virtual_site]]
kind = "3fd"
a = 0.4
distance = 0.35
atoms = [8, 1, 3, 4]
[[molecule.virtual_site]]
kind = "3fad"
angle = 110
distance = 0.4
atoms = [9, 2, 1, 4]
[[molecule.virtual_site]]
kind = "3out"
a = -0.3
b = -0.25
c = 1.3
atoms = [10, 1, 2, 4]
[[molecule.virtual_site]]
kind = "4fdn"
a = 0.9
b = 1.1
distance = 0.4
atoms = [11, 1, 2, 3, 4]
[[molecule.virtual_site]]
kind = "local"
origin_weights = [0.5, 0.3, 0.2]
x_weights = [-1, 0.6, 0.4]
y_weights = [0.3, -1, 0.7]
position = [0.1, -0.25, 0.3]
atoms = [12, 4, 1, 3]
[[molecule.virtual_site]]
kind = "3fd"
a = 0.3
distance = 0.5
atoms = [13, 12, 14, 2]
[[molecule.virtual_site]]
kind = "n"
weights = [1, 0.5, 0.7, 0.4, 0.6]
atoms = [14, 1, 2, 3, 4, 15]
[[molecule.virtual_site]]
kind = "4fd"
a = 0.3
b = 0.4
distance = 0.45
atoms = [15, 1, 2, 3, 4]
[[molecule.virtual_site]]
kind = "n"
weights = [2]
atoms = [16, 1]
)";

std::string without_charges(std::string text) {
  constexpr std::string_view key = ", charge = ";
  for (auto begin = text.find(key); begin != text.npos; begin = text.find(key)) {
    text.erase(begin, text.find_first_not_of("-.0123456789", begin + key.size()) - begin);
  }
  return text;
}

/// Molecules on a lattice, turned and bent at random; all of the sites are at their first atoms.
std::string start_text() {
  std::mt19937_64 engine(3);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> jitter(-0.06, 0.06);
  std::string text =
      fmt::format("{}\nLattice=\"{} 0 0 0 {} 0 0 0 {}\" Properties=species:S:1:pos:R:3\n", count,
                  length, length, length);
  constexpr double at[atoms][3] = {{0, 0, 0}, {0.4, 0.1, 0.2}, {-0.3, 0.35, 0.1}, {0, -0.4, 0.3}};
  for (int n = 0; n < molecules; ++n) {
    const Vec3 center = spacing * Vec3{n % edge + 0.1, n / edge % edge + 0.2, n / 9 + 0.3};
    const double a = normal(engine), b = normal(engine), c = normal(engine), d = normal(engine);
    const Quaternion turn = Quaternion{a, b, c, d}.normalized();
    Vec3 first;
    for (int k = 0; k < atoms; ++k) {
      const double x = jitter(engine), y = jitter(engine), z = jitter(engine);
      const Vec3 place = center + turn.to_lab({at[k][0] + x, at[k][1] + y, at[k][2] + z});
      if (k == 0) first = place;
      text += fmt::format("{} {} {} {}\n", k == 0 ? "A" : "B", place.x, place.y, place.z);
    }
    for (int k = 0; k < sites; ++k) {
      text += fmt::format("M {} {} {}\n", first.x, first.y, first.z);
    }
  }
  return text;
}

/// `solver`: the section of the charges; empty: without charges.
Input input_of(const comm::Context& world, const std::string& folder, const std::string& solver,
               int steps = 0) {
  if (world.rank() == 0) std::ofstream(folder + "/start.extxyz") << start_text();
  comm::barrier(world);
  const std::string text = fmt::format(
      "[run]\nsteps = {}\ntimestep = 0.0005\n"
      "[start]\nkind = \"file\"\nfile = \"{}/start.extxyz\"\ntemperature = 0.5\n"
      "[interaction]\ncutoff = 2.4\ntruncation = \"switched\"\nswitch_start = 1.8\n"
      "[neighbor]\nskin = 0.3\n",
      steps, folder);
  const std::string molecule = solver.empty() ? without_charges(molecule_text) : molecule_text;
  return test::input_of(folder, "sites", text + solver + molecule);
}

/// Ewald sums of this accuracy.
std::string ewald(double accuracy) {
  return fmt::format("[electrostatics]\nkind = \"ewald\"\naccuracy = {}\n", accuracy);
}

std::map<std::int64_t, ParticleRecord> by_id(Simulation& simulation) {
  std::map<std::int64_t, ParticleRecord> particles;
  for (const ParticleRecord& record : simulation.gather(0)) particles[record.id] = record;
  return particles;
}

/// The force on one particle, on all ranks.
Vec3 force_on(const comm::Context& world, const Simulation& simulation, std::int64_t id) {
  Vec3 force;
  const ParticleStore& particles = simulation.particles();
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    if (particles.id[i] == id) force = particles.force[i];
  }
  comm::ReductionBatch(world, "test").sum(force.x).sum(force.y).sum(force.z).run();
  return force;
}

double energy_of(Simulation& simulation) {
  simulation.measure();
  return simulation.last_state().potential_energy;
}

/// Of a linear kind by its formula, of another one by its distance.
void check_places(Simulation& simulation) {
  const auto particles = by_id(simulation);
  if (particles.empty()) return;
  const Box& box = simulation.box();
  const auto at = [&](std::int64_t molecule, std::int64_t k) {
    return particles.at(size * molecule + k).position.vector();
  };
  for (std::int64_t m = 0; m < molecules; ++m) {
    const Vec3 to_b = box.nearest_image(at(m, 2) - at(m, 1));
    const Vec3 off = box.nearest_image(at(m, 5) - at(m, 1)) - 0.3 * to_b;
    CHECK(std::sqrt(dot(off, off)) < 1e-13);
    const Vec3 out = box.nearest_image(at(m, 11) - at(m, 1));
    CHECK(dot(out, out) == doctest::Approx(0.16).epsilon(1e-12));
    // One that is made of sites, and one that is where an atom is.
    const Vec3 chain = box.nearest_image(at(m, 13) - at(m, 12));
    CHECK(dot(chain, chain) == doctest::Approx(0.25).epsilon(1e-12));
    const Vec3 on_atom = box.nearest_image(at(m, 16) - at(m, 1));
    CHECK(std::sqrt(dot(on_atom, on_atom)) < 1e-13);
  }
}

}  // namespace

TEST_CASE("forces on atoms are slopes of the energy, those on sites are 0") {
  const comm::Context world;
  const test::SharedFolder folder(world);
  Simulation simulation(world, input_of(world, folder.path(), ewald(1e-8)),
                        SimulationOptions::inside_a_program());
  simulation.measure();
  constexpr double h = 2e-5;
  for (const std::int64_t id : {1, 3, 100}) {
    simulation.measure();
    const Vec3 force = force_on(world, simulation, id);
    for (int axis = 0; axis < 3; ++axis) {
      const auto moved_by = [&](double by) {
        simulation.change([&](ParticleRecord& record) {
          if (record.id == id) (&record.position.x)[axis] += by;
        });
        return energy_of(simulation);
      };
      const double above = moved_by(h), below = moved_by(-2.0 * h);
      moved_by(h);
      CAPTURE(id);
      CAPTURE(axis);
      CHECK(force[axis] == doctest::Approx((below - above) / (2.0 * h)).epsilon(1e-6).scale(10.0));
    }
  }
  simulation.measure();
  for (std::int64_t id = 5; id <= 16; ++id) CHECK(force_on(world, simulation, id) == Vec3{});
  // The sum of all forces is 0 all the same.
  Vec3 sum;
  for (std::size_t i = 0; i < simulation.particles().local_count(); ++i) {
    sum += simulation.particles().force[i];
  }
  comm::ReductionBatch(world, "test").sum(sum.x).sum(sum.y).sum(sum.z).run();
  CHECK(std::sqrt(dot(sum, sum)) < 1e-5);
}

TEST_CASE("the virial is the slope of the energy when the box is strained") {
  const comm::Context world;
  const test::SharedFolder folder(world);
  const Input input = input_of(world, folder.path(), "");
  Simulation simulation(world, input, SimulationOptions::inside_a_program());
  simulation.measure();
  const auto tensor = simulation.virial_tensor();
  constexpr double h = 1e-5;
  const auto energy_in = [&](const Box& box) {
    Simulation strained(world, input, simulation, box);
    return energy_of(strained);
  };
  for (std::size_t k = 0; k < 6; ++k) {
    const auto strained = [&](double by) {
      Box box{{length, length, length}, {}};
      if (k < 3) box.length[static_cast<int>(k)] *= 1.0 + by;
      // The tensor is symmetric, as every kind turns with its atoms.
      if (k == 3) box.tilt.xy = by * length;
      if (k == 4) box.tilt.xz = by * length;
      if (k == 5) box.tilt.yz = by * length;
      return energy_in(box);
    };
    const double slope = (strained(h) - strained(-h)) / (2.0 * h);
    CAPTURE(k);
    CHECK(tensor[k] == doctest::Approx(-slope).epsilon(1e-6).scale(100.0));
  }
  double of_sites = 0.0;
  for (const auto& term : simulation.last_state().terms) {
    if (term.name == "virtual_sites") of_sites = term.virial;
  }
  CHECK(std::abs(of_sites) > 1.0);
}

TEST_CASE(
    "sites follow their atoms, energy and momentum stay, and a resumed run has the same bits") {
  const comm::Context world;
  const test::SharedFolder folder(world);
  const Input input = input_of(world, folder.path(), ewald(1e-5), 10000);
  Simulation simulation(world, input, SimulationOptions::inside_a_program());
  simulation.measure();
  const double before = simulation.last_state().total_energy;
  double kinetic = 0.0, largest = 0.0;
  const double degrees = 3.0 * atoms * molecules - 3.0;
  for (int part = 0; part < 5; ++part) {
    simulation.run(50);
    const ThermodynamicState& state = simulation.last_state();
    largest = std::max(largest, std::abs(state.total_energy - before));
    kinetic = state.kinetic_energy;
    CHECK(state.temperature == doctest::Approx(2.0 * kinetic / degrees).epsilon(1e-12));
    for (const double momentum : state.momentum) CHECK(std::abs(momentum) < 1e-5);
  }
  CHECK(kinetic > 20.0);
  CHECK(largest < 2e-3 * kinetic);
  check_places(simulation);
  const std::string checkpoint = folder.path() + "/sites.checkpoint";
  simulation.save(checkpoint);
  simulation.run(60);
  SimulationOptions resumed = SimulationOptions::inside_a_program();
  resumed.checkpoint = checkpoint;
  Simulation other(world, input, resumed);
  other.run(60);
  CHECK(test::fingerprint(world, other.particles(), other.box()) ==
        test::fingerprint(world, simulation.particles(), simulation.box()));
  CHECK(other.last_state().total_energy == simulation.last_state().total_energy);
}

TEST_CASE("a minimization goes downhill with the sites at their places") {
  const comm::Context world;
  const test::SharedFolder folder(world);
  Input input = input_of(world, folder.path(), "", 1000);
  input.run.integrator = "minimize";
  input.minimize.force_tolerance = 1e-6;
  Simulation simulation(world, input, SimulationOptions::inside_a_program());
  simulation.measure();
  const double before = simulation.last_state().potential_energy;
  for (int part = 0; part < 4; ++part) {
    simulation.run(250);
    check_places(simulation);
  }
  // All of the sites attract each other.
  CHECK(before > 0.0);
  CHECK(simulation.last_state().potential_energy < -2.0 * count);
}
