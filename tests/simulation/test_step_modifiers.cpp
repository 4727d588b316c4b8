// What acts on molecules beside the forces, in whole runs: limits, drift control, alignment,
// collisions, mirrors and frozen types.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "md/output/checkpoint.hpp"
#include "simulation/simulation_support.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

/// Particles "A" and "B" in equal shares.
std::string mixture(int steps, double epsilon, double density, const std::string& more_start = "") {
  return fmt::format(
      "[run]\nsteps = {}\ntimestep = 0.004\n"
      "[start]\nkind = \"lattice\"\ncells = [6, 6, 6]\ndensity = {}\ntemperature = 1.0\n{}"
      "[[type]]\nname = \"A\"\nepsilon = {}\n[[type]]\nname = \"B\"\nepsilon = {}\nmass = 3.0\n"
      "[interaction]\ncutoff = 2.5\n",
      steps, density, more_start, epsilon, epsilon);
}

double largest(const comm::Context& context, double mine) {
  comm::ReductionBatch batch(context, "largest");
  batch.max(mine).run();
  return mine;
}

double total(const comm::Context& context, double mine) {
  comm::ReductionBatch batch(context, "total");
  batch.sum(mine).run();
  return mine;
}

}  // namespace

TEST_CASE("Andersen's thermostat keeps the temperature, and what it gives is counted") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const Input input = test::input_of(
      output.path(), "andersen",
      mixture(600, 0.0, 0.3) +
          "[thermostat]\nkind = \"andersen\"\ntemperature = 2.0\ntime_constant = 0.2\n");
  Simulation simulation(world, input, {.quiet = true});
  double sum = 0.0, samples = 0.0, least = 1e300, most = -1e300;
  simulation.on_step([&](std::int64_t step) {
    if (step % 10 != 0) return;
    least = std::min(least, simulation.last_state().conserved_energy);
    most = std::max(most, simulation.last_state().conserved_energy);
    if (step < 200) return;
    sum += simulation.last_state().temperature;
    samples += 1.0;
  });
  simulation.run();
  // Standard deviation of a sample: 2 sqrt(2 / (3 * 864)) = 0.055.
  CHECK(sum / samples == doctest::Approx(2.0).epsilon(0.03));
  CHECK(most - least < 1e-8 * 3000.0);
}

TEST_CASE("limits carry a start with overlaps") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const std::string text =
      "[run]\nsteps = 60\ntimestep = 0.004\n"
      "[start]\nkind = \"random\"\nparticles = 500\ndensity = 0.5\nminimum_distance = 0.45\n"
      "temperature = 1.0\n"
      "[[type]]\nname = \"A\"\n[interaction]\ncutoff = 2.5\n";
  const std::string limit = "[[limit]]\nforce = 200.0\nvelocity = 4.0\n";
  {
    Simulation simulation(world, test::input_of(output.path(), "limited", text + limit),
                          {.quiet = true});
    double fastest = 0.0, strongest = 0.0;
    simulation.on_step([&](std::int64_t) {
      const ParticleStore& particles = simulation.particles();
      for (std::size_t i = 0; i < particles.local_count(); ++i) {
        fastest = std::max(fastest, length(particles.velocity[i]));
        strongest = std::max(strongest, length(particles.force[i]));
      }
    });
    simulation.run();
    CHECK(largest(world, fastest) <= 4.0 * (1.0 + 1e-12));
    CHECK(largest(world, fastest) > 3.9);
    CHECK(largest(world, strongest) <= 200.0 * (1.0 + 1e-12));
    CHECK(largest(world, strongest) > 199.0);
  }
  Simulation free(world, test::input_of(output.path(), "free", text), {.quiet = true});
  CHECK(largest(world, [&] {
          double fastest = 0.0;
          try {
            free.run();
          } catch (const std::runtime_error&) {
            return 1e9;  // blown up
          }
          for (const Vec3& v : free.particles().velocity) fastest = std::max(fastest, length(v));
          return fastest;
        }()) > 20.0);
}

