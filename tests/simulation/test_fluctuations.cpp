// Every thermostat and every barostat of the tables: a small system fluctuates as statistical
// mechanics says.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "md/input/barostat_row.hpp"
#include "md/input/thermostat_row.hpp"
#include "simulation/simulation_support.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

/// The probability that a variable of the gamma distribution with this shape, in units of its scale,
/// is below x: the series for the incomplete gamma function.
double gamma_probability(double shape, double x) {
  if (x <= 0.0) return 0.0;
  double term = 1.0 / shape, sum = term;
  for (double n = shape + 1.0; term > 1e-15 * sum; n += 1.0) {
    term *= x / n;
    sum += term;
  }
  return sum * std::exp(shape * std::log(x) - x - std::lgamma(shape));
}

/// The largest distance between how samples are distributed and the gamma distribution, times the
/// root of their number (Kolmogorov and Smirnov).
double distance_from_gamma(std::vector<double> samples, double shape, double scale) {
  std::ranges::sort(samples);
  const double count = static_cast<double>(samples.size());
  double largest = 0.0;
  for (std::size_t n = 0; n < samples.size(); ++n) {
    const double expected = gamma_probability(shape, samples[n] / scale);
    const double below = static_cast<double>(n) / count;
    largest = std::max({largest, expected - below, below + 1.0 / count - expected});
  }
  return largest * std::sqrt(count);
}

double mean_of(const std::vector<double>& samples) {
  double sum = 0.0;
  for (const double sample : samples) sum += sample;
  return sum / static_cast<double>(samples.size());
}

}  // namespace

TEST_CASE("the gamma distribution is what tables say") {
  // Of shape 1 it is exponential, of half the degrees of freedom chi squared: 5 % of ten are above
  // 18.307.
  CHECK(gamma_probability(1.0, 2.0) == doctest::Approx(1.0 - std::exp(-2.0)));
  CHECK(gamma_probability(5.0, 0.5 * 18.307) == doctest::Approx(0.95).epsilon(1e-4));
}

namespace {

constexpr double kDegrees = 72.0, kThermalEnergy = 1.3;

/// What 24 particles on springs have at moments that are far enough apart to be independent.
struct Samples {
  std::vector<double> kinetic;    ///< their kinetic energy
  std::vector<double> potential;  ///< the energy of the springs
  std::vector<double> virial;     ///< the sum of -(x - x0) F, with the place x0 of the spring
};

/// Runs the particles under a thermostat. Where they do not collide, each is an oscillator of its
/// own.
Samples samples_of(const comm::Context& world, const test::SharedFolder& output,
                   const ThermostatRow& row, bool collide) {
  const double stiffness = 8.0;
  const Input input = test::input_of(
      output.path(), "oscillators",
      fmt::format("[run]\nsteps = 121000\ntimestep = 0.01\n"
                  "[start]\nkind = \"lattice\"\nlattice = \"sc\"\ncells = [2, 3, 4]\n"
                  "density = 0.2\ntemperature = {1}\n"
                  "[[type]]\nname = \"A\"\nepsilon = {0}\nfraction = 0.5\n"
                  "[[type]]\nname = \"B\"\nepsilon = {0}\nmass = 2.3\nfraction = 0.5\n"
                  "[interaction]\ncutoff = 1.1224620483093730\n[neighbor]\nskin = 0.2\n"
                  "[[restraint]]\nstiffness = {2}\n"
                  "[thermostat]\nkind = \"{3}\"\ntemperature = {1}\n{4}",
                  collide ? 1 : 0, kThermalEnergy, stiffness, row.name,
                  row.has_time_constant ? "time_constant = 0.5\n" : ""));
  Simulation simulation(world, input, {.quiet = true, .files = false});
  REQUIRE(simulation.particles().local_count() == 24);
  std::map<std::int64_t, Vec3> places;  // of the springs, by particle
  for (std::size_t i = 0; i < 24; ++i) {
    places[simulation.particles().id[i]] = simulation.particles().position[i].vector();
  }
  Samples samples;
  simulation.on_step([&](std::int64_t step) {
    if (step <= 1000 || step % 100 != 0) return;
    const ParticleStore& particles = simulation.particles();
    double kinetic = 0.0, potential = 0.0, virial = 0.0;
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      const double mass = particles.position[i].type == 0 ? 1.0 : 2.3;
      kinetic += 0.5 * mass * dot(particles.velocity[i], particles.velocity[i]);
      Vec3 stretch = particles.position[i].vector() - places.at(particles.id[i]);
      for (int axis = 0; axis < 3; ++axis) {
        const double length = simulation.box().length[axis];
        stretch[axis] -= length * std::nearbyint(stretch[axis] / length);
      }
      potential += 0.5 * stiffness * dot(stretch, stretch);
      virial -= dot(stretch, particles.force[i]);
    }
    samples.kinetic.push_back(kinetic);
    samples.potential.push_back(potential);
    samples.virial.push_back(virial);
  });
  simulation.run();
  return samples;
}

}  // namespace

