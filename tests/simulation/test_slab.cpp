// Runs of a slab of liquid in its vapor with the planar correction beyond the cutoff.

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "md/output/checkpoint.hpp"
#include "simulation/simulation_support.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

const Vec3 edges{9.0, 8.5, 24.0};

/// A slab of liquid across z, 8 x 8 x 7 places on a lattice, each somewhat displaced.
std::vector<Vec3> places() {
  std::vector<Vec3> places;
  std::uint32_t state = 12345;
  const auto displacement = [&state] {
    state = state * 1664525u + 1013904223u;
    return 0.2 * (static_cast<double>(state >> 8) / 16777216.0 - 0.5);
  };
  for (int k = 0; k < 448; ++k) {
    const double x = (k % 8 + 0.5) * edges.x / 8, y = (k / 8 % 8 + 0.5) * edges.y / 8;
    const double z = 8.0 + k / 64 * 1.1;
    places.push_back({x + displacement(), y + displacement(), z + displacement()});
  }
  return places;
}

/// `[start]` of the slab, with the axis of its normal moved to `normal`. Collective.
std::string start_section(const comm::Context& context, const std::string& folder, int normal = 2) {
  const std::string path = fmt::format("{}/slab{}.extxyz", folder, normal);
  if (context.rank() == 0) {
    const auto turned = [normal](const Vec3& v) {
      Vec3 result;
      for (int axis = 0; axis < 3; ++axis) result[(axis + normal + 1) % 3] = v[axis];
      return result;
    };
    std::ofstream file(path);
    const Vec3 box = turned(edges);
    file << fmt::format("448\nLattice=\"{} 0 0 0 {} 0 0 0 {}\" Properties=species:S:1:pos:R:3\n",
                        box.x, box.y, box.z);
    for (const Vec3& place : places()) {
      const Vec3 p = turned(place);
      file << fmt::format("A {:.6f} {:.6f} {:.6f}\n", p.x, p.y, p.z);
    }
  }
  comm::barrier(context);
  return fmt::format("[start]\nkind = \"file\"\nfile = \"{}\"\n", path);
}

const std::string atoms = "[[type]]\nname = \"A\"\n";
/// Short, with sites that reach beside the cutoff.
const std::string rods = R"(
[[component]]
name = "A"
[[component.site]]
kind = "lennard_jones"
position = [0, 0, -0.2]
mass = 0.5
epsilon = 0.4
sigma = 0.9
[[component.site]]
kind = "lennard_jones"
position = [0, 0, 0.2]
mass = 0.5
epsilon = 0.4
sigma = 0.9
)";

std::string interaction(double cutoff, const std::string& correction) {
  return fmt::format("[interaction]\ncutoff = {}\ntruncation = \"truncated\"\n{}\n", cutoff,
                     correction);
}

const std::string planar = "tail_correction = \"planar\"\n";

std::string run_section(int steps, const std::string& more = "") {
  return fmt::format("[run]\nsteps = {}\ntimestep = 0.004\n{}", steps, more);
}

struct Result {
  double energy = 0.0;
  std::array<double, 3> pressure{};
  double surface_tension = 0.0;
};

/// Of the start, at rest; the cutoffs of the tests lie where the shells of this lattice are as an
/// even fluid would be. Every rank reads what the run has written.
Result at_start(const comm::Context& context, const std::string& folder, const std::string& text,
                char normal = 'z') {
  const Input input = test::input_of(
      folder, "start",
      run_section(0) + text +
          fmt::format("[pressure_tensor]\ninterval = 1\nsurface_normal = \"{}\"\n", normal));
  Result result;
  {
    Simulation simulation(context, input, {.quiet = true});
    simulation.run();
    result.energy = simulation.last_state().potential_energy;
  }
  comm::barrier(context);
  std::ifstream file(folder + "/start.pressure_tensor.txt");
  std::map<std::string, double> values;
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string name;
    double mean = 0.0;
    words >> name >> mean;
    values[name] = mean;
  }
  result.pressure = {values.at("pressure_xx"), values.at("pressure_yy"), values.at("pressure_zz")};
  result.surface_tension = values.at("surface_tension");
  comm::barrier(context);
  return result;
}