TEST_CASE("drift control keeps a common velocity, and what it gives is counted") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const Input input = test::input_of(
      output.path(), "drift",
      mixture(120, 1.0, 0.6) +
          "[[drift_control]]\ncomponent = \"B\"\nvelocity = [0.4, 0.0, -0.2]\ninterval = 20\n"
          "sample_interval = 20\n");
  Simulation simulation(world, input, {.quiet = true});
  double before = 0.0;
  simulation.on_step([&](std::int64_t step) {
    if (step == 10) before = simulation.last_state().conserved_energy;
    if (step % 20 != 0) return;
    Vec3 momentum;
    double mass = 0.0;
    const ParticleStore& particles = simulation.particles();
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      if (particles.position[i].type != 1) continue;
      mass += 3.0;
      momentum += 3.0 * particles.velocity[i];
    }
    mass = total(world, mass);
    CHECK(total(world, momentum.x) / mass == doctest::Approx(0.4).epsilon(1e-9));
    CHECK(std::fabs(total(world, momentum.y) / mass) < 1e-9);
    CHECK(total(world, momentum.z) / mass == doctest::Approx(-0.2).epsilon(1e-9));
  });
  simulation.run();
  const double moved = 0.5 * 432.0 * 3.0 * 0.2;
  CHECK(simulation.last_state().total_energy - before > 0.5 * moved);
  CHECK(std::fabs(simulation.last_state().conserved_energy - before) < 0.02 * moved);
}

TEST_CASE("alignment keeps a droplet in the middle") {
  const comm::Context world;
  const test::SharedFolder output(world);
  if (world.rank() == 0) {
    std::ofstream file(output.path() + "/droplet.xyz");
    file << "216\n\n";
    for (int k = 0; k < 216; ++k) {
      file << fmt::format("A {} {} {}\n", 2.0 + 1.1 * (k % 6), 9.0 + 1.1 * (k / 6 % 6),
                          14.0 + 1.1 * (k / 36));
    }
  }
  comm::barrier(world);
  const Input input = test::input_of(
      output.path(), "droplet",
      fmt::format("[run]\nsteps = 40\ntimestep = 0.004\n[start]\nkind = \"file\"\nfile = "
                  "\"{}/droplet.xyz\"\nbox = [24.0, 24.0, 24.0]\ntemperature = 0.3\n"
                  "[[type]]\nname = \"A\"\n[interaction]\ncutoff = 2.5\n"
                  "[alignment]\ninterval = 5\naxes = [\"x\", \"z\"]\n",
                  output.path()));
  Simulation simulation(world, input, {.quiet = true});
  const double y_before = 9.0 + 2.5 * 1.1;
  double energy = 0.0;
  simulation.on_step([&](std::int64_t step) {
    if (step == 10) energy = simulation.last_state().total_energy;
    if (step < 20 || step % 5 != 0) return;
    Vec3 sum;
    const ParticleStore& particles = simulation.particles();
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      int image[3];
      sum += simulation.box().wrap(particles.position[i].vector(), image);
    }
    // The shift goes by at most the cutoff at a time.
    CHECK(total(world, sum.x) / 216.0 == doctest::Approx(12.0).epsilon(1e-9));
    CHECK(total(world, sum.y) / 216.0 == doctest::Approx(y_before).epsilon(1e-6));
    CHECK(total(world, sum.z) / 216.0 == doctest::Approx(12.0).epsilon(1e-9));
  });
  simulation.run();
  CHECK(simulation.last_state().total_energy == doctest::Approx(energy).epsilon(1e-4));
}

TEST_CASE("mirrors at the faces keep everybody in the box, and the energy") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const Input input =
      test::input_of(output.path(), "mirrors",
                     mixture(200, 1.0, 0.4) +
                         "[[wall]]\npotential = \"reflecting\"\nposition = 0.0\n"
                         "[[wall]]\npotential = \"reflecting\"\nposition = " +
                         fmt::format("{}\nside = \"below\"\n", std::cbrt(864.0 / 0.4) - 1e-9));
  Simulation simulation(world, input, {.quiet = true});
  double start = 0.0;
  simulation.on_step([&](std::int64_t step) {
    if (step == 10) start = simulation.last_state().total_energy;
  });
  simulation.run();
  double crossed = 0.0, elsewhere = 0.0;
  const ParticleStore& particles = simulation.particles();
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    int image[3];
    simulation.box().wrap(particles.position[i].vector(), image);
    if (particles.image[i].z + image[2] != 0) crossed += 1.0;
    if (particles.image[i].x + image[0] != 0) elsewhere += 1.0;
  }
  CHECK(total(world, crossed) == 0.0);
  CHECK(total(world, elsewhere) > 10.0);
  const ThermodynamicState& end = simulation.last_state();
  CHECK(std::fabs(end.total_energy - start) < 2e-4 * end.kinetic_energy);
}

