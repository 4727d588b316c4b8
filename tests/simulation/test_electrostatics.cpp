#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "forces/coulomb/spce_configuration.hpp"
#include "md/forces/coulomb/ewald.hpp"
#include "md/output/checkpoint.hpp"
#include "simulation/simulation_support.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

/// Rock salt: cells^3 cubes of 8 ions, nearest neighbors 1 apart, the whole then stretched by
/// `scale`; each ion displaced by a normal distribution of width `disorder`.
std::vector<Vec3> rock_salt(int cells, double scale, double disorder) {
  std::mt19937_64 engine(3);
  std::normal_distribution<double> normal;
  std::vector<Vec3> ions;
  for (int z = 0; z < 2 * cells; ++z)
    for (int y = 0; y < 2 * cells; ++y)
      for (int x = 0; x < 2 * cells; ++x) {
        const double dx = normal(engine), dy = normal(engine), dz = normal(engine);
        ions.push_back(scale * (Vec3{x + 0.3, y + 0.3, z + 0.3} + disorder * Vec3{dx, dy, dz}));
      }
  return ions;
}

bool is_cation(std::size_t index, int cells) {
  const auto n = static_cast<std::size_t>(2 * cells);
  return (index % n + index / n % n + index / (n * n)) % 2 == 0;
}

struct Salt {
  int cells = 3;
  double scale = 1.0, disorder = 0.0;
  double epsilon = 0.0, sigma = 1.0, cutoff = 0.9;
  double accuracy = 1e-4;
  std::int64_t steps = 0;
  std::string more = {};
};

Input input_of(const comm::Context& world, const std::string& folder, const Salt& salt) {
  const std::string file = folder + "/salt.extxyz";
  if (world.rank() == 0) {
    const auto ions = rock_salt(salt.cells, salt.scale, salt.disorder);
    const double length = 2.0 * salt.cells * salt.scale;
    std::ofstream out(file);
    out << fmt::format("{}\nLattice=\"{} 0 0 0 {} 0 0 0 {}\" Properties=species:S:1:pos:R:3\n",
                       ions.size(), length, length, length);
    for (std::size_t i = 0; i < ions.size(); ++i) {
      out << fmt::format("{} {} {} {}\n", is_cation(i, salt.cells) ? "C" : "A", ions[i].x,
                         ions[i].y, ions[i].z);
    }
  }
  comm::barrier(world);
  const auto type = [&](const char* name, double charge) {
    return fmt::format("[[type]]\nname = \"{}\"\nepsilon = {}\nsigma = {}\ncharge = {}\n", name,
                       salt.epsilon, salt.sigma, charge);
  };
  return test::input_of(
      folder, "salt",
      fmt::format("[run]\nsteps = {}\ntimestep = 0.002\n[start]\nkind = \"file\"\nfile = \"{}\"\n"
                  "temperature = 0.05\n{}{}[interaction]\ncutoff = {}\ntruncation = "
                  "\"force_shifted\"\n[electrostatics]\nkind = \"fmm\"\naccuracy = {}\n"
                  "[neighbor]\nskin = 0.2\n{}",
                  salt.steps, file, type("C", 1.0), type("A", -1.0), salt.cutoff, salt.accuracy,
                  salt.more));
}

}  // namespace

TEST_CASE("rock salt: the Madelung energy, and the virial equals the energy") {
  const comm::Context world;
  const test::SharedFolder output(world);
  Simulation simulation(world, input_of(world, output.path(), {.accuracy = 1e-5}), {.quiet = true});
  simulation.run();
  const ThermodynamicState& state = simulation.last_state();
  CHECK(state.pair_energy / 108 == doctest::Approx(-1.7475645946).epsilon(1e-5));
  CHECK(state.virial == doctest::Approx(state.pair_energy).epsilon(1e-12));
}

