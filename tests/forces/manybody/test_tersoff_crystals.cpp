#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "forces/manybody/crystal.hpp"
#include "md/forces/manybody/tersoff_evaluator.hpp"
#include "md/model/tersoff.hpp"

// Lattice constant, cohesive energy and elastic constants at 0 K of diamond crystals, by strains of
// the smallest cells. Expected: LAMMPS 22 Jul 2025, minimized, to the digits given; Tersoff's
// papers have 143, 75 and 69 GPa for Si(C), 122, 86 and 10 for Si(B).

using namespace sterna::md;

namespace {

constexpr double gigapascal = 160.2176634;  // eV / angstrom^3

/// Diamond with its axes along x, y and z, 8 atoms.
test::Crystal cubic_cell(double a) {
  return test::diamond(1, a);
}

/// Diamond with x along [110], y along [-110] and z along [001], 4 atoms: what shears the cubic
/// axes stretches these. `gap` is the distance of the two sublattices along z.
test::Crystal turned_cell(double a, double stretch_x, double stretch_y, double gap) {
  const double half = a / std::sqrt(2.0);
  test::Crystal cell{{half * stretch_x, half * stretch_y, a}, {}};
  const auto add = [&](double x, double y, double z) {
    cell.atoms.push_back({x * cell.edge.x, y * cell.edge.y, z, 0});
  };
  add(0.1, 0.1, 0.1);
  add(0.6, 0.6, 0.1 + 0.5 * a);
  add(0.6, 0.1, 0.1 + gap);
  add(0.1, 0.6, 0.1 + 0.5 * a + gap);
  return cell;
}

/// The place where a function of one variable crosses zero, by secants from two guesses.
template <class Function>
double root(const Function& f, double a, double b) {
  double fa = f(a), fb = f(b);
  for (int k = 0; k < 30 && std::fabs(fb) > 1e-11; ++k) {
    const double next = b - fb * (b - a) / (fb - fa);
    a = b, fa = fb;
    b = next, fb = f(b);
  }
  return b;
}

struct Expected {
  std::string name;
  double lattice_constant, cohesive_energy, c11, c12, c44;
};

}  // namespace

TEST_CASE("crystals have the lattice constants, energies and elastic constants of LAMMPS") {
  const Expected sets[] = {{"Si(B)", 5.43123, -4.63041, 121.70, 85.81, 10.31},
                           {"Si(C)", 5.43198, -4.62973, 142.53, 75.38, 69.01},
                           {"Si(D)", 5.43201, -4.62960, 142.54, 75.38, 69.03},
                           {"C", 3.56563, -7.37051, 1074.1, 101.7, 641.5}};
  for (const Expected& expected : sets) {
    CAPTURE(expected.name);
    const TersoffElement* const element = find_tersoff_element(expected.name);
    const auto potential = TersoffPotential::of_elements(std::span(&element, 1), 1.0, 1.0);
    TersoffEvaluator evaluator(potential, Precision::double_precision, "auto");
    const auto evaluate = [&](const test::Crystal& crystal) {
      return test::evaluate(evaluator, crystal, potential.cutoff());
    };

    const double guess = expected.lattice_constant;
    const double a =
        root([&](double edge) { return evaluate(cubic_cell(edge)).sums.virial_trace(); },
             0.99 * guess, 1.01 * guess);
    CHECK(a == doctest::Approx(expected.lattice_constant).epsilon(2e-6));
    const double cohesive = evaluate(cubic_cell(a)).sums.energy / 8.0;
    CHECK(cohesive == doctest::Approx(expected.cohesive_energy).epsilon(2e-6));

    // Symmetry keeps the sublattices in place where the cubic axes are stretched.
    const double e = 5e-4, volume = a * a * a;
    const auto strained = [&](double x, double y, double z) {
      test::Crystal cell = cubic_cell(a);
      const Vec3 stretch{1.0 + x, 1.0 + y, 1.0 + z};
      for (int axis = 0; axis < 3; ++axis) {
        cell.edge[axis] *= stretch[axis];
        for (Position& atom : cell.atoms) (&atom.x)[axis] *= stretch[axis];
      }
      return evaluate(cell).sums.energy;
    };
    const double rest = strained(0, 0, 0);
    const double c11 =
        (strained(e, 0, 0) + strained(-e, 0, 0) - 2.0 * rest) / (e * e * volume) * gigapascal;
    const double both = (strained(e, e, 0) + strained(-e, -e, 0) - 2.0 * rest) /
                        (2.0 * e * e * volume) * gigapascal;
    const double c12 = both - c11;
    CHECK(c11 == doctest::Approx(expected.c11).epsilon(1e-3));
    CHECK(c12 == doctest::Approx(expected.c12).epsilon(1e-3));

    // A shear of the cubic axes moves the sublattices against each other along the third.
    const auto sheared = [&](double shear) {
      const auto cell = [&](double gap) { return turned_cell(a, 1.0 + shear, 1.0 - shear, gap); };
      const double gap = root(
          [&](double at) {
            const auto result = evaluate(cell(at));
            return result.force[2].z + result.force[3].z;
          },
          0.25 * a, 0.25 * a + shear);
      return evaluate(cell(gap)).sums.energy;
    };
    const double unstrained = evaluate(turned_cell(a, 1.0, 1.0, 0.25 * a)).sums.energy;
    CHECK(unstrained / 4.0 == doctest::Approx(cohesive).epsilon(1e-12));
    const double c44 =
        (sheared(e) + sheared(-e) - 2.0 * unstrained) / (4.0 * e * e) / (0.5 * volume) * gigapascal;
    CHECK(c44 == doctest::Approx(expected.c44).epsilon(2e-3));
  }
}
