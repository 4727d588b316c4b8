// Triclinic boxes: lattices that orthorhombic boxes describe as well, and those that none does.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "md/forces/coulomb/ewald.hpp"
#include "md/output/checkpoint.hpp"
#include "simulation/simulation_support.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

struct Atom {
  Vec3 position;
  bool cation;
};

/// A cubic lattice of alternating ions, nearest neighbors 1 apart, each displaced by a normal
/// distribution of width `disorder`.
std::vector<Atom> rock_salt(int edge, double disorder) {
  std::mt19937_64 engine(3);
  std::normal_distribution<double> normal;
  std::vector<Atom> atoms;
  for (int z = 0; z < edge; ++z)
    for (int y = 0; y < edge; ++y)
      for (int x = 0; x < edge; ++x) {
        const double dx = normal(engine), dy = normal(engine), dz = normal(engine);
        atoms.push_back(
            {Vec3{x + 0.3, y + 0.3, z + 0.3} + disorder * Vec3{dx, dy, dz}, (x + y + z) % 2 == 0});
      }
  return atoms;
}

void write(const comm::Context& world, const std::string& path, const std::vector<Atom>& atoms,
           const Box& box) {
  if (world.rank() == 0) {
    std::ofstream out(path);
    out << fmt::format("{}\nLattice=\"{} 0 0 {} {} 0 {} {} {}\" Properties=species:S:1:pos:R:3\n",
                       atoms.size(), box.length.x, box.tilt.xy, box.length.y, box.tilt.xz,
                       box.tilt.yz, box.length.z);
    for (const Atom& atom : atoms) {
      const Vec3& p = atom.position;
      out << fmt::format("{} {} {} {}\n", atom.cation ? "C" : "A", p.x, p.y, p.z);
    }
  }
  comm::barrier(world);
}

struct Run {
  std::string name = "triclinic";
  std::int64_t steps = 0;
  double cutoff = 2.5, charge = 0.0;
  std::string more = {};
};

Input input_of(const std::string& folder, const std::string& file, const Run& run) {
  const auto type = [&](const char* name, double sigma, double charge) {
    return fmt::format("[[type]]\nname = \"{}\"\nsigma = {}\n{}", name, sigma,
                       charge == 0.0 ? "" : fmt::format("epsilon = 0\ncharge = {}\n", charge));
  };
  return test::input_of(
      folder, run.name,
      fmt::format("[run]\nsteps = {}\ntimestep = 0.002\n[start]\nkind = \"file\"\nfile = \"{}\"\n"
                  "temperature = 0.5\n{}{}[interaction]\ncutoff = {}\ntruncation = "
                  "\"force_shifted\"\n[neighbor]\nskin = 0.3\n{}",
                  run.steps, file, type("C", 0.9, run.charge), type("A", 0.95, -run.charge),
                  run.cutoff, run.more));
}

struct EndState {
  ThermodynamicState state;
  std::vector<double> forces;  ///< by id
};

EndState outcome_of(const comm::Context& world, const Input& input, std::size_t count) {
  Simulation simulation(world, input, {.quiet = true});
  simulation.run();
  EndState outcome{simulation.last_state(), std::vector<double>(3 * count, 0.0)};
  const ParticleStore& particles = simulation.particles();
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      outcome.forces[3 * static_cast<std::size_t>(particles.id[i] - 1) +
                     static_cast<std::size_t>(axis)] = particles.force[i][axis];
    }
  }
  comm::ReductionBatch(world, "test").sum(outcome.forces.data(), outcome.forces.size()).run();
  return outcome;
}

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0, size = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return std::sqrt(sum / size);
}

/// The same lattice as a cube of this edge.
std::vector<Box> boxes_of_cube(double edge) {
  return {{{edge, edge, edge}},
          {{edge, edge, edge}, {edge, 0.0, 0.0}},
          {{edge, edge, edge}, {0.0, -edge, edge}},
          {{edge, edge, edge}, {-edge, edge, 2.0 * edge}}};
}

const Box kSkewed{{12.0, 11.0, 13.0}, {4.0, -3.0, 5.0}};