// The kinetic energy has a gamma distribution of half as many parameters as there are degrees of
// freedom. The particles collide, since thermostats that scale all velocities alike, and chains, do
// not mix oscillators of one frequency. Of independent samples the distance is above 2.5 once in
// 130,000 times.
TEST_CASE("every thermostat gives particles the temperature, and canonical ones its fluctuations") {
  const comm::Context world;
  const test::SharedFolder output(world);
  for (const ThermostatRow& row : thermostat_rows()) {
    CAPTURE(row.name);
    const Samples samples = samples_of(world, output, row, true);
    REQUIRE(samples.kinetic.size() == 1200);
    // One standard error is 0.5 %.
    CHECK(mean_of(samples.kinetic) ==
          doctest::Approx(0.5 * kDegrees * kThermalEnergy).epsilon(0.025));
    const double distance = distance_from_gamma(samples.kinetic, 0.5 * kDegrees, kThermalEnergy);
    if (row.is_canonical) {
      CHECK(distance < 2.5);
      // Equipartition: each coordinate's mean of -(x - x0) F is kT.
      CHECK(mean_of(samples.virial) == doctest::Approx(kDegrees * kThermalEnergy).epsilon(0.025));
    } else {
      // The test would see it.
      CHECK(distance > 2.5);
    }
  }
}

// Each particle has noise of its own there, so that oscillators that do not collide have the gamma
// distribution of the energy of their springs, too.
TEST_CASE("thermostats that act on each particle give springs their fluctuations") {
  const comm::Context world;
  const test::SharedFolder output(world);
  int rows = 0;
  for (const ThermostatRow& row : thermostat_rows()) {
    Input::Thermostat thermostat;
    thermostat.kind = row.name;
    if (!row.is_canonical || row.keeps_momentum(thermostat)) continue;
    CAPTURE(row.name);
    const Samples samples = samples_of(world, output, row, false);
    CHECK(distance_from_gamma(samples.potential, 0.5 * kDegrees, kThermalEnergy) < 2.5);
    ++rows;
  }
  CHECK(rows >= 2);
}

// Of an ideal gas the volume is distributed as V^N exp(-p V / kT): mean (N + 1) kT / p, variance
// (N + 1) (kT / p)^2.
TEST_CASE(
    "with every barostat that keeps a pressure the volumes of an ideal gas have their exact "
    "distribution") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const double particles = 27.0, scale = 1.5 / 0.75;
  /// The keys that a barostat needs.
  const std::map<std::string_view, std::string_view> keys{
      {"stochastic_cell_rescaling", "bulk_modulus = 0.75\ntime_constant = 1\ninterval = 5\n"},
      {"martyna_tobias_klein", "time_constant = 8\ninterval = 4\n"}};
  for (const BarostatRow& row : barostat_rows()) {
    if (!row.keeps_pressure) continue;
    CAPTURE(row.name);
    INFO("a barostat without a line in the table of this test");
    REQUIRE(keys.contains(row.name));
    const Input input = test::input_of(
        output.path(), "ideal",
        "[run]\nsteps = 60000\ntimestep = 0.02\n"
        "[start]\nkind = \"lattice\"\nlattice = \"sc\"\ncells = [3, 3, 3]\ndensity = 0.5\n"
        "temperature = 1.5\n[[type]]\nname = \"A\"\nepsilon = 0\n"
        "[interaction]\ncutoff = 0.3\n[neighbor]\nskin = 0.2\n"
        "[thermostat]\nkind = \"stochastic_velocity_rescaling\"\ntemperature = 1.5\n"
        "time_constant = 0.5\n[barostat]\npressure = 0.75\n" +
            fmt::format("kind = \"{}\"\n{}", row.name, keys.at(row.name)));
    Simulation simulation(world, input, {.quiet = true, .files = false});
    double sum = 0.0, squares = 0.0, samples = 0.0;
    simulation.on_step([&](std::int64_t step) {
      if (step <= 1000) return;
      const double volume = simulation.box().volume();
      sum += volume;
      squares += volume * volume;
      samples += 1.0;
    });
    simulation.run();
    const double mean = sum / samples, variance = squares / samples - mean * mean;
    CHECK(mean == doctest::Approx((particles + 1.0) * scale).epsilon(0.03));
    CHECK(variance == doctest::Approx((particles + 1.0) * scale * scale).epsilon(0.2));
  }
}
