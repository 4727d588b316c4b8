#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "forces/manybody/ace_tables.hpp"
#include "forces/manybody/crystal.hpp"
#include "md/forces/manybody/ace_evaluator.hpp"
#include "md/forces/manybody/input/many_body_table.hpp"
#include "md/model/ace.hpp"

using namespace sterna::md;

TEST_CASE("Legendre functions are those of textbooks") {
  // Times the root of 4 pi: Y_21 = -sqrt(15/2) z (x + i y), Y_20 = sqrt(5) (3 z^2 - 1) / 2,
  // Y_32 = sqrt(105/8) z (x + i y)^2.
  const double z = 0.37;
  CHECK(legendre_start(2) == doctest::Approx(std::sqrt(15.0 / 8.0)));
  CHECK(legendre_start(1) * legendre_step(2, 1).a * z == doctest::Approx(-std::sqrt(7.5) * z));
  CHECK(legendre_start(2) * legendre_step(3, 2).a * z ==
        doctest::Approx(std::sqrt(105.0 / 8.0) * z));
  const LegendreStep first = legendre_step(1, 0), second = legendre_step(2, 0);
  CHECK(second.a * (z * first.a * z + second.b) ==
        doctest::Approx(std::sqrt(5.0) * (1.5 * z * z - 0.5)));
}

TEST_CASE("nuclei have the charges of the periodic table") {
  CHECK(nuclear_charge("H") == 1);
  CHECK(nuclear_charge("Cu") == 29);
  CHECK(nuclear_charge("W") == 74);
  CHECK(nuclear_charge("Lr") == 103);
  CHECK(nuclear_charge("") == 0);
  CHECK(nuclear_charge("Xx") == 0);
}

// Two atoms of one element, nearer than the inner cutoff, have the repulsion of their nuclei alone.
TEST_CASE("near nuclei the energy is that by Ziegler, Biersack and Littmark") {
  test::AceKind kind{.name = "", .inner_cutoff = AceInnerCutoff::zbl, .elements = {"W"}};
  AceTables tables = test::ace_tables(kind, 1);
  tables.bonds[0].inner_begin = 3.0;
  tables.bonds[0].inner_width = 0.5;
  const AcePotential potential(tables, {0}, 1.0, 1.0);
  const auto unshifted = [](double r) {
    const double a = 0.4685 / (2.0 * std::pow(74.0, 0.23)), x = r / a;
    const double phi = 0.18175 * std::exp(-3.1998 * x) + 0.50986 * std::exp(-0.94229 * x) +
                       0.28022 * std::exp(-0.4029 * x) + 0.02817 * std::exp(-0.20162 * x);
    return 14.399645 * 74.0 * 74.0 / r * phi;
  };
  const auto energy = [&](double r) {
    const AcePotential::Neighbor neighbor{{0.0, 0.0, r}, 0};
    return 2.0 * potential.energy(0, {&neighbor, 1});  // of both
  };
  // Differences, since the repulsion is shifted to 0 at the cutoff.
  CHECK(energy(0.7) - energy(1.4) ==
        doctest::Approx(unshifted(0.7) - unshifted(1.4)).epsilon(1e-6));
  CHECK(energy(1.4) - energy(2.0) ==
        doctest::Approx(unshifted(1.4) - unshifted(2.0)).epsilon(1e-6));
}

