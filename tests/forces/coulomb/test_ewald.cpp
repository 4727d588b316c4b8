#include "md/forces/coulomb/ewald.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "forces/coulomb/crystals.hpp"
#include "forces/coulomb/spce_configuration.hpp"

using namespace sterna::md;

namespace {

double norm_of(const Vec3& v) {
  return std::sqrt(dot(v, v));
}

/// Half a unit of the last of `digits` published digits.
double rounding(double published, int digits) {
  return 0.5 * std::pow(10.0, std::floor(std::log10(std::fabs(published))) + 1 - digits);
}

}  // namespace

TEST_CASE("SPC/E configurations of NIST: every component to every published digit") {
  // Energies over Boltzmann's constant in kelvin. NIST: SPC/E water reference calculations.
  struct Published {
    int configuration;
    double real, fourier, self, intramolecular;
  };
  constexpr double kelvin = 1.671009566e5;  // e^2 / (4 pi epsilon_0 k_B angstrom), CODATA 2010
  for (const Published& p : {Published{1, -5.58889e5, 6.27009e3, -2.84469e6, 2.80999e6},
                             Published{2, -1.19295e6, 6.03495e3, -5.68938e6, 5.61998e6}}) {
    const OwnedCharges system = read_spce_configuration(p.configuration);
    if (system.positions.empty()) {
      MESSAGE("skipped: ../shared/data/nist is not there");
      return;
    }
    const double length = system.lattice.a.x;
    // k vectors with |n|^2 < 27.
    const EwaldSolver solver(system.lattice,
                             {5.6 / length, 10.0, 2 * std::numbers::pi / length * std::sqrt(26.5)});
    const EwaldEnergies energies = solver.solve(system.view()).energies;
    CHECK(std::fabs(energies.real * kelvin - p.real) <= rounding(p.real, 6));
    CHECK(std::fabs(energies.fourier * kelvin - p.fourier) <= rounding(p.fourier, 6));
    CHECK(std::fabs(energies.self * kelvin - p.self) <= rounding(p.self, 6));
    CHECK(std::fabs(energies.intramolecular * kelvin - p.intramolecular) <=
          rounding(p.intramolecular, 6));
  }
}

TEST_CASE("SPC/E configuration: converged energy and forces") {
  const OwnedCharges system = read_spce_configuration(1);
  if (system.positions.empty()) {
    MESSAGE("skipped: ../shared/data/nist is not there");
    return;
  }
  const EwaldSolver solver(system.lattice, EwaldSolver::parameters(system.lattice, 1e-15, 300));
  const auto result = solver.solve(system.view());
  CHECK(result.energy == doctest::Approx(-3.514744864168).epsilon(1e-12));
  CHECK(relative_rms(result.forces, read_spce_forces(1)) < 1e-12);
}

TEST_CASE("Madelung constants") {
  for (const Crystal& crystal : madelung_crystals()) {
    CAPTURE(crystal.name);
    const OwnedCharges system = repeated(crystal, 1);
    const auto count = system.charges.size();
    const EwaldSolver solver(system.lattice, EwaldSolver::parameters(system.lattice, 1e-16, count));
    const double energy = solver.solve(system.view()).energy / (0.5 * static_cast<double>(count));
    CHECK(energy * crystal.nearest == doctest::Approx(crystal.madelung).epsilon(1e-12));
  }
}

