// Molecules that constraints make rigid: they move as rigid components do, and in the limit of small
// steps as by SHAKE.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "simulation/constrained_system.hpp"

using namespace sterna;
using namespace sterna::md;
using namespace sterna::md::test::constrained;

namespace {

struct Site {
  Vec3 place;
  double mass;
};

/// Their axes are principal ones, the moments ascend, the center of mass is 0: so the steps of a
/// component are split alike.
struct Model {
  std::string name;
  std::vector<Site> sites;
  int degrees_of_freedom;
};
const Model models[] = {
    {"bent", {{{0, 0.1, 0}, 8.0}, {{0.5, -0.4, 0}, 1.0}, {{-0.5, -0.4, 0}, 1.0}}, 6},
    {"line", {{{0.6, 0, 0}, 1.0}, {{0, 0, 0}, 3.0}, {{-0.6, 0, 0}, 1.0}}, 5},
    {"pyramid",
     {{{0.7, 0, 0.2}, 2.0}, {{-0.7, 0, 0.2}, 2.0}, {{0, 0.6, -0.4}, 1.0}, {{0, -0.6, -0.4}, 1.0}},
     6}};

double size(const Vec3& v) {
  return std::sqrt(dot(v, v));
}

constexpr int cells = 4;
constexpr double apart = 2.0;

/// 64 molecules in random directions at rest, as components and as atoms.
struct Both {
  System::Particles components, atoms;
  std::string component_text, molecule_text;
};
Both both_of(const comm::Context& world, const Model& model) {
  Both both;
  std::mt19937_64 engine(5);
  std::normal_distribution<double> normal;
  for (int k = 0; k < cells * cells * cells && world.rank() == 0; ++k) {
    const Vec3 at =
        apart * Vec3{k % cells + 0.5, k / cells % cells + 0.5, k / (cells * cells) + 0.5};
    const double w = normal(engine), x = normal(engine), y = normal(engine), z = normal(engine);
    const Quaternion turned = Quaternion{w, x, y, z}.normalized();
    both.components.position.push_back(at);
    both.components.orientation.push_back(turned);
    for (std::size_t site = 0; site < model.sites.size(); ++site) {
      both.atoms.position.push_back(at + turned.to_lab(model.sites[site].place));
      both.atoms.type.push_back(static_cast<int>(site));
    }
  }
  both.component_text =
      fmt::format("molecular_cutoff = \"site\"\n[[component]]\nname = \"{}\"\n", model.name);
  both.molecule_text =
      fmt::format("[[molecule]]\nname = \"{}\"\ncount = {}\n", model.name, cells * cells * cells);
  std::string atoms, constraints, exclusions;
  for (std::size_t a = 0; a < model.sites.size(); ++a) {
    const Vec3& place = model.sites[a].place;
    both.component_text += fmt::format(
        "[[component.site]]\nkind = \"lennard_jones\"\nmass = {}\nepsilon = 1\nsigma = 1\n"
        "position = [{}, {}, {}]\n",
        model.sites[a].mass, place.x, place.y, place.z);
    atoms += fmt::format("{{ type = \"T{}\" }}, ", a);
    for (std::size_t b = 0; b < a; ++b) {
      constraints += fmt::format("[[molecule.constraint]]\ndistance = {:.17g}\natoms = [{}, {}]\n",
                                 size(place - model.sites[b].place), b + 1, a + 1);
      exclusions += fmt::format("[{}, {}], ", b + 1, a + 1);
    }
  }
  both.molecule_text += fmt::format("atom = [{}]\n{}[[molecule.exclusion]]\natoms = [{}]\n", atoms,
                                    constraints, exclusions);
  return both;
}

System atom_system(const Both& both, const Model& model, const Box& box) {
  System system = System::from_particles(box, both.atoms);
  for (std::size_t site = 0; site < model.sites.size(); ++site) {
    system.types.push_back({.name = fmt::format("T{}", site), .mass = model.sites[site].mass});
  }
  return system;
}

const Box cube{{cells * apart, cells* apart, cells* apart}};
constexpr const char* run_text =
    "units = \"reduced\"\n[run]\ntimestep = 0.001\n[interaction]\ncutoff = 2.5\ntruncation = "
    "\"shifted\"\n";

}  // namespace