/// Places on a lattice in fractions of the edges.
std::vector<Atom> in_skewed_box(const Box& box, int edge, double disorder) {
  std::vector<Atom> atoms = rock_salt(edge, disorder);
  for (Atom& atom : atoms) {
    const Vec3 f = atom.position * (1.0 / edge);
    atom.position = box.translation(f.x, f.y, f.z);
  }
  return atoms;
}

}  // namespace

TEST_CASE("one crystal in boxes of several shapes has the same energy, virial and forces") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const std::string file = output.path() + "/crystal.extxyz";
  const auto atoms = rock_salt(10, 0.08);
  EndState cube;
  for (const Box& box : boxes_of_cube(10.0)) {
    CAPTURE(box.tilt.xy);
    CAPTURE(box.tilt.xz);
    write(world, file, atoms, box);
    for (const std::string domain :
         {"decomposition = \"grid\"\n", "decomposition = \"grid\"\nhalo_route = \"staged\"\n",
          "decomposition = \"bisection\"\n", "decomposition = \"sampling\"\n"}) {
      CAPTURE(domain);
      const EndState outcome = outcome_of(
          world, input_of(output.path(), file, {.more = "[domain]\n" + domain}), atoms.size());
      if (cube.forces.empty()) cube = outcome;
      CHECK(outcome.state.potential_energy ==
            doctest::Approx(cube.state.potential_energy).epsilon(1e-12));
      CHECK(outcome.state.virial == doctest::Approx(cube.state.virial).epsilon(1e-12));
      CHECK(difference(outcome.forces, cube.forces) < 1e-11);
    }
  }
}

TEST_CASE("in a skewed box forces are those of brute force, however many ranks there are") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const std::string file = output.path() + "/skewed.extxyz";
  const auto atoms = in_skewed_box(kSkewed, 8, 0.06);
  write(world, file, atoms, kSkewed);
  const double cutoff = 2.5;
  std::vector<double> expected;
  double energy = 0.0;
  for (const Atom& a : atoms) {
    Vec3 force;
    for (const Atom& b : atoms) {
      const double sigma = 0.5 * ((a.cation ? 0.9 : 0.95) + (b.cation ? 0.9 : 0.95));
      const auto slope = [&](double r) {  // -du/dr
        const double s6 = std::pow(sigma / r, 6);
        return 24.0 * (2.0 * s6 * s6 - s6) / r;
      };
      const auto potential = [&](double r) {
        const double s6 = std::pow(sigma / r, 6);
        return 4.0 * (s6 * s6 - s6);
      };
      for (int i = -1; i <= 1; ++i)
        for (int j = -1; j <= 1; ++j)
          for (int k = -1; k <= 1; ++k) {
            const Vec3 d = a.position - b.position - kSkewed.translation(i, j, k);
            const double r = std::sqrt(dot(d, d));
            if (r == 0.0 || r >= cutoff) continue;
            force += ((slope(r) - slope(cutoff)) / r) * d;
            energy += 0.5 * (potential(r) - potential(cutoff) + (r - cutoff) * slope(cutoff));
          }
    }
    for (int axis = 0; axis < 3; ++axis) expected.push_back(force[axis]);
  }
  const EndState outcome = outcome_of(world, input_of(output.path(), file, {}), atoms.size());
  CHECK(outcome.state.potential_energy == doctest::Approx(energy).epsilon(1e-12));
  CHECK(difference(outcome.forces, expected) < 1e-11);
}

TEST_CASE("NIST's third triclinic configuration of the Lennard-Jones fluid") {
  // Published beside NIST's Monte Carlo program FEASST, in more digits than by the reference
  // calculations for non-cuboid cells.
  const comm::Context world;
  const test::SharedFolder output(world);
  for (const std::string halo : {"direct", "staged"}) {
    CAPTURE(halo);
    const Input input = test::input_of(
        output.path(), "nist",
        fmt::format("[run]\nsteps = 0\ntimestep = 0.001\n[start]\nkind = \"file\"\nfile = \"{}\"\n"
                    "[[type]]\nname = \"A\"\n[interaction]\ncutoff = 3\ntruncation = "
                    "\"truncated\"\ntail_correction = true\n[domain]\nhalo_route = \"{}\"\n",
                    STERNA_SOURCE_DIR "/tests/data/nist_lj_triclinic_3.extxyz", halo));
    Simulation simulation(world, input, {.quiet = true});
    simulation.run();
    CHECK(simulation.last_state().pair_energy ==
          doctest::Approx(-505.78567945268367).epsilon(1e-13));
    CHECK(simulation.tail_correction().energy ==
          doctest::Approx(-29.37186430697248).epsilon(1e-13));
  }
}