TEST_CASE("disordered salt: energy and forces of Ewald sums at the accuracy asked for") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const int cells = 3;
  const auto ions = rock_salt(cells, 1.0, 0.1);
  std::vector<double> charges;
  std::vector<std::int32_t> molecules;
  for (std::size_t i = 0; i < ions.size(); ++i) {
    charges.push_back(is_cation(i, cells) ? 1.0 : -1.0);
    molecules.push_back(static_cast<std::int32_t>(i));
  }
  const Lattice box = Lattice::orthorhombic({6, 6, 6});
  const auto exact = EwaldSolver(box, EwaldSolver::parameters(box, 1e-12, ions.size()))
                         .solve({ions, charges, molecules});
  for (const double accuracy : {1e-3, 1e-5}) {
    CAPTURE(accuracy);
    Simulation simulation(world,
                          input_of(world, output.path(), {.disorder = 0.1, .accuracy = accuracy}),
                          {.quiet = true});
    simulation.run();
    CHECK(simulation.last_state().pair_energy == doctest::Approx(exact.energy).epsilon(accuracy));
    const ParticleStore& particles = simulation.particles();
    std::array<double, 2> sums{};
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      const Vec3& reference = exact.forces[static_cast<std::size_t>(particles.id[i]) - 1];
      const Vec3 difference = particles.force[i] - reference;
      sums[0] += dot(difference, difference);
      sums[1] += dot(reference, reference);
    }
    comm::ReductionBatch batch(world, "test");
    batch.sum(sums.data(), 2).run();
    CHECK(std::sqrt(sums[0] / sums[1]) < accuracy);
  }
}

TEST_CASE("the pressure is minus the slope of the energy over the volume") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const auto state_at = [&](double scale) {
    const Salt salt{.scale = scale,
                    .disorder = 0.05,
                    .epsilon = 0.05,
                    .sigma = 0.9,
                    .cutoff = 2.5,
                    .accuracy = 1e-5};
    Simulation simulation(world, input_of(world, output.path(), salt), {.quiet = true});
    simulation.run();
    return simulation.last_state();
  };
  constexpr double change = 1e-3;
  const auto volume = [](double scale) { return 216.0 * scale * scale * scale; };
  const double slope = (state_at(1 + change).pair_energy - state_at(1 - change).pair_energy) /
                       (volume(1 + change) - volume(1 - change));
  CHECK(state_at(1.0).virial / (3.0 * volume(1.0)) == doctest::Approx(-slope).epsilon(1e-3));
}

TEST_CASE("salt in motion keeps its energy, and its bits from checkpoint to checkpoint") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const Salt salt{.disorder = 0.02,
                  .epsilon = 0.05,
                  .sigma = 0.9,
                  .cutoff = 2.5,
                  .accuracy = 1e-4,
                  .steps = 150,
                  .more = "maximum_interval = 20\n"};
  const Input input = input_of(world, output.path(), salt);
  std::int64_t whole = 0;
  {
    Simulation simulation(world, input, {.quiet = true});
    double first = 0.0;
    simulation.on_step([&](std::int64_t step) {
      if (step == 10) first = simulation.last_state().total_energy;
    });
    simulation.run();
    whole = test::fingerprint(world, simulation.particles(), simulation.box());
    const ThermodynamicState& end = simulation.last_state();
    CHECK(std::abs(end.total_energy - first) < 0.005 * end.kinetic_energy);
  }
  comm::barrier(world);
  if (world.rank() == 0) std::filesystem::remove(checkpoint_path(output.path() + "/salt"));
  comm::barrier(world);
  Simulation simulation(world, input, {.resume = true, .quiet = true});
  CHECK(simulation.step_number() >= 40);
  CHECK(simulation.step_number() < 150);
  simulation.run();
  CHECK(test::fingerprint(world, simulation.particles(), simulation.box()) == whole);
}

namespace {

/// From the body frame whose x axis joins the hydrogens and whose y axis points from the oxygen to
/// the middle between them, to the laboratory.
Quaternion orientation_of(const Vec3& oxygen, const Vec3& first, const Vec3& second) {
  const auto unit = [](const Vec3& v) { return (1.0 / std::sqrt(dot(v, v))) * v; };
  const Vec3 x = unit(first - second), y = unit(0.5 * (first + second) - oxygen);
  const Vec3 z = cross(x, y);
  // The largest component first, so that no root is of a small difference.
  const double trace[] = {1 + x.x + y.y + z.z, 1 + x.x - y.y - z.z, 1 - x.x + y.y - z.z,
                          1 - x.x - y.y + z.z};
  const auto k = std::max_element(std::begin(trace), std::end(trace)) - std::begin(trace);
  Quaternion q;
  if (k == 0) q = {trace[0], y.z - z.y, z.x - x.z, x.y - y.x};
  if (k == 1) q = {y.z - z.y, trace[1], x.y + y.x, z.x + x.z};
  if (k == 2) q = {z.x - x.z, x.y + y.x, trace[2], y.z + z.y};
  if (k == 3) q = {x.y - y.x, z.x + x.z, y.z + z.y, trace[3]};
  return q.normalized();
}

}  // namespace