// The kernels make products of products and exchange sums; the definition does neither.
TEST_CASE("the kernels' energy is that of the definition") {
  std::mt19937_64 engine(5);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (test::AceKind kind : test::ace_kinds()) {
    CAPTURE(kind.name);
    kind.elements =
        kind.elements.size() == 1 ? std::vector<std::string>{"Cu", "Ag"} : kind.elements;
    AceTables tables = test::ace_tables(kind, 7);
    tables.elements[1].lone_energy = -0.7;
    // Type 1 has no such potential: it is nobody's neighbor, and has no energy.
    const AcePotential potential(tables, {0, 0, 1}, 1.0, 1.0);
    const std::vector<char> has_it{1, 0, 1};
    test::Crystal crystal{{60.0, 60.0, 60.0}, {}};
    for (int k = 0; k < 24; ++k) {
      crystal.atoms.push_back({30.0 + 3.5 * uniform(engine), 30.0 + 3.5 * uniform(engine),
                               30.0 + 3.5 * uniform(engine), k % 3});
    }
    crystal.atoms.push_back({5.0, 5.0, 5.0, 2});  // alone
    double expected = 0.0;
    for (const Position& center : crystal.atoms) {
      std::vector<AcePotential::Neighbor> neighbors;
      if (center.type == 1) continue;
      for (const Position& other : crystal.atoms) {
        const Vec3 vector = other.vector() - center.vector();
        if (&other == &center || other.type == 1) continue;
        neighbors.push_back({vector, static_cast<int>(other.type)});
      }
      expected += potential.energy(static_cast<int>(center.type), neighbors);
    }
    for (const auto* const kernels : available_ace_kernels()) {
      CAPTURE(std::string(kernels->name));
      AceEvaluator evaluator(potential, has_it, kernels->name);
      const test::BondResult result = test::evaluate(evaluator, crystal, potential.cutoff() + 0.1);
      CHECK(result.sums.energy == doctest::Approx(expected).epsilon(1e-11));
    }
  }
}

TEST_CASE("products of many factors share products") {
  const AcePotential potential = test::ace_potential(test::ace_kinds().back());
  const AceEvaluator evaluator(potential, {1}, "auto");
  std::size_t sets = 0, multiplications = 0;
  for (const AceFunction& function : potential.tables().elements[0].functions) {
    if (function.rank() < 2) continue;
    sets += function.m.size() / function.rank();
    multiplications += function.m.size() / function.rank() * (function.rank() - 1);
  }
  const AceEvaluator::Size size = evaluator.size(0);
  CHECK(size.terms < sets);
  CHECK(size.products + size.terms < multiplications / 2);
}

TEST_CASE("elements of the file that no type has change nothing") {
  const test::AceKind kind = test::ace_kinds()[1];
  const AceTables tables = test::ace_tables(kind, 3);
  const AcePotential both(tables, {0, 1}, 1.0, 1.0), second(tables, {1}, 1.0, 1.0);
  CHECK(second.tables().elements.size() == 1);
  CHECK(second.tables().elements[0].name == "Ni");
  test::Crystal crystal = test::diamond(1, 5.0, 1, 1), alone = test::diamond(1, 5.0, 0, 0);
  test::jitter(crystal, 0.3, 5);
  test::jitter(alone, 0.3, 5);
  AceEvaluator of_both(both, {1, 1}, "auto"), of_second(second, {1}, "auto");
  const test::BondResult a = test::evaluate(of_both, crystal, both.cutoff());
  const test::BondResult b = test::evaluate(of_second, alone, both.cutoff());
  CHECK(b.sums.energy == doctest::Approx(a.sums.energy).epsilon(1e-12));
  CHECK(std::fabs(b.force[2].y - a.force[2].y) < 1e-10);
  CHECK(of_second.size(0).terms < of_both.size(1).terms);
}

TEST_CASE("units change lengths and energies only") {
  const test::AceKind kind = test::ace_kinds()[2];
  const AcePotential plain = test::ace_potential(kind);
  const AcePotential scaled(test::ace_tables(kind, 3), {0, 1}, 0.1, 96.5);
  test::Crystal crystal = test::diamond(1, 5.2, 0, 1), small = crystal;
  test::jitter(crystal, 0.4, 5);
  small.edge = 0.1 * crystal.edge;
  for (std::size_t k = 0; k < crystal.atoms.size(); ++k) {
    const Position& atom = crystal.atoms[k];
    small.atoms[k] = {0.1 * atom.x, 0.1 * atom.y, 0.1 * atom.z, atom.type};
  }
  AceEvaluator first(plain, {1, 1}, "auto"), second(scaled, {1, 1}, "auto");
  const test::BondResult a = test::evaluate(first, crystal, plain.cutoff());
  const test::BondResult b = test::evaluate(second, small, scaled.cutoff());
  CHECK(scaled.cutoff() == doctest::Approx(0.1 * plain.cutoff()));
  CHECK(b.sums.energy == doctest::Approx(96.5 * a.sums.energy).epsilon(1e-12));
  CHECK(b.sums.virial[0] == doctest::Approx(96.5 * a.sums.virial[0]).epsilon(1e-10));
  CHECK(b.force[3].x == doctest::Approx(965.0 * a.force[3].x).epsilon(1e-10));
}

