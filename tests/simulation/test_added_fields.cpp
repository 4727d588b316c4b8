// Fields that programs and force terms add to the particles: they follow the particles wherever
// these go.

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "simulation/simulation_support.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

// A hot fluid, so that particles change their ranks often.
const char* const settings = R"(
units = "reduced"
[run]
timestep = 0.004
[interaction]
cutoff = 2.5
[domain]
decomposition = "grid"
)";

System fluid() {
  System system = System::lattice({.cells = {7, 7, 7}, .density = 0.5, .temperature = 6.0});
  system.types = {{.name = "A"}};
  return system;
}

double mark_of(std::int64_t id, std::size_t component) {
  return std::sin(static_cast<double>(id)) + 10.0 * static_cast<double>(component);
}

void mark(const ParticleStore& particles, AddedField& field) {
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    for (std::size_t k = 0; k < field.of(i).size(); ++k) {
      field.of(i)[k] = mark_of(particles.id[i], k);
    }
  }
}

/// Whether each particle of this rank has its own marks.
bool are_marked(const ParticleStore& particles, const AddedField& field) {
  bool marked = field.values().size() ==
                particles.local_count() * static_cast<std::size_t>(field.components());
  for (std::size_t i = 0; marked && i < particles.local_count(); ++i) {
    for (std::size_t k = 0; k < field.of(i).size(); ++k) {
      marked = marked && field.of(i)[k] == mark_of(particles.id[i], k);
    }
  }
  return marked;
}

std::int64_t sum(const comm::Context& context, std::int64_t value) {
  comm::ReductionBatch(context, "test").sum(value).run();
  return value;
}

/// The message of std::invalid_argument that `work` throws on every rank.
template <class Work>
std::string refusal_of(const Work& work) {
  try {
    work();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Ties each particle to a place of its own, which is a field: an Einstein crystal.
class Tether final : public ForceTerm {
 public:
  Tether(const AddedField& anchor, const Box& box, double stiffness)
      : anchor_(anchor), box_(box), stiffness_(stiffness) {}
  std::string_view name() const override { return "tether"; }
  void finish(ParticleStore& particles, EnergyAndVirial* sums) override {
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      const auto a = anchor_.of(i);
      const Image& image = particles.image[i];
      const Vec3 d = particles.position[i].vector() + box_.translation(image.x, image.y, image.z) -
                     Vec3{a[0], a[1], a[2]};
      particles.force[i] -= stiffness_ * d;
      if (sums != nullptr) sums->energy += 0.5 * stiffness_ * dot(d, d);
    }
  }

 private:
  const AddedField& anchor_;
  const Box& box_;
  double stiffness_;
};

}  // namespace

TEST_CASE("an added field goes with the particles to other places and other ranks") {
  const comm::Context world;
  Simulation simulation(world, settings, fluid());
  AddedField& wide = simulation.add_particle_field("wide", 3);
  AddedField& home = simulation.add_particle_field("home", 1, static_cast<double>(-1));
  for (const double value : home.values()) REQUIRE(value == -1.0);
  mark(simulation.particles(), wide);
  for (double& value : home.values()) value = world.rank();
  simulation.run(100);
  // A field that comes later, when the exchange of the others is under way already.
  AddedField& late = simulation.add_particle_field("late", 2);
  mark(simulation.particles(), late);
  simulation.run(300);

  CHECK(sum(world, are_marked(simulation.particles(), wide) ? 0 : 1) == 0);
  CHECK(sum(world, are_marked(simulation.particles(), late) ? 0 : 1) == 0);
  std::int64_t moved = 0;
  for (const double value : home.values()) moved += value != world.rank();
  if (world.size() > 1) CHECK(sum(world, moved) > 100);
  CHECK(&simulation.particle_fields().at("wide") == &wide);

  const std::vector<double> all = simulation.gather_field("wide", world.size() - 1);
  const bool is_root = world.rank() == world.size() - 1;
  REQUIRE(all.size() == (is_root ? 3 * 1372 : 0));
  bool in_order = true;
  for (std::size_t k = 0; k < all.size(); ++k) {
    in_order = in_order && all[k] == mark_of(static_cast<std::int64_t>(k / 3) + 1, k % 3);
  }
  CHECK(in_order);
}

TEST_CASE("an added field changes no bit of a run") {
  const comm::Context world;
  Simulation with(world, settings, fluid()), without(world, settings, fluid());
  with.add_particle_field("unused", 5);
  with.run(150);
  without.run(150);
  CHECK(test::fingerprint(world, with.particles(), with.box()) ==
        test::fingerprint(world, without.particles(), without.box()));
}

