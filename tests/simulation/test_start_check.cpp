// Starts with two particles at the same place, or almost, on any number of ranks: the error names
// both of them. Very thin gases; time steps in which particles pass each other.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulation/simulation_support.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

struct Atom {
  const char* type;
  Vec3 position;
};

constexpr int side = 6;
constexpr double spacing = 1.5, edge = side * spacing;

/// A place of the lattice.
Vec3 site(int n) {
  return spacing * Vec3{n % side + 0.5, n / side % side + 0.5, n / side / side + 0.5};
}

std::vector<Atom> lattice(const char* type, int count = side * side * side) {
  std::vector<Atom> atoms;
  for (int n = 0; n < count; ++n) atoms.push_back({type, site(n)});
  return atoms;
}

Input input_of(const comm::Context& world, const std::string& folder,
               const std::vector<Atom>& atoms, const std::string& more, double length = edge,
               const std::string& run = "timestep = 0.002") {
  if (world.rank() == 0) {
    std::ofstream file(folder + "/start.extxyz");
    file << atoms.size() << "\nLattice=\"" << length << " 0 0 0 " << length << " 0 0 0 " << length
         << "\" Properties=species:S:1:pos:R:3\n";
    for (const Atom& atom : atoms) {
      file << fmt::format("{} {:.17g} {:.17g} {:.17g}\n", atom.type, atom.position.x,
                          atom.position.y, atom.position.z);
    }
  }
  comm::barrier(world);
  return test::input_of(folder, "start",
                        "units = \"reduced\"\n[run]\nsteps = 20\n" + run +
                            "\n[start]\nkind = \"file\"\nfile = \"start.extxyz\"\n"
                            "temperature = 1.44\n[interaction]\ncutoff = 2.5\n" +
                            more);
}

std::string failure_of(const comm::Context& world, const Input& input, int steps = 0) {
  try {
    Simulation simulation(world, input, SimulationOptions::inside_a_program());
    simulation.run(steps);
  } catch (const UnstableRun& error) {
    return error.what();
  }
  return "";
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

const char* const atoms_of_argon = "[[type]]\nname = \"A\"\n";
const char* const salt =
    "[[type]]\nname = \"A\"\nepsilon = 0\ncharge = 0.5\n[[type]]\nname = \"B\"\nepsilon = 0\n"
    "charge = -0.5\n[electrostatics]\nkind = \"ewald\"\n";
const char* const rigid = R"(
[[component]]
name = "A"
[[component.site]]
kind = "lennard_jones"
position = [0, 0, 0]
mass = 1
epsilon = 1
sigma = 1
[[component.site]]
kind = "charge"
position = [0.3, 0, 0]
charge = 0.3
[[component.site]]
kind = "charge"
position = [-0.3, 0, 0]
charge = -0.3
)";

/// Molecules of three atoms, O H H, without bonds or constraints.
const char* const water = R"(
[[type]]
name = "O"
[[type]]
name = "H"
mass = 0.2
epsilon = 0
[[molecule]]
name = "water"
count = 36
atom = [{ name = "O", type = "O" }, { name = "H1", type = "H" }, { name = "H2", type = "H" }]
)";
const std::string rigid_water = std::string(water) + R"(
[[molecule.constraint]]
distance = 0.5
atoms = [[1, 2], [1, 3]]
[[molecule.constraint]]
distance = 0.7
atoms = [2, 3]
)";
const std::string flexible_water = std::string(water) + R"(
[[molecule.bond]]
potential = "harmonic"
stiffness = 100
r0 = 0.5
atoms = [[1, 2], [1, 3]]
[[molecule.angle]]
potential = "harmonic"
bending_stiffness = 20
theta0 = 109
atoms = [2, 1, 3]
)";

std::vector<Atom> waters() {
  std::vector<Atom> atoms;
  for (int n = 0; n < 36; ++n) {
    const Vec3 at = site(6 * n);
    atoms.push_back({"O", at});
    atoms.push_back({"H", at + Vec3{0.35, 0.357, 0.0}});
    atoms.push_back({"H", at + Vec3{-0.35, 0.357, 0.0}});
  }
  return atoms;
}

}  // namespace