TEST_CASE("frozen types keep their velocity and do not count") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const std::string thermostat =
      "[thermostat]\nkind = \"stochastic_velocity_rescaling\"\ntemperature = 1.5\n"
      "time_constant = 0.1\n";
  for (const std::string& more : {std::string(), thermostat}) {
    const Input input =
        test::input_of(output.path(), "frozen",
                       mixture(150, 1.0, 0.5) +
                           "[[freeze]]\ncomponent = \"B\"\nvelocity = [0.3, 0.0, 0.0]\n" + more);
    Simulation simulation(world, input, {.quiet = true});
    std::vector<std::pair<std::int64_t, Vec3>> start;
    const auto path = [&](std::size_t i) {
      const ParticleStore& p = simulation.particles();
      return p.position[i].vector() +
             simulation.box().translation(p.image[i].x, p.image[i].y, p.image[i].z);
    };
    double sum = 0.0;
    const double start_x = [&] {
      const ParticleStore& particles = simulation.particles();
      for (std::size_t i = 0; i < particles.local_count(); ++i) {
        if (particles.position[i].type == 1) sum += path(i).x;
      }
      return total(world, sum);
    }();
    simulation.run();
    const ParticleStore& particles = simulation.particles();
    double x = 0.0, energy = 0.0, count = 0.0;
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      if (particles.position[i].type == 1) {
        CHECK(particles.velocity[i] == Vec3{0.3, 0.0, 0.0});
        x += path(i).x;
      } else {
        energy += 0.5 * dot(particles.velocity[i], particles.velocity[i]);
        count += 1.0;
      }
    }
    CHECK(total(world, x) - start_x == doctest::Approx(432.0 * 0.3 * 150 * 0.004).epsilon(1e-9));
    energy = total(world, energy);
    count = total(world, count);
    CHECK(simulation.last_state().kinetic_energy == doctest::Approx(energy).epsilon(1e-12));
    CHECK(simulation.last_state().temperature ==
          doctest::Approx(2.0 * energy / (3.0 * count)).epsilon(1e-12));
    if (!more.empty())
      CHECK(simulation.last_state().temperature == doctest::Approx(1.5).epsilon(0.25));
  }
}

TEST_CASE("a resumed run with all of them equals one that was never interrupted") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const Input input = test::input_of(
      output.path(), "resume",
      mixture(150, 1.0, 0.6) +
          "[thermostat]\nkind = \"andersen\"\ntemperature = 1.2\ntime_constant = 1.0\n"
          "[[drift_control]]\nvelocity = [0.1, 0.0, 0.0]\nslabs = 2\ninterval = 30\n"
          "sample_interval = 7\n"
          "[[limit]]\nforce = 60.0\nvelocity = 3.0\n"
          "[alignment]\ninterval = 25\npart = 0.5\n");
  std::int64_t whole = 0;
  ThermodynamicState end;
  {
    Simulation simulation(world, input, {.quiet = true});
    simulation.run();
    whole = test::fingerprint(world, simulation.particles(), simulation.box());
    end = simulation.last_state();
  }
  const std::string latest = checkpoint_path(output.path() + "/resume");
  comm::barrier(world);
  if (world.rank() == 0) std::filesystem::remove(latest);
  comm::barrier(world);
  Simulation simulation(world, input, {.resume = true, .quiet = true});
  CHECK(simulation.step_number() >= 40);
  CHECK(simulation.step_number() < 150);
  simulation.run();
  CHECK(test::fingerprint(world, simulation.particles(), simulation.box()) == whole);
  CHECK(simulation.last_state().total_energy == end.total_energy);
  CHECK(simulation.last_state().conserved_energy == end.conserved_energy);
}