TEST_CASE("an added field follows regions that are cut again, and particles that are moved") {
  const comm::Context world;
  const std::string cut = R"(
units = "reduced"
[run]
timestep = 0.004
[interaction]
cutoff = 2.5
[domain]
decomposition = "bisection"
rebalance_interval = 20
)";
  Simulation simulation(world, cut, fluid());
  AddedField& field = simulation.add_particle_field("field", 2);
  mark(simulation.particles(), field);
  simulation.run(120);
  CHECK(sum(world, are_marked(simulation.particles(), field) ? 0 : 1) == 0);
  // To the other end of the box.
  simulation.change([&](ParticleRecord& particle) {
    const Vec3 length = simulation.box().length;
    particle.position.x += particle.position.x < 0.5 * length.x ? 0.5 * length.x : -0.5 * length.x;
  });
  simulation.run(40);
  CHECK(sum(world, are_marked(simulation.particles(), field) ? 0 : 1) == 0);
  // Who keeps the arrays of particles leaves the fields to the simulation.
  const auto kept = simulation.release_particles();
  simulation.run(40);
  CHECK(sum(world, are_marked(simulation.particles(), field) ? 0 : 1) == 0);
}

TEST_CASE("an added field of rigid molecules goes with them") {
  const comm::Context world;
  const test::SharedFolder folder(world);
  Simulation simulation(world, test::input_of(folder.path(), "rods", R"(
[run]
name = "rods"
steps = 200
timestep = 0.003
[start]
kind = "lattice"
cells = [5, 5, 5]
density = 0.3
temperature = 4.0
[[component]]
name = "rod"
[[component.site]]
kind = "lennard_jones"
position = [0, 0, -0.25]
mass = 0.5
epsilon = 1.0
sigma = 1.0
[[component.site]]
kind = "lennard_jones"
position = [0, 0, 0.25]
mass = 0.5
epsilon = 1.0
sigma = 1.0
[interaction]
cutoff = 2.5
)"),
                        SimulationOptions::inside_a_program());
  AddedField& field = simulation.add_particle_field("field", 2);
  mark(simulation.particles(), field);
  simulation.run(200);
  CHECK(sum(world, are_marked(simulation.particles(), field) ? 0 : 1) == 0);
}

TEST_CASE("what was saved has the added fields, on as many ranks and on fewer") {
  const comm::Context world;
  const test::SharedFolder folder(world);
  const std::string path = folder.path() + "/kept";
  SimulationOptions options = SimulationOptions::inside_a_program();
  options.checkpoint = path;
  {
    Simulation first(world, settings, fluid());
    mark(first.particles(), first.add_particle_field("field", 3));
    first.run(60);
    first.save(path);
    first.run(60);
    Simulation second(world, settings, fluid(), options);
    // It is there before the program asks for it.
    second.run(60);
    CHECK(sum(world,
              are_marked(second.particles(), second.particle_fields().at("field")) ? 0 : 1) == 0);
    AddedField& field = second.add_particle_field("field", 3, 77.0);
    CHECK(sum(world, are_marked(second.particles(), field) ? 0 : 1) == 0);
    CHECK(test::fingerprint(world, second.particles(), second.box()) ==
          test::fingerprint(world, first.particles(), first.box()));
    CHECK(
        contains(refusal_of([&] { second.add_particle_field("field", 3); }), "\"field\" already"));
  }
  {
    Simulation third(world, settings, fluid(), options);
    CHECK(refusal_of([&] { third.add_particle_field("field", 2); }) ==
          "the particle field \"field\" of the checkpoint has 3 components, not 2");
  }
  for (const int fewer : {1, 2, world.size() - 1}) {
    const comm::Context part = world.split(world.rank() < fewer ? 0 : -1);
    if (part.valid() && fewer < world.size()) {
      Simulation simulation(part, settings, fluid(), options);
      AddedField& field = simulation.add_particle_field("field", 3);
      CHECK(sum(part, are_marked(simulation.particles(), field) ? 0 : 1) == 0);
      simulation.run(100);
      CHECK(sum(part, are_marked(simulation.particles(), field) ? 0 : 1) == 0);
    }
    comm::barrier(world);
  }
}