/// All pairs with all images that are nearer than 40.
Result by_direct_sum() {
  const std::vector<Vec3> at = places();
  const double farthest = 40.0;
  Result result;
  Vec3 virial;
  for (std::size_t i = 0; i < at.size(); ++i) {
    for (std::size_t j = 0; j < at.size(); ++j) {
      for (int a = -5; a <= 5; ++a) {
        for (int b = -5; b <= 5; ++b) {
          for (int c = -2; c <= 2; ++c) {
            if (i == j && a == 0 && b == 0 && c == 0) continue;
            const Vec3 d{at[j].x - at[i].x + a * edges.x, at[j].y - at[i].y + b * edges.y,
                         at[j].z - at[i].z + c * edges.z};
            const double r2 = dot(d, d);
            if (r2 > farthest * farthest) continue;
            const double s6 = 1.0 / (r2 * r2 * r2);
            result.energy += 2.0 * s6 * (s6 - 1.0);
            const double force = 12.0 * s6 * (2.0 * s6 - 1.0) / r2;
            for (int axis = 0; axis < 3; ++axis) virial[axis] += force * d[axis] * d[axis];
          }
        }
      }
    }
  }
  const double volume = edges.x * edges.y * edges.z;
  for (int axis = 0; axis < 3; ++axis) {
    result.pressure[static_cast<std::size_t>(axis)] = virial[axis] / volume;
  }
  result.surface_tension =
      0.5 * edges.z * (result.pressure[2] - 0.5 * (result.pressure[0] + result.pressure[1]));
  return result;
}

}  // namespace

TEST_CASE("a slab that is cut off and corrected is the one that is not cut off") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const std::string start = start_section(world, output.path());
  const Result cut = at_start(world, output.path(), start + atoms + interaction(2.5, ""));
  const Result corrected = at_start(world, output.path(), start + atoms + interaction(2.5, planar));
  const Result whole = by_direct_sum();
  const auto left = [&](double of_cut, double of_corrected, double of_whole) {
    return std::fabs((of_whole - of_corrected) / (of_whole - of_cut));
  };
  CHECK(whole.energy < cut.energy - 50.0);
  CHECK(left(cut.energy, corrected.energy, whole.energy) < 0.05);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    CHECK(left(cut.pressure[axis], corrected.pressure[axis], whole.pressure[axis]) < 0.1);
  }
  CHECK(std::fabs(whole.surface_tension - cut.surface_tension) > 0.2);
  CHECK(left(cut.surface_tension, corrected.surface_tension, whole.surface_tension) < 0.1);
}

TEST_CASE("molecules with a short cutoff and the correction are those with a long one") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const std::string start = start_section(world, output.path()) + rods;
  const comm::Context alone = world.split(world.rank() == 0 ? 0 : -1);
  const Result cut = at_start(world, output.path(), start + interaction(3.0, ""));
  const Result corrected = at_start(world, output.path(), start + interaction(3.0, planar));
  if (!alone.valid()) return;
  const Result far = at_start(alone, output.path(), start + interaction(7.0, planar));
  CHECK(std::fabs(far.energy - corrected.energy) < 0.05 * std::fabs(far.energy - cut.energy));
  CHECK(std::fabs(far.surface_tension - corrected.surface_tension) <
        0.1 * std::fabs(far.surface_tension - cut.surface_tension));
}

