// Thermostats of components and of regions in whole runs. An ideal gas shows their statistics
// exactly: nothing else changes its velocities.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "md/output/checkpoint.hpp"
#include "simulation/simulation_support.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

/// 216 particles in a box of edge 12, "A" and "B" in equal shares.
std::string gas(int steps, double epsilon, double temperature = 1.0) {
  return fmt::format(
      "[run]\nsteps = {}\ntimestep = 0.01\n"
      "[start]\nkind = \"random\"\nparticles = 216\ndensity = 0.125\ntemperature = {}\n"
      "[[type]]\nname = \"A\"\nepsilon = {}\n[[type]]\nname = \"B\"\nepsilon = {}\nmass = 3.0\n"
      "[interaction]\ncutoff = 2.5\n",
      steps, temperature, epsilon, epsilon);
}

std::string thermostat(const std::string& kind, double temperature, const std::string& more = "",
                       double time_constant = 0.4) {
  const bool relaxes = kind != "velocity_scaling";
  return fmt::format("[[thermostat]]\nkind = \"{}\"\ntemperature = {}\n{}{}\n", kind, temperature,
                     relaxes ? fmt::format("time_constant = {}\n", time_constant) : "", more);
}

/// Sums over all ranks of the molecules that are asked for.
struct Part {
  double count = 0.0, mass = 0.0, energy = 0.0;
  Vec3 momentum;

  /// Kinetic energy relative to the common center of mass.
  double internal_energy() const { return energy - 0.5 * dot(momentum, momentum) / mass; }
};

template <class Selected>
Part part(const comm::Context& context, const Simulation& simulation, const Selected& selected) {
  Part sums;
  const ParticleStore& particles = simulation.particles();
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    int image[3];
    const Vec3 place = simulation.box().wrap(particles.position[i].vector(), image);
    if (!selected(particles.position[i].type, place)) continue;
    const double mass = particles.position[i].type == 0 ? 1.0 : 3.0;
    const Vec3& v = particles.velocity[i];
    sums.count += 1.0;
    sums.mass += mass;
    sums.energy += 0.5 * mass * dot(v, v);
    sums.momentum += mass * v;
  }
  comm::ReductionBatch batch(context, "part");
  batch.sum(sums.count)
      .sum(sums.mass)
      .sum(sums.energy)
      .sum(sums.momentum.x)
      .sum(sums.momentum.y)
      .sum(sums.momentum.z)
      .run();
  return sums;
}

Part of_type(const comm::Context& context, const Simulation& simulation, int type) {
  return part(context, simulation, [type](std::int64_t own, const Vec3&) { return own == type; });
}

bool near(const Vec3& a, const Vec3& b, double tolerance) {
  const Vec3 d = a - b;
  return std::sqrt(dot(d, d)) < tolerance;
}

}  // namespace

TEST_CASE("each component has the temperature of its thermostat, and keeps its momentum") {
  const comm::Context world;
  const test::SharedFolder output(world);
  for (const std::string kind : {"stochastic_velocity_rescaling", "nose_hoover_chain"}) {
    CAPTURE(kind);
    const Input input =
        test::input_of(output.path(), "components",
                       gas(12000, 0.0) + thermostat(kind, 2.0, "component = \"A\"\n") +
                           thermostat(kind, 0.5, "component = \"B\"\n", 0.7));
    Simulation simulation(world, input, {.quiet = true});
    const Part start[2] = {of_type(world, simulation, 0), of_type(world, simulation, 1)};
    double sum[2] = {0.0, 0.0}, squares[2] = {0.0, 0.0}, product = 0.0, samples = 0.0;
    double least = 1e300, most = -1e300;
    simulation.on_step([&](std::int64_t step) {
      if (step % 10 != 0) return;
      const double conserved = simulation.last_state().conserved_energy;
      least = std::min(least, conserved);
      most = std::max(most, conserved);
      if (step < 1000) return;
      double energy[2];
      for (int type = 0; type < 2; ++type) {
        energy[type] = of_type(world, simulation, type).internal_energy();
        sum[type] += energy[type];
        squares[type] += energy[type] * energy[type];
      }
      product += energy[0] * energy[1];
      samples += 1.0;
    });
    simulation.run();
    const double temperature[2] = {2.0, 0.5};
    double mean[2], variance[2];
    for (int type = 0; type < 2; ++type) {
      const Part end = of_type(world, simulation, type);
      // The center of mass of a part is none of its degrees of freedom.
      const double half_degrees = 0.5 * (3.0 * end.count - 3.0);
      mean[type] = sum[type] / samples;
      variance[type] = squares[type] / samples - mean[type] * mean[type];
      CHECK(mean[type] == doctest::Approx(half_degrees * temperature[type]).epsilon(0.015));
      CHECK(variance[type] ==
            doctest::Approx(half_degrees * temperature[type] * temperature[type]).epsilon(0.35));
      CHECK(near(end.momentum, start[type].momentum, 1e-9));
    }
    if (kind == "stochastic_velocity_rescaling") {
      // Each has noise of its own.
      const double covariance = product / samples - mean[0] * mean[1];
      CHECK(std::fabs(covariance) < 0.3 * std::sqrt(variance[0] * variance[1]));
      CHECK(most - least < 1e-8 * mean[0]);
    } else {
      CHECK(most - least < 0.02 * mean[0]);
    }
  }
}