TEST_CASE("a run in a skewed box keeps its energy, and its bits from checkpoint to checkpoint") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const std::string file = output.path() + "/skewed.extxyz";
  const auto atoms = in_skewed_box(kSkewed, 10, 0.02);
  write(world, file, atoms, kSkewed);
  const Input input = input_of(output.path(), file,
                               {.steps = 150,
                                .more = "maximum_interval = 20\n[domain]\n"
                                        "decomposition = \"grid\"\n"});
  std::int64_t whole = 0;
  {
    Simulation simulation(world, input, {.quiet = true});
    double first = 0.0;
    simulation.on_step([&](std::int64_t step) {
      if (step == 10) first = simulation.last_state().total_energy;
    });
    simulation.run();
    CHECK(simulation.box() == kSkewed);
    whole = test::fingerprint(world, simulation.particles(), simulation.box());
    const ThermodynamicState& end = simulation.last_state();
    CHECK(std::abs(end.total_energy - first) < 0.002 * end.kinetic_energy);
  }
  comm::barrier(world);
  if (world.rank() == 0) std::filesystem::remove(checkpoint_path(output.path() + "/triclinic"));
  comm::barrier(world);
  Simulation simulation(world, input, {.resume = true, .quiet = true});
  CHECK(simulation.step_number() >= 40);
  CHECK(simulation.step_number() < 150);
  CHECK(simulation.box() == kSkewed);
  simulation.run();
  CHECK(test::fingerprint(world, simulation.particles(), simulation.box()) == whole);
}

TEST_CASE("a barostat keeps the shape of a skewed box") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const std::string file = output.path() + "/skewed.extxyz";
  const auto atoms = in_skewed_box(kSkewed, 10, 0.02);
  write(world, file, atoms, kSkewed);
  const Input input = input_of(
      output.path(), file,
      {.steps = 40,
       .more = "[thermostat]\nkind = \"stochastic_velocity_rescaling\"\ntemperature = 0.5\n"
               "time_constant = 0.1\n[barostat]\nkind = \"stochastic_cell_rescaling\"\n"
               "pressure = 5.0\nbulk_modulus = 30.0\ntime_constant = 0.5\n"});
  Simulation simulation(world, input, {.quiet = true});
  simulation.run();
  const Box& box = simulation.box();
  const double scale = box.length.x / kSkewed.length.x;
  CHECK(std::abs(scale - 1.0) > 1e-5);
  CHECK(box.length.z == doctest::Approx(scale * kSkewed.length.z).epsilon(1e-12));
  CHECK(box.tilt.xy == doctest::Approx(scale * kSkewed.tilt.xy).epsilon(1e-12));
  CHECK(box.tilt.xz == doctest::Approx(scale * kSkewed.tilt.xz).epsilon(1e-12));
  CHECK(box.tilt.yz == doctest::Approx(scale * kSkewed.tilt.yz).epsilon(1e-12));
}