TEST_CASE(
    "Madelung constants of rhombohedral cells, the primitive ones of rock salt and zinc blende") {
  const Lattice primitive{{.5, .5, 0}, {0, .5, .5}, {.5, 0, .5}};
  for (const Crystal& crystal : madelung_crystals()) {
    if (crystal.cations.size() == 1) continue;
    CAPTURE(crystal.name);
    for (const int repeats : {1, 2, 3}) {
      const Lattice lattice{primitive.a * repeats, primitive.b * repeats, primitive.c * repeats};
      OwnedCharges system;
      for (int k = 0; k < repeats * repeats * repeats; ++k) {
        const Vec3 corner = primitive.position(
            {double(k % repeats), double(k / repeats % repeats), double(k / repeats / repeats)});
        system.add(corner + crystal.cations.front(), 1.0);
        system.add(corner + crystal.anions.front(), -1.0);
      }
      const auto pairs = static_cast<double>(system.charges.size()) / 2.0;
      const EwaldSolver solver(lattice,
                               EwaldSolver::parameters(lattice, 1e-16, system.charges.size()));
      const double energy = solver.solve(system.view()).energy / pairs;
      CHECK(energy * crystal.nearest == doctest::Approx(crystal.madelung).epsilon(1e-12));
    }
  }
}

TEST_CASE("the parts of the sums add up to the whole") {
  const OwnedCharges system = repeated(madelung_crystals()[0], 2);
  std::vector<Vec3> dipoles(system.charges.size());
  PointCharges charges = system.view();
  for (std::size_t i = 0; i < dipoles.size(); ++i) dipoles[i] = {0.1, 0.02 * double(i), -0.3};
  charges.dipoles = dipoles;
  const EwaldSolver solver(system.lattice,
                           EwaldSolver::parameters(system.lattice, 1e-8, dipoles.size()));
  const auto whole = solver.solve(charges);
  for (const std::size_t count : {std::size_t{2}, std::size_t{3}, 2 * dipoles.size()}) {
    CAPTURE(count);
    EwaldSolver::Result sum = solver.solve(charges, {0, count});
    for (std::size_t index = 1; index < count; ++index) {
      const auto part = solver.solve(charges, {index, count});
      sum.energy += part.energy;
      for (std::size_t s = 0; s < 6; ++s) sum.virial[s] += part.virial[s];
      for (std::size_t i = 0; i < dipoles.size(); ++i) {
        sum.potentials[i] += part.potentials[i];
        sum.forces[i] += part.forces[i];
        sum.fields[i] += part.fields[i];
      }
    }
    CHECK(sum.energy == doctest::Approx(whole.energy).epsilon(1e-12));
    for (std::size_t s = 0; s < 6; ++s) {
      CHECK(std::fabs(sum.virial[s] - whole.virial[s]) < 1e-12 * std::fabs(whole.energy));
    }
    for (std::size_t i = 0; i < dipoles.size(); ++i) {
      CHECK(sum.potentials[i] == doctest::Approx(whole.potentials[i]).epsilon(1e-12));
      CHECK(norm_of(sum.forces[i] - whole.forces[i]) < 1e-12 * (1.0 + norm_of(whole.forces[i])));
      CHECK(norm_of(sum.fields[i] - whole.fields[i]) < 1e-12 * (1.0 + norm_of(whole.fields[i])));
    }
  }
}

TEST_CASE("energies do not depend on the splitting, nor on the choice of edges") {
  for (const double total : {0.0, 3.0}) {
    const Lattice skew{{5, 0, 0}, {1.5, 4.5, 0}, {-0.7, 1.1, 5.5}};
    const OwnedCharges system = random_charges(skew, 20, total, 7);
    auto parameters = EwaldSolver::parameters(skew, 1e-15, 20);
    const auto first = EwaldSolver(skew, parameters).solve(system.view());
    const double stretch = 1.3;
    parameters.splitting *= stretch, parameters.reciprocal_cutoff *= stretch;
    parameters.real_cutoff /= stretch;
    const auto second = EwaldSolver(skew, parameters).solve(system.view());
    CHECK(second.energy == doctest::Approx(first.energy).epsilon(1e-12));
    CHECK(relative_rms(second.forces, first.forces) < 1e-12);

    const Lattice sheared{skew.a, skew.b + skew.a, skew.c - skew.b};  // the same lattice
    const auto third =
        EwaldSolver(sheared, EwaldSolver::parameters(sheared, 1e-15, 20)).solve(system.view());
    CHECK(third.energy == doctest::Approx(first.energy).epsilon(1e-12));
    CHECK(relative_rms(third.forces, first.forces) < 1e-12);
  }
}