TEST_CASE("molecules that constraints make rigid move as rigid components") {
  const comm::Context world;
  for (const Model& model : models) {
    INFO(model.name);
    const Both both = both_of(world, model);
    Simulation expected(world, run_text + both.component_text,
                        System::from_particles(cube, both.components));
    Simulation simulation(world, run_text + both.molecule_text, atom_system(both, model, cube));
    for (const int steps : {0, 100, 400}) {
      expected.run(steps);
      simulation.run(steps);
      CAPTURE(steps);
      const ThermodynamicState &is = simulation.last_state(), &wanted = expected.last_state();
      CHECK(is.potential_energy == doctest::Approx(wanted.potential_energy).epsilon(1e-9));
      CHECK(is.kinetic_energy == doctest::Approx(wanted.kinetic_energy).epsilon(1e-9));
      // The virial of a component is that between centers: the kinetic part makes up for it.
      CHECK(is.pressure == doctest::Approx(wanted.pressure).epsilon(steps == 0 ? 1e-9 : 0.05));
      CHECK(is.temperature == doctest::Approx(wanted.temperature).epsilon(1e-9));
    }

    double mass = 0.0;
    for (const Site& site : model.sites) mass += site.mass;
    const auto count = static_cast<std::int64_t>(model.sites.size());
    std::map<std::int64_t, Vec3> atoms;
    for (const ParticleRecord& atom : simulation.gather(0)) {
      atoms[atom.id] = atom.position.vector();
    }
    for (const ParticleRecord& body : expected.gather(0)) {
      const Vec3 at = body.position.vector();
      Vec3 sum;
      for (std::int64_t k = 0; k < count; ++k) {
        const Vec3 arm = cube.nearest_image(atoms.at((body.id - 1) * count + k + 1) - at);
        sum += (model.sites[static_cast<std::size_t>(k)].mass / mass) * arm;
        const Vec3 wanted = body.orientation.to_lab(model.sites[static_cast<std::size_t>(k)].place);
        REQUIRE(size(arm - wanted) < 1e-7);
      }
      REQUIRE(size(sum) < 1e-7);
    }
  }
}

TEST_CASE(
    "rotors and SHAKE have the same energies and virial, and small steps bring them together") {
  const comm::Context world;
  const test::SharedFolder output(world);
  double apart_by[2] = {};
  for (const int halved : {0, 1}) {
    const int steps = 20 << halved;
    std::map<std::int64_t, ParticleRecord> atoms[2];
    double potential[2], virial[2];
    for (const int k : {0, 1}) {
      Input input = input_of(world, output.path(), 0, 0.08 / steps);
      input.run.constraint_algorithm =
          k == 0 ? ConstraintAlgorithm::automatic : ConstraintAlgorithm::shake;
      input.run.constraint_tolerance = 1e-12;
      Simulation simulation(world, input, {.quiet = true, .files = false});
      simulation.run(0);
      potential[k] = simulation.last_state().potential_energy;
      for (const auto& term : simulation.last_state().terms) {
        if (term.name == "constraints") virial[k] = term.virial;
      }
      simulation.run(steps);
      atoms[k] = particles_by_id(simulation);
      CHECK(violation(simulation).first < 2e-12);
    }
    CHECK(potential[0] == doctest::Approx(potential[1]).epsilon(1e-9));
    CHECK(virial[0] == doctest::Approx(virial[1]).epsilon(1e-6));
    double sum = 0.0;
    for (const auto& [id, atom] : atoms[0]) {
      const Vec3 d = Box{{length, length, height}}.nearest_image(atom.position.vector() -
                                                                 atoms[1].at(id).position.vector());
      sum += dot(d, d);
    }
    apart_by[halved] = std::sqrt(sum);
  }
  if (world.rank() > 0) return;
  CHECK(apart_by[0] > 1e-6);
  CHECK(apart_by[0] / apart_by[1] == doctest::Approx(4.0).epsilon(0.2));
}

TEST_CASE("atoms in a line have the temperature that is asked for, in five degrees of freedom") {
  const comm::Context world;
  const Model& model = models[1];
  const Both both = both_of(world, model);
  const std::string thermostat =
      "[[thermostat]]\nkind = \"langevin\"\ntemperature = 1.3\ntime_constant = 0.05\n";
  Simulation simulation(world, run_text + thermostat + both.molecule_text,
                        atom_system(both, model, cube));
  simulation.run(100);
  double energy = 0.0, temperature = 0.0;
  constexpr int samples = 50;
  for (int k = 0; k < samples; ++k) {
    simulation.run(10);
    energy += simulation.last_state().kinetic_energy / samples;
    temperature += simulation.last_state().temperature / samples;
  }
  CHECK(temperature == doctest::Approx(1.3).epsilon(0.05));
  CHECK(energy == doctest::Approx(0.5 * 5 * 64 * 1.3).epsilon(0.05));
}

TEST_CASE("a start that violates constraints is put right, atoms on either side of the mirror") {
  const comm::Context world;
  const Model& model = models[2];
  Both both = both_of(world, model);
  const std::size_t count = model.sites.size();
  for (std::size_t k = 0; k < both.atoms.position.size(); ++k) {
    // Every second molecule becomes its mirror image; all are stretched.
    Vec3& at = both.atoms.position[k];
    const Vec3 center = both.components.position[k / count];
    at = center + 1.01 * (at - center);
    if (k / count % 2 == 1) at.z = 2.0 * center.z - at.z;
  }
  Simulation simulation(world, run_text + both.molecule_text, atom_system(both, model, cube));
  simulation.run(20);
  std::map<std::int64_t, Vec3> atoms;
  for (const ParticleRecord& atom : simulation.gather(0)) atoms[atom.id] = atom.position.vector();
  for (std::size_t k = 0; k < atoms.size(); k += count) {
    const auto at = [&](std::size_t site) {
      return atoms.at(static_cast<std::int64_t>(k + site + 1));
    };
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const Vec3 d = cube.nearest_image(at(a) - at(b));
        REQUIRE(std::abs(size(d) - size(model.sites[a].place - model.sites[b].place)) < 1e-13);
      }
    }
  }
}
