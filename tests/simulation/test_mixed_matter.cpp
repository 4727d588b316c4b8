// Several kinds of matter in one system: a solid by Tersoff's potential beside atoms that interact in
// pairs, and atoms beside rigid molecules. Each kind has a short-range term.

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <tuple>
#include <vector>

#include "simulation/simulation_support.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

constexpr double edge = 5.43;  // angstrom
constexpr int cells = 3, layers = 2;
const Vec3 box{cells * edge, cells* edge, 24.0};
constexpr double cutoff = 7.5;
/// eV and angstrom, of argon with itself and with silicon.
constexpr double epsilon_argon = 0.0104, sigma_argon = 3.4;
constexpr double epsilon_cross = 0.009, sigma_cross = 3.2;

struct Atom {
  std::string name;
  Vec3 position;
};

/// A slab of silicon, somewhat disordered, and argon above it.
std::vector<Atom> slab_and_gas() {
  std::vector<Atom> atoms;
  std::uint64_t state = 1;
  const auto disorder = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return 0.2 * (static_cast<double>(state >> 11) * 0x1p-53 - 0.5);
  };
  const double basis[8][3] = {{0, 0, 0},          {0.5, 0.5, 0},      {0.5, 0, 0.5},
                              {0, 0.5, 0.5},      {0.25, 0.25, 0.25}, {0.75, 0.75, 0.25},
                              {0.75, 0.25, 0.75}, {0.25, 0.75, 0.75}};
  for (int z = 0; z < layers; ++z) {
    for (int y = 0; y < cells; ++y) {
      for (int x = 0; x < cells; ++x) {
        for (const auto& site : basis) {
          atoms.push_back({"Si",
                           {edge * (x + site[0]) + disorder(), edge * (y + site[1]) + disorder(),
                            edge * (z + site[2]) + 0.5 + disorder()}});
        }
      }
    }
  }
  for (int z = 0; z < 2; ++z) {
    for (int y = 0; y < 4; ++y) {
      for (int x = 0; x < 4; ++x) {
        atoms.push_back(
            {"Ar", {4.07 * x + disorder(), 4.07 * y + disorder(), 14.5 + 4.2 * z + disorder()}});
      }
    }
  }
  return atoms;
}

/// The start of those atoms that have this name, or of all.
std::string start_of(const std::string& folder, const std::string& name = "") {
  std::string text;
  int count = 0;
  for (const Atom& atom : slab_and_gas()) {
    if (!name.empty() && atom.name != name) continue;
    ++count;
    text += fmt::format("{} {:.6f} {:.6f} {:.6f}\n", atom.name, atom.position.x, atom.position.y,
                        atom.position.z);
  }
  const std::string path = folder + "/start" + name + ".xyz";
  std::ofstream(path) << fmt::format(
      "{}\nLattice=\"{} 0 0 0 {} 0 0 0 {}\" Properties=species:S:1:pos:R:3\n{}", count, box.x,
      box.y, box.z, text);
  return fmt::format("[start]\nkind = \"file\"\nfile = \"{}\"\n", path);
}

const std::string silicon = "[[type]]\nname = \"Si\"\nmass = 28.0855\ntersoff = \"Si(C)\"\n";
std::string both(const std::string& truncation = "truncated") {
  return fmt::format(
      "{}[[type]]\nname = \"Ar\"\nmass = 39.948\nepsilon = {}\nsigma = {}\n"
      "[[pair]]\nfirst = \"Si\"\nsecond = \"Ar\"\nepsilon = {}\nsigma = {}\n"
      "[interaction]\ncutoff = {}\ntruncation = \"{}\"\n",
      silicon, epsilon_argon, sigma_argon, epsilon_cross, sigma_cross, cutoff, truncation);
}

std::string run_section(int steps, const std::string& more = "") {
  return fmt::format("units = \"metal\"\n[run]\nsteps = {}\ntimestep = 0.0005\n{}\n", steps, more);
}

ThermodynamicState last_state(const comm::Context& context, const std::string& folder,
                              const std::string& text) {
  Simulation simulation(context, test::input_of(folder, "mixed", text), {.quiet = true});
  CHECK(simulation.run() == Outcome::complete);
  return simulation.last_state();
}