TEST_CASE("atoms of a start at the same place, or almost, are named") {
  const comm::Context world;
  const test::SharedFolder folder(world);
  for (const Vec3& shift : {Vec3{}, Vec3{1e-12, 0.0, 0.0}, Vec3{1e-4, 1e-4, 0.0},
                            Vec3{0.0, 0.02, 0.0}, Vec3{0.1, 0.0, 0.1}}) {
    std::vector<Atom> atoms = lattice("A");
    atoms[200].position = atoms[100].position + shift;
    CAPTURE(shift.x);
    const std::string failure =
        failure_of(world, input_of(world, folder.path(), atoms, atoms_of_argon));
    CAPTURE(failure);
    CHECK(contains(failure, "step 0: "));
    CHECK(contains(failure, "particle 101 (A)"));
    CHECK(contains(failure, "particle 201 (A)"));
    CHECK(contains(failure, "apart"));
    CHECK(contains(failure, "at the same place") == (shift.x < 1e-9 && shift.y == 0.0));
  }
  // Across the border of the box.
  std::vector<Atom> atoms = lattice("A");
  atoms[0].position = {0.0, 1.0, 1.0};
  atoms[1].position = {edge - 1e-7, 1.0, 1.0};
  const std::string failure =
      failure_of(world, input_of(world, folder.path(), atoms, atoms_of_argon));
  CAPTURE(failure);
  CHECK(contains(failure, "particle 1 (A)"));
  CHECK(contains(failure, "particle 2 (A)"));
}

TEST_CASE("charges alone and rigid molecules at the same place are named, in a minimization, too") {
  const comm::Context world;
  const test::SharedFolder folder(world);
  const auto check = [&](const std::vector<Atom>& atoms, const std::string& more,
                         const std::string& run) {
    CAPTURE(more);
    CAPTURE(run);
    const std::string failure =
        failure_of(world, input_of(world, folder.path(), atoms, more, edge, run));
    CAPTURE(failure);
    CHECK(contains(failure, "particle 51 ("));
    CHECK(contains(failure, "particle 150 ("));
    CHECK(contains(failure, "at the same place"));
  };
  for (const std::string run : {"timestep = 0.002", "integrator = \"minimize\""}) {
    std::vector<Atom> ions;
    for (int n = 0; n < side * side * side; ++n) ions.push_back({n % 2 == 0 ? "A" : "B", site(n)});
    ions[149].position = ions[50].position;
    check(ions, salt, run);
    std::vector<Atom> atoms = lattice("A");
    atoms[149].position = atoms[50].position;
    check(atoms, atoms_of_argon, run);
    check(atoms, std::string(rigid), run);
  }
}

TEST_CASE("atoms that a constraint or a bond keeps apart are named before anything fails") {
  const comm::Context world;
  const test::SharedFolder folder(world);
  struct Place {
    int atom, to;  ///< in the molecule
    double shift;
    bool constraints_only;
  };
  for (const Place& place : {Place{1, 0, 0.0, false}, Place{1, 0, 1e-5, false},
                             Place{2, 1, 0.0, true}, Place{2, 1, 1e-4, true}}) {
    std::vector<Atom> atoms = waters();
    atoms[static_cast<std::size_t>(51 + place.atom)].position =
        atoms[static_cast<std::size_t>(51 + place.to)].position + Vec3{place.shift, 0.0, 0.0};
    CAPTURE(place.atom);
    CAPTURE(place.shift);
    const std::string first = fmt::format("id {})", 52 + place.to);
    const std::string second = fmt::format("id {})", 52 + place.atom);
    const std::string constrained =
        failure_of(world, input_of(world, folder.path(), atoms, rigid_water));
    CAPTURE(constrained);
    CHECK(contains(constrained, first));
    CHECK(contains(constrained, second));
    CHECK(contains(constrained, "of molecule 18 (water)"));
    CHECK(contains(constrained, "a constraint keeps them 0."));
    CHECK_FALSE(contains(constrained, "converge"));
    // Two hydrogens at one place have finite forces where only bonds and an angle hold them.
    if (place.constraints_only) continue;
    const std::string bonded =
        failure_of(world, input_of(world, folder.path(), atoms, flexible_water), 1);
    CAPTURE(bonded);
    CHECK(contains(bonded, first));
    CHECK(contains(bonded, second));
  }
  // A molecule on another one.
  std::vector<Atom> atoms = waters();
  for (std::size_t k = 0; k < 3; ++k) atoms[51 + k].position = atoms[9 + k].position;
  for (const std::string& kind : {rigid_water, flexible_water}) {
    const std::string failure = failure_of(world, input_of(world, folder.path(), atoms, kind));
    CAPTURE(failure);
    CHECK(contains(failure, "id 52)"));
    CHECK(contains(failure, "id 10)"));
  }
}