TEST_CASE("salt in triclinic boxes: Madelung's energy by Ewald sums") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const std::string file = output.path() + "/salt.extxyz";
  // The primitive cell's edges (0, 1, 1), (1, 0, 1), (1, 1, 0), turned, each three times as long.
  const double edge = 3.0 * std::sqrt(2.0);
  const Box box{{edge, edge * std::sqrt(3.0) / 2.0, edge * std::sqrt(2.0 / 3.0)},
                {edge / 2.0, edge / 2.0, edge / (2.0 * std::sqrt(3.0))}};
  std::vector<Atom> atoms;
  for (int i = 0; i < 27; ++i) {
    const Vec3 corner =
        box.translation((i % 3 + 0.1) / 3.0, (i / 3 % 3 + 0.2) / 3.0, (i / 9 + 0.3) / 3.0);
    atoms.push_back({corner, true});
    // The anion is half of the cell's diagonal away.
    atoms.push_back({corner + box.translation(0.5 / 3.0, 0.5 / 3.0, 0.5 / 3.0), false});
  }
  write(world, file, atoms, box);
  const Input input = input_of(output.path(), file,
                               {.cutoff = 0.1,
                                .charge = 1.0,
                                .more = "[electrostatics]\nkind = \"ewald\"\n"
                                        "accuracy = 1e-8\n"});
  Simulation simulation(world, input, {.quiet = true});
  simulation.run();
  // Madelung's constant, OEIS A085469.
  CHECK(simulation.last_state().pair_energy / 27 ==
        doctest::Approx(-1.7475645946331822).epsilon(1e-7));
  CHECK(simulation.last_state().virial ==
        doctest::Approx(simulation.last_state().pair_energy).epsilon(1e-9));
}

TEST_CASE("rigid molecules in boxes of several shapes have the same energy, forces and torques") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const std::string file = output.path() + "/molecules.extxyz";
  const auto atoms = rock_salt(6, 0.05);
  const double edge = 1.2 * 6;
  std::vector<double> first;
  for (const Box& box : boxes_of_cube(edge)) {
    CAPTURE(box.tilt.xy);
    CAPTURE(box.tilt.xz);
    if (world.rank() == 0) {
      std::mt19937_64 engine(11);
      std::normal_distribution<double> normal;
      std::ofstream out(file);
      out << fmt::format(
          "{}\nLattice=\"{} 0 0 {} {} 0 {} {} {}\" Properties=species:S:1:pos:R:3:orient:R:4\n",
          atoms.size(), box.length.x, box.tilt.xy, box.length.y, box.tilt.xz, box.tilt.yz,
          box.length.z);
      for (const Atom& atom : atoms) {
        const double a = normal(engine), b = normal(engine), c = normal(engine);
        const Quaternion q = Quaternion{a, b, c, normal(engine)}.normalized();
        const Vec3 p = 1.2 * atom.position;
        out << fmt::format("D {} {} {} {} {} {} {}\n", p.x, p.y, p.z, q.w, q.x, q.y, q.z);
      }
    }
    comm::barrier(world);
    const auto site = [](const char* kind, double z, const std::string& more) {
      return fmt::format("[[component.site]]\nkind = \"{}\"\nposition = [0, 0, {}]\n{}\n", kind, z,
                         more);
    };
    const Input input = test::input_of(
        output.path(), "molecules",
        fmt::format("[run]\nsteps = 0\ntimestep = 0.001\n[start]\nkind = \"file\"\nfile = "
                    "\"{}\"\n[[component]]\n"
                    "name = \"D\"\n{}{}{}{}[interaction]\ncutoff = 2.5\n[electrostatics]\n"
                    "kind = \"ewald\"\naccuracy = 1e-8\n",
                    file, site("lennard_jones", 0.15, "mass = 1\nepsilon = 1\nsigma = 0.7"),
                    site("lennard_jones", -0.15, "mass = 1\nepsilon = 1\nsigma = 0.7"),
                    site("charge", 0.2, "charge = 0.8"), site("charge", -0.2, "charge = -0.8")));
    Simulation simulation(world, input, {.quiet = true});
    simulation.run();
    std::vector<double> values(6 * atoms.size() + 2, 0.0);
    const ParticleStore& particles = simulation.particles();
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      double* of_id = values.data() + 6 * (particles.id[i] - 1);
      for (int axis = 0; axis < 3; ++axis) {
        of_id[axis] = particles.force[i][axis];
        of_id[3 + axis] = particles.torque[i][axis];
      }
    }
    comm::ReductionBatch(world, "test").sum(values.data(), values.size()).run();
    values[values.size() - 2] = simulation.last_state().potential_energy;
    values.back() = simulation.last_state().virial;
    if (first.empty()) first = values;
    // Ewald sums of other lattice vectors are cut off elsewhere.
    CHECK(difference(values, first) < 1e-6);
  }
}