/// Energy and virial (r f) of the pairs that have argon, one after the other.
std::pair<double, double> pairs_with_argon() {
  double energy = 0.0, virial = 0.0;
  const auto atoms = slab_and_gas();
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool first = atoms[i].name == "Ar", second = atoms[j].name == "Ar";
      if (!first && !second) continue;
      const double epsilon = first && second ? epsilon_argon : epsilon_cross;
      const double sigma = first && second ? sigma_argon : sigma_cross;
      Vec3 d = atoms[i].position - atoms[j].position;
      for (int axis = 0; axis < 3; ++axis) d[axis] -= box[axis] * std::round(d[axis] / box[axis]);
      const double r2 = dot(d, d);
      if (r2 >= cutoff * cutoff) continue;
      const double s6 = std::pow(sigma * sigma / r2, 3);
      energy += 4.0 * epsilon * (s6 * s6 - s6);
      virial += 24.0 * epsilon * (2.0 * s6 * s6 - s6);
    }
  }
  return {energy, virial};
}

}  // namespace

TEST_CASE("a solid and a gas have the energy and the virial of the solid and of all pairs") {
  const comm::Context world;
  const test::SharedFolder folder(world);
  if (world.rank() == 0) start_of(folder.path()), start_of(folder.path(), "Si");
  comm::barrier(world);
  const UnitSystem metal = *UnitSystem::by_name("metal");
  const auto [energy, virial] = pairs_with_argon();
  const std::string more = "[interaction]\npotential = \"tersoff\"\n";
  const auto solid = last_state(world, folder.path(),
                                run_section(0) + start_of(folder.path(), "Si") + silicon + more);
  const auto whole =
      last_state(world, folder.path(), run_section(0) + start_of(folder.path()) + both());
  const double unit = metal.to_internal(1.0, Dimension::energy);
  CHECK(whole.potential_energy - solid.potential_energy ==
        doctest::Approx(energy * unit).epsilon(2e-6));
  CHECK(whole.virial - solid.virial == doctest::Approx(virial * unit).epsilon(2e-6));
}

TEST_CASE("a solid and a gas do not depend on ranks, halo, decomposition or precision") {
  const comm::Context world;
  const comm::Context alone = world.split(world.rank());
  const test::SharedFolder folder(world);
  const test::SharedFolder own(alone);
  const std::string start = start_of(folder.path());
  comm::barrier(world);
  const std::string motion = "temperature = 300\n";
  const auto text = [&](int steps, const std::string& run) {
    return run_section(steps, run) + start + motion + both();
  };
  const auto expected = last_state(alone, own.path(), text(0, ""));
  const auto later = last_state(alone, own.path(), text(60, ""));
  for (const std::string more :
       {"[domain]\nhalo_route = \"direct\"\ndecomposition = \"grid\"\n",
        "[domain]\nhalo_route = \"staged\"\ndecomposition = \"grid\"\n",
        "[domain]\ndecomposition = \"bisection\"\nrebalance_interval = 20\n",
        "[domain]\ndecomposition = \"grid\"\n[communication]\nhalo = \"p2p\"\n"}) {
    CAPTURE(more);
    const auto at_start = last_state(world, folder.path(), text(0, "") + more);
    CHECK(at_start.potential_energy == doctest::Approx(expected.potential_energy).epsilon(1e-13));
    CHECK(at_start.virial == doctest::Approx(expected.virial).epsilon(1e-12));
    const auto state = last_state(world, folder.path(), text(60, "") + more);
    CHECK(state.potential_energy == doctest::Approx(later.potential_energy).epsilon(1e-10));
  }
  const auto mixed = last_state(world, folder.path(), text(60, "precision = \"mixed\""));
  CHECK(mixed.potential_energy == doctest::Approx(later.potential_energy).epsilon(2e-6));
}