TEST_CASE("a thermostat of a region acts there only") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const auto inside = [](std::int64_t, const Vec3& place) {
    return place.z > 2.0 && place.z < 7.0;
  };
  const auto outside = [&](std::int64_t type, const Vec3& place) { return !inside(type, place); };
  for (const std::string kind : {"stochastic_velocity_rescaling", "velocity_scaling", "langevin"}) {
    CAPTURE(kind);
    // The first step in which it acts is the last one of the run.
    const Input input = test::input_of(
        output.path(), "region",
        gas(100, 0.0) + thermostat(kind, 5.0,
                                   "lower = [0.0, 0.0, 2.0]\nupper = [12.0, 12.0, 7.0]\n"
                                   "start_step = 100\n",
                                   1e-9));
    Simulation simulation(world, input, {.quiet = true});
    Part whole_before;
    simulation.on_step([&](std::int64_t step) {
      if (step == 99)
        whole_before = part(world, simulation, [](auto, const Vec3&) { return true; });
    });
    const double start = part(world, simulation, [](auto, const Vec3&) { return true; }).energy;
    simulation.run();
    const Part in = part(world, simulation, inside), out = part(world, simulation, outside);
    CHECK(in.count > 60.0);
    CHECK(out.count > 90.0);
    CHECK(whole_before.energy == doctest::Approx(start).epsilon(1e-12));
    // Outside the start's temperature is left: 1.
    CHECK(out.energy / (1.5 * out.count) == doctest::Approx(1.0).epsilon(0.3));
    CHECK(in.energy / (1.5 * in.count) == doctest::Approx(5.0).epsilon(0.45));
    if (kind == "velocity_scaling") {
      CHECK(in.energy == doctest::Approx(1.5 * in.count * 5.0).epsilon(1e-12));
    }
    const Part whole = part(world, simulation, [](auto, const Vec3&) { return true; });
    if (kind == "stochastic_velocity_rescaling") {
      CHECK(near(whole.momentum, whole_before.momentum, 1e-9));
    }
    const ThermodynamicState& end = simulation.last_state();
    CHECK(end.conserved_energy == doctest::Approx(start).epsilon(1e-10));
    // Where the center of mass moves it counts.
    const double degrees = kind == "stochastic_velocity_rescaling" ? 645.0 : 648.0;
    CHECK(end.temperature == doctest::Approx(2.0 * whole.energy / degrees).epsilon(1e-12));
  }
}

TEST_CASE("one thermostat after another") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const Input input =
      test::input_of(output.path(), "after",
                     gas(60, 0.0) + thermostat("velocity_scaling", 3.0, "stop_step = 30\n") +
                         thermostat("velocity_scaling", 0.7, "start_step = 31\ninterval = 20\n"));
  Simulation simulation(world, input, {.quiet = true});
  std::vector<double> energy;
  simulation.on_step([&](std::int64_t) {
    energy.push_back(part(world, simulation, [](auto, const Vec3&) { return true; }).energy);
  });
  simulation.run();
  CHECK(energy[29] == doctest::Approx(1.5 * 216 * 3.0).epsilon(1e-12));
  CHECK(energy[38] == doctest::Approx(1.5 * 216 * 3.0).epsilon(1e-12));
  CHECK(energy[39] == doctest::Approx(1.5 * 216 * 0.7).epsilon(1e-12));
}

TEST_CASE("thermostats of parts go on from a checkpoint, with the same bits") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const Input input = test::input_of(
      output.path(), "resume",
      gas(150, 1.0) + thermostat("nose_hoover_chain", 1.5, "component = \"A\"\n") +
          thermostat("stochastic_velocity_rescaling", 0.9,
                     "component = \"B\"\nupper = [6.0, 12.0, 12.0]\n") +
          thermostat("langevin", 1.2, "component = \"B\"\nlower = [6.0, 0.0, 0.0]\n") +
          "[neighbor]\nmaximum_interval = 20\n");
  std::int64_t whole = 0;
  ThermodynamicState end;
  {
    Simulation simulation(world, input, {.quiet = true});
    simulation.run();
    whole = test::fingerprint(world, simulation.particles(), simulation.box());
    end = simulation.last_state();
  }
  comm::barrier(world);
  if (world.rank() == 0) std::filesystem::remove(checkpoint_path(output.path() + "/resume"));
  comm::barrier(world);
  Simulation simulation(world, input, {.resume = true, .quiet = true});
  CHECK(simulation.step_number() >= 40);
  CHECK(simulation.step_number() < 150);
  simulation.run();
  CHECK(test::fingerprint(world, simulation.particles(), simulation.box()) == whole);
  // Sums over ranks may differ in their order.
  CHECK(simulation.last_state().conserved_energy ==
        doctest::Approx(end.conserved_energy).epsilon(1e-13));
}