TEST_CASE("SPC/E configuration of NIST: converged energy, forces and torques of whole molecules") {
  const comm::Context world;
  OwnedCharges system = read_spce_configuration(1);
  if (system.positions.empty()) {
    MESSAGE("skipped: ../shared/data/nist is not there");
    return;
  }
  const auto reference = read_spce_forces(1);
  const test::SharedFolder output(world);
  const double length = system.lattice.a.x;
  constexpr double oxygen_mass = 15.9994, hydrogen_mass = 1.008;
  const std::size_t count = system.positions.size() / 3;
  std::vector<Vec3> centers(count), forces(count), torques(count);
  std::ofstream file(output.path() + "/water.extxyz." + std::to_string(world.rank()));
  file << fmt::format(
      "{}\nLattice=\"{} 0 0 0 {} 0 0 0 {}\" Properties=species:S:1:pos:R:3:"
      "orient:R:4\n",
      count, length, length, length);
  for (std::size_t m = 0; m < count; ++m) {
    Vec3* sites = system.positions.data() + 3 * m;
    for (int site = 1; site < 3; ++site)
      for (int axis = 0; axis < 3; ++axis) {
        double& x = sites[site][axis];
        x -= length * std::round((x - sites[0][axis]) / length);
      }
    centers[m] = (oxygen_mass * sites[0] + hydrogen_mass * (sites[1] + sites[2])) *
                 (1.0 / (oxygen_mass + 2 * hydrogen_mass));
    for (int site = 0; site < 3; ++site) {
      const Vec3& force = reference[3 * m + static_cast<std::size_t>(site)];
      forces[m] += force;
      torques[m] += cross(sites[site] - centers[m], force);
    }
    const Quaternion q = orientation_of(sites[0], sites[1], sites[2]);
    file << fmt::format("H2O {} {} {} {} {} {} {}\n", centers[m].x, centers[m].y, centers[m].z, q.w,
                        q.x, q.y, q.z);
  }
  file.close();
  comm::barrier(world);
  // The files have 109.47 degrees, not the tetrahedral angle.
  const double half_angle = 0.5 * 109.47 * std::numbers::pi / 180.0;
  const double half = std::sin(half_angle), height = std::cos(half_angle);
  const auto site = [](double x, double y, double charge, double mass) {
    return fmt::format(
        "[[component.site]]\nkind = \"charge\"\nposition = [{}, {}, 0.0]\n"
        "charge = {}\nmass = {}\n",
        x, y, charge, mass);
  };
  const Input input = test::input_of(
      output.path(), "water",
      fmt::format("units = \"real\"\n[run]\nsteps = 0\ntimestep = 1.0\n[start]\nkind = "
                  "\"file\"\nfile = \"{}/water.extxyz.0\"\nformat = \"extxyz\"\n[[component]]\n"
                  "name = \"H2O\"\n{}{}{}[interaction]\ncutoff = 3.0\ntruncation = "
                  "\"truncated\"\n[electrostatics]\nkind = \"fmm\"\naccuracy = 1e-5\n"
                  "[neighbor]\nskin = 1.0\n",
                  output.path(), site(0.0, 0.0, -0.8476, oxygen_mass),
                  site(half, height, 0.4238, hydrogen_mass),
                  site(-half, height, 0.4238, hydrogen_mass)));
  Simulation simulation(world, input, {.quiet = true});
  simulation.run();
  // Internal units: nm, kJ/mol.
  const double coulomb = input.units.coulomb();
  CHECK(simulation.last_state().pair_energy ==
        doctest::Approx(-3.514744864168 * 10.0 * coulomb).epsilon(1e-5));
  const ParticleStore& particles = simulation.particles();
  std::array<double, 4> sums{};
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const auto m = static_cast<std::size_t>(particles.id[i]) - 1;
    const Vec3 force = 100.0 * coulomb * forces[m], torque = 10.0 * coulomb * torques[m];
    const Vec3 of_force = particles.force[i] - force, of_torque = particles.torque[i] - torque;
    sums[0] += dot(of_force, of_force), sums[1] += dot(force, force);
    sums[2] += dot(of_torque, of_torque), sums[3] += dot(torque, torque);
  }
  comm::ReductionBatch batch(world, "test");
  batch.sum(sums.data(), 4).run();
  // Of whole molecules, whose sites' forces partly cancel.
  CHECK(std::sqrt(sums[0] / sums[1]) < 5e-5);
  CHECK(std::sqrt(sums[2] / sums[3]) < 5e-5);
}