TEST_CASE("the virial is minus the slope of the energy over the strain of a charged skew box") {
  const Lattice skew{{5, 0, 0}, {1.5, 4.5, 0}, {-0.7, 1.1, 5.5}};
  OwnedCharges system = random_charges(skew, 12, 2.0, 7);
  for (std::size_t i = 0; i < 12; ++i) system.molecules[i] = static_cast<std::int32_t>(i / 2);
  for (const auto surroundings : {Surroundings::conductor, Surroundings::vacuum}) {
    // The splitting stays, as the box changes.
    auto parameters = EwaldSolver::parameters(skew, 1e-15, 12);
    parameters.surroundings = surroundings;
    const auto result = EwaldSolver(skew, parameters).solve(system.view());
    for (std::size_t s = 0; s < 6; ++s) {
      CAPTURE(s);
      const double slope = slope_over_strain(s, 1e-4, [&](const auto& strained) {
        OwnedCharges other = system;
        for (Vec3& position : other.positions) position = strained(position);
        const Lattice lattice{strained(skew.a), strained(skew.b), strained(skew.c)};
        return EwaldSolver(lattice, parameters).solve(other.view()).energy;
      });
      CHECK(result.virial[s] == doctest::Approx(-slope).epsilon(1e-7));
    }
    CHECK(result.virial[0] + result.virial[1] + result.virial[2] ==
          doctest::Approx(result.energy).epsilon(1e-12));
  }
}

TEST_CASE("forces are the gradient of the energy, with molecules and vacuum around") {
  const Lattice box = Lattice::orthorhombic({4, 5, 6});
  OwnedCharges system = random_charges(box, 9, 0.5, 3);
  for (std::size_t i = 0; i < system.positions.size(); ++i) {
    system.molecules[i] = static_cast<std::int32_t>(i / 3);
  }
  auto parameters = EwaldSolver::parameters(box, 1e-15, 9);
  parameters.surroundings = Surroundings::vacuum;
  const EwaldSolver solver(box, parameters);
  const auto forces = solver.solve(system.view()).forces;
  double potential_sum = 0.0;
  const auto result = solver.solve(system.view());
  for (std::size_t i = 0; i < 9; ++i) potential_sum += system.charges[i] * result.potentials[i];
  CHECK(0.5 * potential_sum == doctest::Approx(result.energy).epsilon(1e-12));
  constexpr double step = 1e-4;
  for (std::size_t i = 0; i < 3; ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      const double start = system.positions[i][axis];
      system.positions[i][axis] = start + step;
      const double above = solver.solve(system.view()).energy;
      system.positions[i][axis] = start - step;
      const double below = solver.solve(system.view()).energy;
      system.positions[i][axis] = start;
      CHECK(-(above - below) / (2 * step) ==
            doctest::Approx(forces[i][axis]).epsilon(1e-6).scale(1.0));
    }
  }
}

namespace {

/// Charges, some 0, with dipoles in molecules of three, the first two of a molecule at one point.
OwnedCharges molecules_with_dipoles(const Lattice& lattice, double total) {
  OwnedCharges system = random_charges(lattice, 9, total, 3);
  add_dipoles(system, 0.4, 8);
  for (std::size_t i = 0; i < system.positions.size(); ++i) {
    system.molecules[i] = static_cast<std::int32_t>(i / 3);
  }
  system.positions[1] = system.positions[0];
  system.charges[4] += system.charges[3];
  system.charges[3] = 0.0;
  return system;
}

}  // namespace