TEST_CASE("what may be at the same place is let through") {
  const comm::Context world;
  const test::SharedFolder folder(world);
  // A core and its shell: a spring of almost no length between two that exclude each other.
  std::vector<Atom> atoms;
  for (int n = 0; n < 36; ++n) {
    atoms.push_back({"O", site(6 * n)});
    atoms.push_back({"H", site(6 * n)});
  }
  const char* const shells = R"(
[[type]]
name = "O"
[[type]]
name = "H"
mass = 0.2
epsilon = 0
[[molecule]]
name = "ion"
count = 36
atom = [{ name = "O", type = "O" }, { name = "H", type = "H" }]
[[molecule.bond]]
potential = "harmonic"
stiffness = 100
r0 = 0.001
atoms = [1, 2]
)";
  CHECK(failure_of(world, input_of(world, folder.path(), atoms, shells), 20) == "");
  // An ideal gas.
  std::vector<Atom> gas = lattice("A");
  gas[100].position = gas[50].position;
  CHECK(failure_of(world,
                   input_of(world, folder.path(), gas, "[[type]]\nname = \"A\"\nepsilon = 0\n"),
                   20) == "");
}

TEST_CASE("two particles in a huge box") {
  const comm::Context world;
  const test::SharedFolder folder(world);
  const auto simulate = [&](double length, const std::string& precision) {
    const Input input = input_of(
        world, folder.path(), {{"A", {1.0, 1.0, 1.0}}, {"A", {2.2, 1.0, 1.0}}}, atoms_of_argon,
        length, fmt::format("timestep = 0.002\nprecision = \"{}\"", precision));
    Simulation simulation(world, input, SimulationOptions::inside_a_program());
    simulation.measure();
    const double energy = simulation.last_state().potential_energy;
    simulation.run(100);
    CHECK(simulation.step_number() == 100);
    return energy;
  };
  const double expected = simulate(20.0, "double");
  for (const auto& [length, precision] :
       {std::pair{5e3, "mixed"}, std::pair{1e4, "double"}, std::pair{1e9, "double"}}) {
    CAPTURE(length);
    CHECK(simulate(length, precision) == doctest::Approx(expected).epsilon(1e-5));
  }
  CHECK_THROWS_WITH(simulate(1e4, "mixed"),
                    doctest::Contains("mixed precision rounds positions to 9.313e-06"));
  CHECK_THROWS_WITH(simulate(1e15, "double"), doctest::Contains("too coarse for a cutoff of 2.5"));
}

TEST_CASE("a time step in which particles pass each other is told as that") {
  const comm::Context world;
  const test::SharedFolder folder(world);
  const Input input =
      input_of(world, folder.path(), lattice("A"), atoms_of_argon, edge, "timestep = 3.0");
  const std::string failure = failure_of(world, input, 1);
  CAPTURE(failure);
  CHECK(contains(failure, "step 0: "));
  CHECK(contains(failure, "at the temperature of 1.44"));
  CHECK(contains(failure, "in a time step of 3, farther than the cutoff of 2.5"));
  CHECK_FALSE(contains(failure, "overlap"));
  // An ideal gas may fly as far as it likes.
  const Input ideal = input_of(world, folder.path(), lattice("A"),
                               "[[type]]\nname = \"A\"\nepsilon = 0\n", edge, "timestep = 3.0");
  CHECK(failure_of(world, ideal, 5) == "");
}