TEST_CASE("the normal is the axis that the input says") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const Result along_z = at_start(
      world, output.path(), start_section(world, output.path()) + atoms + interaction(2.5, planar));
  for (const char normal : {'x', 'y'}) {
    const int axis = normal - 'x';
    const std::string keys =
        planar + fmt::format("tail_normal = \"{}\"\ntail_slabs = 96\n", normal);
    const Result turned = at_start(
        world, output.path(),
        start_section(world, output.path(), axis) + atoms + interaction(2.5, keys), normal);
    CHECK(turned.energy == doctest::Approx(along_z.energy).epsilon(1e-10));
    CHECK(turned.surface_tension == doctest::Approx(along_z.surface_tension).epsilon(1e-8));
  }
}

TEST_CASE("a uniform liquid has the homogeneous correction") {
  const comm::Context world;
  const test::SharedFolder output(world);
  for (const std::string& particles : {atoms, rods}) {
    const std::string start =
        "[start]\nkind = \"lattice\"\nlattice = \"fcc\"\ncells = [5, 5, 5]\ndensity = 0.6\n" +
        particles;
    const auto with = [&](const std::string& kind) {
      return at_start(world, output.path(),
                      start + interaction(2.5, "tail_correction = \"" + kind + "\"\n" +
                                                   (kind == "planar" ? "tail_slabs = 10\n" : "")));
    };
    const Result cut = with("none"), homogeneous = with("homogeneous"), layers = with("planar");
    CHECK(homogeneous.energy < cut.energy);
    CHECK(layers.energy - cut.energy ==
          doctest::Approx(homogeneous.energy - cut.energy).epsilon(1e-6));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      CHECK(layers.pressure[axis] - cut.pressure[axis] ==
            doctest::Approx(homogeneous.pressure[axis] - cut.pressure[axis]).epsilon(1e-6));
    }
  }
}

TEST_CASE("a slab keeps its energy, moves alike on any ranks and goes on from a checkpoint") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const comm::Context alone = world.split(world.rank() == 0 ? 0 : -1);
  const std::string start = start_section(world, output.path()) + "temperature = 0.7\n";
  for (const std::string& particles : {atoms, rods}) {
    // Regions that are cut by measured time are not cut alike after the checkpoint.
    const std::string text = start + particles + interaction(2.5, planar) +
                             "[domain]\nweights = \"neighbors\"\n"
                             "[neighbor]\nmaximum_interval = 20\n";
    ThermodynamicState expected;
    if (alone.valid()) {
      Simulation reference(alone, test::input_of(output.path(), "single", run_section(20) + text),
                           {.quiet = true});
      reference.run();
      expected = reference.last_state();
    }
    const Input input = test::input_of(output.path(), "slab", run_section(150) + text);
    std::int64_t whole = 0;
    ThermodynamicState first, end;
    {
      Simulation simulation(world, input, {.quiet = true});
      simulation.on_step([&](std::int64_t step) {
        if (step == 20) first = simulation.last_state();
      });
      simulation.run();
      whole = test::fingerprint(world, simulation.particles(), simulation.box());
      end = simulation.last_state();
    }
    if (alone.valid()) {
      CHECK(std::fabs(first.potential_energy - expected.potential_energy) <
            1e-10 * expected.kinetic_energy);
      CHECK(std::fabs(first.virial - expected.virial) < 1e-9 * expected.kinetic_energy);
    }
    CHECK(std::fabs(end.total_energy - first.total_energy) < 0.01 * first.kinetic_energy);
    CHECK(std::fabs(end.momentum[2]) < 0.01 * 448);
    comm::barrier(world);
    if (world.rank() == 0) std::filesystem::remove(checkpoint_path(output.path() + "/slab"));
    comm::barrier(world);
    Simulation simulation(world, input, {.resume = true, .quiet = true});
    CHECK(simulation.step_number() >= 40);
    CHECK(simulation.step_number() < 150);
    simulation.run();
    CHECK(test::fingerprint(world, simulation.particles(), simulation.box()) == whole);
    CHECK(simulation.last_state().total_energy == end.total_energy);
  }
}