TEST_CASE("the energy of a solid and a gas stays while they exchange heat") {
  const comm::Context world;
  if (world.size() > 2) return;  // the forces are those of the test above
  const test::SharedFolder folder(world);
  const std::string start = start_of(folder.path()) + "temperature = 600\n";
  comm::barrier(world);
  for (const std::string precision : {"double", "mixed"}) {
    CAPTURE(precision);
    const std::string run = run_section(4000, fmt::format("precision = \"{}\"", precision)) +
                            start + both("force_shifted");
    Simulation simulation(world, test::input_of(folder.path(), "heat" + precision, run),
                          {.quiet = true});
    std::vector<double> energies;
    simulation.on_step([&](std::int64_t step) {
      if (step > 400 && step % 10 == 0) {
        energies.push_back(simulation.last_state().total_energy);
      }
    });
    CHECK(simulation.run() == Outcome::complete);
    const double kinetic = simulation.last_state().kinetic_energy;
    const std::size_t part = energies.size() / 4;
    double first = 0.0, last = 0.0;
    for (std::size_t k = 0; k < part; ++k) {
      first += energies[k] / static_cast<double>(part);
      last += energies[energies.size() - 1 - k] / static_cast<double>(part);
    }
    CHECK(std::fabs(last - first) < 2e-4 * kinetic);
  }
}

namespace {

std::string site(const std::string& kind, const std::string& keys) {
  return fmt::format("[[component.site]]\nkind = \"{}\"\n{}\n", kind, keys);
}

/// Two kinds of ions and a rigid molecule with charges and a quadrupole. The ions are atoms, or
/// rigid molecules of one site.
std::string ions_and_rotors(bool are_atoms, const std::string& cutoff_kind) {
  std::string text;
  for (const auto& [name, sigma, charge] :
       {std::tuple("A", 1.0, 0.4), std::tuple("B", 0.9, -0.4)}) {
    const std::string well = fmt::format("epsilon = 0.7\nsigma = {}\n", sigma);
    if (are_atoms) {
      text +=
          fmt::format("[[type]]\nname = \"{}\"\nmass = 1.5\n{}charge = {}\n", name, well, charge);
    } else {
      text += fmt::format("[[component]]\nname = \"{}\"\n", name) +
              site("lennard_jones", well + "mass = 1.5") +
              site("charge", fmt::format("charge = {}", charge));
    }
  }
  text += "[[component]]\nname = \"R\"\nfraction = 2\n";
  for (const char* z : {"0.3", "-0.3"}) {
    text += site("lennard_jones", fmt::format("epsilon = 1.0\nsigma = 1.0\nmass = 1.0\n"
                                              "position = [0, 0, {}]",
                                              z));
  }
  text += site("charge", "charge = 0.3\nposition = [0, 0.1, 0.3]");
  text += site("charge", "charge = -0.3\nposition = [0, -0.1, -0.3]");
  text += site("quadrupole", "quadrupole_moment = 0.5\naxis = [0, 0, 1]");
  return text +
         fmt::format(
             "[interaction]\ncutoff = 2.5\ntruncation = \"shifted\"\nmolecular_cutoff = \"{}\"\n"
             "[electrostatics]\nkind = \"fmm\"\naccuracy = 1e-5\n",
             cutoff_kind);
}

}  // namespace

TEST_CASE("an atom beside rigid molecules is a rigid molecule of one site") {
  const comm::Context world;
  if (world.size() > 5) return;  // as many runs take long there, and tell nothing new
  const test::SharedFolder folder(world);
  for (const std::string cutoff_kind : {"center_of_mass", "site"}) {
    for (const std::string precision : {"double", "mixed"}) {
      CAPTURE(cutoff_kind);
      CAPTURE(precision);
      const auto text = [&](bool are_atoms, int steps) {
        return fmt::format(
                   "[run]\nsteps = {}\ntimestep = 0.001\nprecision = \"{}\"\n"
                   "[start]\nkind = \"lattice\"\nlattice = \"sc\"\ncells = [8, 8, 8]\n"
                   "density = 0.3\ntemperature = 1.0\n",
                   steps, precision) +
               ions_and_rotors(are_atoms, cutoff_kind);
      };
      for (const int steps : {0, 20}) {
        const auto rigid = last_state(world, folder.path(), text(false, steps));
        const auto atoms = last_state(world, folder.path(), text(true, steps));
        const double slack = precision == "double" ? 1e-10 : 1e-5;
        CHECK(atoms.potential_energy == doctest::Approx(rigid.potential_energy).epsilon(slack));
        CHECK(atoms.virial == doctest::Approx(rigid.virial).epsilon(10 * slack));
        CHECK(atoms.kinetic_energy == doctest::Approx(rigid.kinetic_energy).epsilon(slack));
      }
    }
  }
}
