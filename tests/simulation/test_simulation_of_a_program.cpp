// Simulations that a program makes, looks at and changes, on any number of ranks.

#include <doctest/doctest.h>

#include <cmath>
#include <csignal>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "md/simulation/signals.hpp"
#include "simulation/simulation_support.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

// Regions that are cut by measured times would not have the same bits in each run.
const char* const settings = R"(
units = "reduced"
[run]
timestep = 0.004
[interaction]
cutoff = 2.5
[domain]
decomposition = "grid"
[output]
thermo_interval = 10
)";

System melt() {
  System system = System::lattice({.cells = {6, 6, 6}, .density = 0.8442, .temperature = 1.44});
  system.types = {{.name = "A"}, {.name = "B", .epsilon = 0.8, .sigma = 0.9, .fraction = 0.5}};
  return system;
}

std::int64_t bits(const comm::Context& context, const Simulation& simulation) {
  return test::fingerprint(context, simulation.particles(), simulation.box());
}

/// Counts calls and keeps what it saw last.
struct Watcher : Reporter {
  using Reporter::Reporter;
  std::vector<std::int64_t> steps;
  double temperature = 0.0;
  void report(const Frame& frame) override {
    steps.push_back(frame.step);
    temperature = frame.state.temperature;
  }
};

/// A spring to the middle of the box along z.
struct Spring : ForceTerm {
  explicit Spring(double middle) : middle_(middle) {}
  std::string_view name() const override { return "spring"; }
  void finish(ParticleStore& particles, EnergyAndVirial* sums) override {
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      const double z = particles.position[i].z - middle_;
      particles.force[i].z -= z;
      if (sums != nullptr) sums->energy += 0.5 * z * z;
    }
  }
  double middle_;
};

/// A spring in all directions, which does not keep the momentum.
struct Trap : ForceTerm {
  explicit Trap(Vec3 middle) : middle_(middle) {}
  std::string_view name() const override { return "trap"; }
  void finish(ParticleStore& particles, EnergyAndVirial* sums) override {
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      const Vec3 d = particles.position[i].vector() - middle_;
      particles.force[i] -= d;
      if (sums != nullptr) sums->energy += 0.5 * dot(d, d);
    }
  }
  Vec3 middle_;
};

/// No force at all, and it says that it keeps the momentum.
struct Nothing : ForceTerm {
  std::string_view name() const override { return "nothing"; }
  bool keeps_momentum() const override { return true; }
  void finish(ParticleStore&, EnergyAndVirial*) override {}
};

/// Pulls all particles along x by a force that depends on the time.
struct Drive : ForceTerm {
  std::string_view name() const override { return "drive"; }
  static double force(double time) { return std::cos(30.0 * time); }
  void begin_step(const StepContext& now) override {
    CHECK(now.time == now.timestep * static_cast<double>(now.step));
    CHECK(now.timestep == 0.004);
    CHECK(now.box.length.x > 0.0);
    time_ = now.time;
  }
  void finish(ParticleStore& particles, EnergyAndVirial*) override {
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      particles.force[i].x += force(time_);
    }
  }
  double time_ = -1.0;
};

/// Its energy is the number of neighbors of all particles, which may be ghosts on any side.
struct Neighbors : ForceTerm {
  std::string_view name() const override { return "neighbors"; }
  void rebuild(const ParticleStore& particles) override { known_ = particles.total_count(); }
  void finish(ParticleStore& particles, EnergyAndVirial* sums) override {
    CHECK(known_ == particles.total_count());
    if (sums == nullptr) return;
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      for (std::size_t j = 0; j < particles.total_count(); ++j) {
        const Vec3 d = particles.position[i].vector() - particles.position[j].vector();
        if (i != j && dot(d, d) < 2.25) sums->energy += 1.0;
      }
    }
  }
  std::size_t known_ = 0;
};

double count_neighbors(Simulation& simulation) {
  const std::vector<ParticleRecord> particles = simulation.gather(0);
  double count = 0.0;
  for (const ParticleRecord& a : particles) {
    for (const ParticleRecord& b : particles) {
      const Vec3 d = simulation.box().nearest_image(a.position.vector() - b.position.vector());
      if (a.id != b.id && dot(d, d) < 2.25) count += 1.0;
    }
  }
  return count;
}