namespace {

/// Two atoms have the energy `coefficient` (1 - r / 4)^2 and a core repulsion each.
AceTables well(double coefficient, double core_strength) {
  AceTables tables;
  tables.elements.push_back({.name = "Cu",
                             .embedding = {{1.0, 1.0}},
                             .core_limit = 1e5,
                             .core_limit_width = 250.0,
                             .functions = {{{0}, {0}, {0}, {0}, {coefficient}}}});
  tables.bonds.push_back({.basis = AceRadialBasis::chebyshev_power,
                          .basis_functions = 1,
                          .scale = 2.0,
                          .core_strength = core_strength,
                          .core_decay = 1.0,
                          .cutoff = 4.0,
                          .cutoff_width = 0.01});
  return tables;
}

}  // namespace

TEST_CASE("the expansion is off at the limit of the core repulsion, also where both are 0") {
  AceTables tables = well(-1.5, 0.0);
  const AcePotential::Neighbor neighbor{{0.0, 0.0, 2.0}, 0};
  CHECK(AcePotential(tables, {0}, 1.0, 1.0).energy(0, {&neighbor, 1}) ==
        doctest::Approx(-1.5 * 0.25).epsilon(1e-9));
  tables.elements[0].core_limit = tables.elements[0].core_limit_width = 0.0;
  CHECK(AcePotential(tables, {0}, 1.0, 1.0).energy(0, {&neighbor, 1}) == 0.0);
}

// The energy of two atoms: 2 (c (1 - r / 4)^2 + p exp(-r^2) / r (1 + cos(pi r / 4)) / 2).
TEST_CASE("two lone atoms are bound where their energy has a minimum") {
  const AcePotential::Dimer bound = AcePotential(well(-1.5, 60.0), {0}, 1.0, 1.0).strongest_dimer();
  double lowest = 0.0, length = 0.0;
  for (double r = 0.8; r < 4.0; r += 1e-3) {
    const double rest = 1.0 - r / 4.0;
    const double energy =
        2.0 * (-1.5 * rest * rest +
               30.0 * std::exp(-r * r) / r * (1.0 + std::cos(0.25 * std::numbers::pi * r)));
    if (energy < lowest) lowest = energy, length = r;
  }
  CHECK(length > 1.5);
  CHECK(std::fabs(bound.length - length) < 4.0 / 48.0);
  CHECK(bound.energy == doctest::Approx(-lowest).epsilon(0.01));
  // In other units, and of several types of one element.
  const AcePotential::Dimer scaled =
      AcePotential(well(-1.5, 60.0), {0, 0, 0}, 0.1, 96.5).strongest_dimer();
  CHECK(scaled.length == doctest::Approx(0.1 * bound.length));
  CHECK(scaled.energy == doctest::Approx(96.5 * bound.energy));

  // Without a repulsion atoms fall into each other, which is no bond.
  const AcePotential::Dimer falling =
      AcePotential(well(-1.5, 0.0), {0}, 1.0, 1.0).strongest_dimer();
  CHECK(falling.energy == 0.0);
  CHECK(falling.length == 4.0);
  // No atoms are bound by a hundred eV.
  const AcePotential::Dimer hole =
      AcePotential(well(-300.0, 12000.0), {0}, 1.0, 1.0).strongest_dimer();
  CHECK(hole.energy == 12.0);
  CHECK(hole.length == bound.length);
}

namespace {

struct CountedModel {
  struct Dimer {
    double length, energy;
  };
  double cutoff() const { return 4.0; }
  Dimer strongest_dimer() const {
    ++*scans;
    return {2.0, 3.0};
  }
  int* scans;
};

class CountedPotential final : public ModelPotential<CountedModel> {
 public:
  explicit CountedPotential(int& scans) : ModelPotential({&scans}, 0.1) {}
  std::unique_ptr<ShortRangeForces> forces(std::vector<char>, Precision,
                                           std::string_view) const override {
    return nullptr;
  }
};

}  // namespace

TEST_CASE("a potential looks for the bond of two atoms once") {
  int scans = 0;
  const CountedPotential potential(scans);
  for (int k = 0; k < 3; ++k) {
    CHECK(potential.shortest_dimer() == 2.0);
    CHECK(potential.deepest_dimer() == 3.0);
  }
  CHECK(scans == 1);
}