TEST_CASE("dipoles: forces, fields and virial are slopes of the energy, whatever the splitting") {
  const Lattice skew{{5, 0, 0}, {1.5, 4.5, 0}, {-0.7, 1.1, 5.5}};
  OwnedCharges system = molecules_with_dipoles(skew, 0.7);
  for (const auto surroundings : {Surroundings::conductor, Surroundings::vacuum}) {
    auto parameters = EwaldSolver::parameters(skew, 1e-15, 9);
    parameters.surroundings = surroundings;
    const EwaldSolver solver(skew, parameters);
    const auto result = solver.solve(system.view());
    auto other = parameters;
    other.splitting *= 1.3, other.reciprocal_cutoff *= 1.3, other.real_cutoff /= 1.3;
    CHECK(EwaldSolver(skew, other).solve(system.view()).energy ==
          doctest::Approx(result.energy).epsilon(1e-12));
    double half = 0.0;
    for (std::size_t i = 0; i < 9; ++i) {
      half += 0.5 * system.charges[i] * result.potentials[i];
      half -= 0.5 * dot(system.dipoles[i], result.fields[i]);
    }
    CHECK(half == doctest::Approx(result.energy).epsilon(1e-12));
    constexpr double step = 2e-4;
    const auto slope = [&](double& value) {
      const double start = value;
      double differences[2];
      for (int k = 0; k < 2; ++k) {
        value = start + (k + 1) * step;
        const double above = solver.solve(system.view()).energy;
        value = start - (k + 1) * step;
        differences[k] = (above - solver.solve(system.view()).energy) / (2 * (k + 1) * step);
      }
      value = start;
      return (4.0 * differences[0] - differences[1]) / 3.0;
    };
    for (const std::size_t i : {0, 1, 3, 8}) {
      for (int axis = 0; axis < 3; ++axis) {
        CAPTURE(i);
        CHECK(-slope(system.positions[i][axis]) ==
              doctest::Approx(result.forces[i][axis]).epsilon(1e-8).scale(1.0));
        CHECK(-slope(system.dipoles[i][axis]) ==
              doctest::Approx(result.fields[i][axis]).epsilon(1e-8).scale(1.0));
      }
    }
    for (std::size_t s = 0; s < 6; ++s) {
      const double over_strain = slope_over_strain(s, 1e-4, [&](const auto& strained) {
        OwnedCharges moved = system;
        for (Vec3& position : moved.positions) position = strained(position);
        const Lattice lattice{strained(skew.a), strained(skew.b), strained(skew.c)};
        return EwaldSolver(lattice, parameters).solve(moved.view()).energy;
      });
      CHECK(result.virial[s] == doctest::Approx(-over_strain).epsilon(1e-6).scale(1.0));
    }
  }
}

TEST_CASE("a dipole is the limit of two charges close to each other") {
  const Lattice box = Lattice::orthorhombic({5, 6, 7});
  OwnedCharges system = molecules_with_dipoles(box, 0.0), pairs;
  pairs.lattice = box;
  constexpr double distance = 1e-3;
  for (std::size_t i = 0; i < system.positions.size(); ++i) {
    const Vec3 half = system.dipoles[i] * (0.5 * distance / norm_of(system.dipoles[i]));
    const double charge = norm_of(system.dipoles[i]) / distance;
    pairs.add(system.positions[i], system.charges[i], system.molecules[i]);
    pairs.add(system.positions[i] + half, charge, system.molecules[i]);
    pairs.add(system.positions[i] - half, -charge, system.molecules[i]);
  }
  const EwaldSolver solver(box, EwaldSolver::parameters(box, 1e-15, 27));
  const auto result = solver.solve(system.view()), limit = solver.solve(pairs.view());
  for (std::size_t i = 0; i < system.positions.size(); ++i) {
    const Vec3 force = limit.forces[3 * i] + limit.forces[3 * i + 1] + limit.forces[3 * i + 2];
    const Vec3 difference = force - result.forces[i];
    CHECK(norm_of(difference) < 1e-5 * (1.0 + norm_of(force)));
  }
  CHECK(result.energy == doctest::Approx(limit.energy).epsilon(1e-5));
}