double energy_of_term(const Simulation& simulation, std::string_view name) {
  for (const auto& term : simulation.last_state().terms) {
    if (term.name == name) return term.energy;
  }
  FAIL("no such term");
  return 0.0;
}

}  // namespace

TEST_CASE("a force of a program knows the time of the positions") {
  const comm::Context world;
  Simulation simulation(world, settings, melt());
  simulation.measure();
  const double before = simulation.last_state().momentum[0];
  simulation.add(std::make_unique<Drive>());
  constexpr int steps = 25;
  simulation.run(steps);
  // Velocity Verlet adds up the forces by the trapezoidal rule, and those of pairs cancel.
  double impulse = 0.0;
  for (int step = 0; step <= steps; ++step) {
    const double weight = step == 0 || step == steps ? 0.5 : 1.0;
    impulse += weight * 0.004 * Drive::force(0.004 * step);
  }
  const double expected = before + static_cast<double>(simulation.particle_count()) * impulse;
  CHECK(simulation.last_state().momentum[0] == doctest::Approx(expected).epsilon(1e-9));
}

TEST_CASE("a simulation of a program has the bits of one that a file describes") {
  const comm::Context world;
  const test::SharedFolder folder(world);
  Simulation made(world, settings, melt());
  made.run(60);
  const Input input = test::input_of(folder.path(), "file", R"(
units = "reduced"
[run]
steps = 60
timestep = 0.004
[interaction]
cutoff = 2.5
[start]
kind = "lattice"
cells = [6, 6, 6]
density = 0.8442
temperature = 1.44
[[type]]
name = "A"
fraction = 1.0
[[type]]
name = "B"
epsilon = 0.8
sigma = 0.9
fraction = 0.5
)");
  Simulation described(world, input, {.quiet = true});
  described.run();
  CHECK(bits(world, made) == bits(world, described));
  CHECK(made.last_state().total_energy == described.last_state().total_energy);
  CHECK(made.type_names() == std::vector<std::string>{"A", "B"});
  CHECK(made.particle_count() == 864);
  CHECK(made.time() == doctest::Approx(60 * 0.004));
}

TEST_CASE("a run in parts has the bits of a run in one, whoever looks at it") {
  const comm::Context world;
  Simulation whole(world, settings, melt());
  whole.run(70);
  Simulation parts(world, settings, melt());
  const auto watcher = std::make_shared<Watcher>(7);
  parts.add(watcher);
  for (const int steps : {1, 0, 12, 30, 27}) CHECK(parts.run(steps) == Outcome::complete);
  CHECK(parts.step_number() == 70);
  CHECK(bits(world, parts) == bits(world, whole));
  CHECK(watcher->steps == std::vector<std::int64_t>{0, 7, 14, 21, 28, 35, 42, 49, 56, 63, 70});
  CHECK(watcher->temperature == whole.last_state().temperature);
  CHECK_THROWS_AS(Watcher(0), std::invalid_argument);
  CHECK_THROWS_AS(parts.run(-1), std::invalid_argument);
}

TEST_CASE("a signal ends a part of a run, and the program goes on as it likes") {
  const comm::Context world;
  Simulation undisturbed(world, settings, melt());
  undisturbed.run(150);
  Simulation simulation(world, settings, melt());
  catch_signals();
  simulation.on_step([&](std::int64_t step) {
    if (step == 20 && world.rank() == 0) std::raise(SIGTERM);
  });
  CHECK(simulation.run(150) == Outcome::interrupted);
  release_signals();
  const std::int64_t ended = simulation.step_number();
  CHECK(ended >= 20);
  CHECK(ended < 150);
  CHECK(simulation.run(150 - ended) == Outcome::complete);
  CHECK(bits(world, simulation) == bits(world, undisturbed));
}

TEST_CASE("what was saved goes on as what saved it") {
  const comm::Context world;
  const test::SharedFolder folder(world);
  const std::string path = folder.path() + "/kept";
  Simulation first(world, settings, melt());
  first.run(33);
  first.save(path);
  first.run(40);
  SimulationOptions options = SimulationOptions::inside_a_program();
  options.checkpoint = path;
  Simulation second(world, settings, melt(), options);
  CHECK(second.step_number() == 33);
  second.run(40);
  CHECK(bits(world, second) == bits(world, first));
  CHECK(second.last_state().total_energy == first.last_state().total_energy);
}