TEST_CASE("disordered salt in skewed boxes: the multipole method keeps its accuracy") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const std::string file = output.path() + "/salt.extxyz";
  // The last two are a hexagonal prism's and, about, a rhombic dodecahedron's.
  for (const Box& box : {Box{{8.0, 8.0, 8.0}, {1.6, -1.2, 1.5}}, Box{{8.6, 7.5, 8.0}, {4.3, 0, 0}},
                         Box{{9.0, 7.8, 7.3}, {4.5, 4.5, 2.6}}}) {
    CAPTURE(box.tilt.xy);
    const auto atoms = in_skewed_box(box, 8, 0.08);
    write(world, file, atoms, box);
    std::vector<Vec3> positions;
    std::vector<double> charges;
    std::vector<std::int32_t> molecules;
    for (const Atom& atom : atoms) {
      molecules.push_back(static_cast<std::int32_t>(positions.size()));
      positions.push_back(atom.position);
      charges.push_back(atom.cation ? 1.0 : -1.0);
    }
    const Lattice lattice = Lattice::of(box);
    const auto exact = EwaldSolver(lattice, EwaldSolver::parameters(lattice, 1e-12, charges.size()))
                           .solve({positions, charges, molecules});
    std::vector<double> expected;
    for (const Vec3& force : exact.forces) {
      for (int axis = 0; axis < 3; ++axis) expected.push_back(force[axis]);
    }
    for (const double accuracy : {1e-3, 1e-5}) {
      CAPTURE(accuracy);
      const EndState outcome = outcome_of(
          world,
          input_of(
              output.path(), file,
              {.cutoff = 0.1,
               .charge = 1.0,
               .more = fmt::format("[electrostatics]\nkind = \"fmm\"\naccuracy = {}\n", accuracy)}),
          atoms.size());
      CHECK(outcome.state.pair_energy == doctest::Approx(exact.energy).epsilon(accuracy));
      CHECK(outcome.state.virial == doctest::Approx(outcome.state.pair_energy).epsilon(1e-9));
      CHECK(difference(outcome.forces, expected) < accuracy);
    }
  }
}

TEST_CASE("what a triclinic box does not allow is said before the run") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const std::string file = output.path() + "/skewed.extxyz";
  const Box oblique{{12.0, 11.0, 13.0}, {6.0, 6.0, 5.5}};
  const auto atoms = in_skewed_box(oblique, 8, 0.02);
  write(world, file, atoms, oblique);
  const auto refused = [&](double charge, const std::string& more, const char* message) {
    CAPTURE(more);
    const Input input =
        input_of(output.path(), file, {.cutoff = 2.5, .charge = charge, .more = more});
    CHECK_THROWS_WITH(Simulation(world, input, {.quiet = true}), doctest::Contains(message));
  };
  refused(0.0, "[profile]\ninterval = 10\naxis = \"x\"\n", "xy and xz must be 0");
  refused(0.0, "[profile]\ninterval = 10\naxis = \"y\"\n", "yz must be 0");
  refused(0.0, "[pressure_tensor]\ninterval = 10\nsurface_normal = \"y\"\n", "yz must be 0");
  refused(0.0,
          "[[thermostat]]\nkind = \"langevin\"\ntemperature = 1.0\ntime_constant = 1.0\n"
          "lower = [0, 0, 0]\nupper = [2, 2, 2]\n",
          "needs an orthorhombic box");
  for (const char* key : {"smoothing = 0.1", "levels = 2", "surroundings = \"open\""}) {
    refused(1.0, fmt::format("[electrostatics]\nkind = \"fmm\"\n{}\n", key), "kind = \"ewald\"");
  }
  const Input along_z =
      input_of(output.path(), file, {.more = "[profile]\ninterval = 10\naxis = \"z\"\n"});
  CHECK_NOTHROW(Simulation(world, along_z, {.quiet = true}));
}