TEST_CASE("a simulation with changed settings takes the added fields over") {
  const comm::Context world;
  Simulation first(world, settings, fluid());
  mark(first.particles(), first.add_particle_field("field", 2));
  first.run(40);
  Box wider = first.box();
  wider.length = 1.02 * wider.length;
  Input input = first.input();
  Simulation second(world, input, first, wider);
  CHECK(sum(world, are_marked(second.particles(), second.particle_fields().at("field")) ? 0 : 1) ==
        0);
  second.run(80);
  CHECK(sum(world, are_marked(second.particles(), second.add_particle_field("field", 2)) ? 0 : 1) ==
        0);
}

TEST_CASE("particles that are tied to an added field swing around it") {
  const comm::Context world;
  // Without pair forces each particle is a harmonic oscillator of its own, and goes through many
  // ranks and images: the period is 19.9, the speed about 2.
  const std::string free = R"(
units = "reduced"
[run]
timestep = 0.01
[interaction]
cutoff = 1.0
[neighbor]
maximum_interval = 10
)";
  System gas = System::lattice({.cells = {4, 4, 4}, .density = 0.3, .temperature = 4.0});
  gas.types = {{.name = "A", .epsilon = 0.0}};
  Simulation simulation(world, free, gas);
  const std::vector<ParticleRecord> before = simulation.gather();
  const double stiffness = 0.1, omega = std::sqrt(stiffness);
  AddedField& anchor = simulation.add_particle_field("anchor", 3);
  for (std::size_t i = 0; i < simulation.particles().local_count(); ++i) {
    const Vec3 place = simulation.particles().position[i].vector();
    for (int axis = 0; axis < 3; ++axis) anchor.of(i)[static_cast<std::size_t>(axis)] = place[axis];
  }
  simulation.add(std::make_unique<Tether>(anchor, simulation.box(), stiffness));
  simulation.run(700);
  const std::vector<ParticleRecord> after = simulation.gather();
  double largest = 0.0, farthest = 0.0;
  for (std::size_t k = 0; k < after.size(); ++k) {
    const Image& image = after[k].image;
    const Vec3 found =
        after[k].position.vector() + simulation.box().translation(image.x, image.y, image.z);
    const Vec3 start = before[k].position.vector();
    const Vec3 expected =
        start + (std::sin(omega * simulation.time()) / omega) * before[k].velocity;
    const Vec3 error = found - expected, path = found - start;
    largest = std::max(largest, std::sqrt(dot(error, error)));
    farthest = std::max(farthest, std::sqrt(dot(path, path)));
  }
  // Velocity Verlet has another frequency, by omega^2 dt^2 / 24 of it.
  CHECK(largest < 1e-4);
  if (world.rank() == 0) CHECK(farthest > 5.0);
}

TEST_CASE("what a program gets wrong with fields is told on every rank") {
  const comm::Context world;
  Simulation simulation(world, settings, fluid());
  const auto refusal = [&](const std::string& name, int components = 1, double initial = 0.0) {
    return refusal_of([&] { simulation.add_particle_field(name, components, initial); });
  };
  CHECK(contains(refusal(""), "\"\" cannot be the name of a particle field; expected a letter"));
  CHECK(contains(refusal("my field"), "expected a letter, then letters, digits and '_'"));
  CHECK(contains(refusal("_x"), "cannot be the name"));
  CHECK(contains(refusal(std::string(65, 'x')), "at most 64 characters"));
  CHECK(refusal("velocity") ==
        "particles have their own \"velocity\": the added field needs another name");
  CHECK(contains(refusal("orientation"), "needs another name"));
  CHECK(refusal("x", 0) == "the particle field \"x\" has 0 components; expected 1 to 1000");
  CHECK(contains(refusal("x", 1001), "has 1001 components"));
  CHECK(contains(refusal("x", 1, std::nan("")), "begins with nan, which is not finite"));
  CHECK(refusal_of([&] { simulation.gather_field("x"); }) ==
        "there is no particle field \"x\": none was added");
  simulation.add_particle_field("charge");
  CHECK(contains(refusal("charge"), "an added field \"charge\" already"));
  CHECK(contains(refusal_of([&] { simulation.particle_fields().at("chrage"); }),
                 "did you mean \"charge\"?"));
  if (world.size() > 1) {
    CHECK(contains(refusal("x", world.rank() == 0 ? 1 : 2), "ranks add different particle fields"));
    CHECK(contains(refusal(world.rank() == 1 ? "a" : "b"), "ranks add different particle fields"));
  }
  simulation.run(5);
}