TEST_CASE("particles from arrays are those of the lattice they were taken from") {
  const comm::Context world;
  Simulation lattice(world, settings, melt());
  const std::vector<ParticleRecord> all = lattice.gather(world.size() - 1);
  CHECK(all.size() == (world.rank() == world.size() - 1 ? 864 : 0));
  System::Particles mine;  // all on one rank, which does not own most of them
  for (const ParticleRecord& record : all) {
    mine.position.push_back(record.position.vector());
    mine.type.push_back(static_cast<int>(record.position.type));
    mine.velocity.push_back(record.velocity);
    mine.id.push_back(record.id);
  }
  System system = System::from_particles(lattice.box(), mine);
  system.types = melt().types;
  Simulation arrays(world, settings, system);
  CHECK(arrays.particle_count() == 864);
  CHECK(bits(world, arrays) == bits(world, lattice));
  lattice.run(20);
  arrays.run(20);
  CHECK(arrays.last_state().total_energy ==
        doctest::Approx(lattice.last_state().total_energy).epsilon(1e-12));
}

TEST_CASE("what a program adds acts from the next step on") {
  const comm::Context world;
  Simulation simulation(world, settings, melt());
  simulation.run(10);
  const double before = simulation.last_state().conserved_energy;
  simulation.add(std::make_unique<Spring>(0.5 * simulation.box().length.z));
  simulation.run(0);
  simulation.run(1);
  const double with_spring = simulation.last_state().conserved_energy;
  CHECK(with_spring ==
        doctest::Approx(before + energy_of_term(simulation, "spring")).epsilon(1e-3));
  simulation.run(100);
  CHECK(simulation.last_state().conserved_energy == doctest::Approx(with_spring).epsilon(2e-3));
  CHECK_THROWS_AS(simulation.add(std::make_unique<Spring>(0.0)), std::invalid_argument);
}

TEST_CASE("a term that does not keep the momentum frees the degrees of freedom of the center") {
  const comm::Context world;
  constexpr double particles = 32.0;
  const std::pair<std::string, double> thermostats[] = {{"stochastic_velocity_rescaling", 0.05},
                                                        {"nose_hoover_chain", 1.0}};
  for (const auto& [thermostat, time_constant] : thermostats) {
    for (const bool keeps : {false, true}) {
      CAPTURE(thermostat);
      CAPTURE(keeps);
      System system = System::lattice({.cells = {2, 2, 2}, .density = 0.5, .temperature = 1.0});
      system.types = {{.name = "A", .epsilon = 0.0}};
      Simulation simulation(
          world,
          fmt::format("units = \"reduced\"\n[run]\ntimestep = 0.02\n[interaction]\ncutoff = 1\n"
                      "[neighbor]\nskin = 0.3\n[output]\nthermo_interval = 1\n[thermostat]\n"
                      "kind = \"{}\"\ntemperature = 1\ntime_constant = {}\n",
                      thermostat, time_constant),
          system);
      // In the middle of a run, so that the thermostat is there already.
      simulation.run(20);
      const double degrees = keeps ? 3.0 * particles - 3.0 : 3.0 * particles;
      if (keeps) {
        simulation.add(std::make_unique<Nothing>());
      } else {
        simulation.add(std::make_unique<Trap>(0.5 * simulation.box().length));
      }
      simulation.run(400);
      double sum = 0.0, samples = 0.0;
      simulation.on_step([&](std::int64_t) {
        const ThermodynamicState& state = simulation.last_state();
        REQUIRE(state.temperature == doctest::Approx(2.0 * state.kinetic_energy / degrees));
        sum += state.kinetic_energy;
        samples += 1.0;
      });
      simulation.run(4000);
      CHECK(2.0 * sum / samples / degrees == doctest::Approx(1.0).epsilon(0.015));
    }
  }
}

TEST_CASE("a term of a program has ghosts on all sides, whenever it was added") {
  const comm::Context world;
  for (const std::int64_t before : {0, 10}) {
    CAPTURE(before);
    Simulation simulation(world, settings, melt());
    if (before > 0) simulation.run(before);
    simulation.add(std::make_unique<Neighbors>());
    for (const std::int64_t steps : {0, 40}) {
      simulation.run(steps);
      simulation.measure();
      const double expected = count_neighbors(simulation);
      if (world.rank() == 0) CHECK(energy_of_term(simulation, "neighbors") == expected);
    }
  }
}

TEST_CASE("particles can be changed between two steps") {
  const comm::Context world;
  Simulation simulation(world, settings, melt());
  simulation.run(20);
  const ThermodynamicState before = simulation.last_state();
  simulation.change([](ParticleRecord& particle) { particle.velocity *= 0.5; });
  simulation.run(1);
  CHECK(simulation.last_state().total_energy ==
        doctest::Approx(before.total_energy - 0.75 * before.kinetic_energy).epsilon(1e-3));
  const double energy = simulation.last_state().conserved_energy;
  // Half a box along x: other ranks own them, and nothing else changes.
  const Vec3 length = simulation.box().length;
  const auto potential = simulation.last_state().potential_energy;
  simulation.change([&](ParticleRecord& particle) { particle.position.x += 0.5 * length.x; });
  simulation.run(1);
  CHECK(simulation.last_state().potential_energy == doctest::Approx(potential).epsilon(0.02));
  simulation.run(50);
  CHECK(simulation.last_state().conserved_energy == doctest::Approx(energy).epsilon(1e-3));
  CHECK_THROWS_AS(simulation.change([](ParticleRecord& particle) { ++particle.id; }),
                  std::invalid_argument);
}

TEST_CASE("observers of the settings tell what they have found at any time") {
  const comm::Context world;
  Simulation simulation(world, std::string(settings) + "[profile]\ninterval = 5\nbins = 8\n",
                        melt());
  simulation.run(20);
  const auto reports = simulation.observer_reports();
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].text.find("density") != std::string::npos);
}

TEST_CASE("two simulations at once on parts of the ranks") {
  const comm::Context world;
  const comm::Context half = world.split(world.rank() % 2);
  Simulation one(half, settings, melt());
  Simulation two(half, settings, melt());
  one.run(15);
  two.run(15);
  one.run(15);
  two.run(15);
  CHECK(bits(half, one) == bits(half, two));
}

TEST_CASE("reservoirs keep their temperature") {
  const comm::Context world;
  const std::string open = std::string(settings) + R"(
[thermostat]
kind = "langevin"
temperature = 1.44
time_constant = 1.0
[[grand_canonical]]
components = ["A"]
activity = [0.1]
interval = 10
)";
  Simulation simulation(world, open, melt());
  simulation.run(1);
  const RunState same{.number = -1, .temperature = 1.44, .pressure = {}, .parameters = {}};
  CHECK_NOTHROW(simulation.set_state(same));
  const RunState warmer{.number = -1, .temperature = 1.5, .pressure = {}, .parameters = {}};
  CHECK_THROWS_WITH_AS(simulation.set_state(warmer), doctest::Contains("[[grand_canonical]]"),
                       std::invalid_argument);
}

TEST_CASE("what a program gets wrong is told with the words of an input file") {
  const comm::Context world;
  System system = melt();
  CHECK_THROWS_WITH_AS(Simulation(world, "[run]\ntimestep = 0.004\ntimestop = 1\n", system),
                       doctest::Contains("timestop"), InputError);
  system.types[1].sigma = -1.0;
  CHECK_THROWS_WITH_AS(Simulation(world, settings, system), doctest::Contains("\"sigma\""),
                       InputError);
  system = System::lattice({.cells = {0, 6, 6}, .density = 0.8});
  system.types = melt().types;
  CHECK_THROWS_WITH_AS(Simulation(world, settings, system), doctest::Contains("\"cells\""),
                       InputError);

  System::Particles particles;
  particles.position = {{1.0, 1.0, 1.0}, {5.0, 5.0, 5.0}};
  const auto made = [&] {
    System arrays = System::from_particles({{10.0, 10.0, 10.0}}, particles);
    arrays.types = {{.name = "A"}};
    return Simulation(world, settings, arrays);
  };
  particles.type = {0};
  CHECK_THROWS_WITH(made(), doctest::Contains("expected one for each of 2 positions"));
  particles.type = {0, 1};
  CHECK_THROWS_WITH(made(), doctest::Contains("particle 1 has type 1"));
  particles.type = {};
  particles.id = {4, 4};
  CHECK_THROWS_WITH(made(), doctest::Contains("two particles have the id 4"));
}
