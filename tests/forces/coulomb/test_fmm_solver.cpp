#include "md/forces/coulomb/fmm/fmm_choice.hpp"
#include "md/forces/coulomb/fmm/fmm_solver.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <tuple>

#include "forces/coulomb/crystals.hpp"
#include "forces/coulomb/spce_configuration.hpp"
#include "md/forces/coulomb/ewald.hpp"
#include "md/forces/coulomb/fmm/kernels/fmm_kernels.hpp"

using namespace sterna::md;

namespace {

CoulombResult direct_sum(const PointCharges& charges) {
  CoulombResult result;
  result.potentials.assign(charges.size(), 0.0);
  result.forces.assign(charges.size(), {});
  for (std::size_t i = 0; i < charges.size(); ++i) {
    for (std::size_t j = 0; j < charges.size(); ++j) {
      if (charges.molecules[i] == charges.molecules[j]) continue;
      const Vec3 connection = charges.positions[i] - charges.positions[j];
      const double r2 = dot(connection, connection), r = std::sqrt(r2);
      result.potentials[i] += charges.charges[j] / r;
      result.forces[i] += connection * (charges.charges[i] * charges.charges[j] / (r2 * r));
    }
    result.energy += 0.5 * charges.charges[i] * result.potentials[i];
  }
  return result;
}

CoulombResult ewald(const OwnedCharges& system,
                    Surroundings surroundings = Surroundings::conductor) {
  auto parameters = EwaldSolver::parameters(system.lattice, 1e-14, system.charges.size());
  parameters.surroundings = surroundings;
  return EwaldSolver(system.lattice, parameters).solve(system.view());
}

}  // namespace

TEST_CASE("open box: the error falls with the order, on one to three levels") {
  const Lattice box = Lattice::orthorhombic({10, 10, 10});
  const OwnedCharges system = random_charges(box, 1500, 0.0, 5);
  const CoulombResult exact = direct_sum(system.view());
  for (int levels = 0; levels <= 2; ++levels) {
    double last = 1.0;
    for (const int order : {4, 8, 12, 16}) {
      CAPTURE(levels);
      CAPTURE(order);
      FmmParameters parameters;
      parameters.order = order, parameters.periodic = false, parameters.levels = levels;
      parameters.top_cells = levels == 0 ? std::array{4, 4, 4} : std::array{2, 2, 2};
      const CoulombResult result = FmmSolver(box, parameters).solve(system.view());
      const double error = relative_rms(result.forces, exact.forces);
      CHECK(error < 0.2 * last);
      CHECK(result.energy == doctest::Approx(exact.energy).epsilon(20 * error));
      last = error;
    }
    CHECK(last < 2e-7);
  }
}

TEST_CASE("periodic boxes of any shape, charged ones too, against Ewald sums") {
  struct Case {
    Lattice lattice;
    std::array<int, 3> top_cells;
    int levels;
    double total;
    Surroundings surroundings;
  };
  const Lattice cube = Lattice::orthorhombic({6, 6, 6});
  for (const Case& c :
       {Case{cube, {2, 2, 2}, 1, 0.0, Surroundings::conductor},
        Case{cube, {3, 3, 3}, 0, 0.0, Surroundings::vacuum},
        Case{cube, {2, 2, 2}, 0, 1.0, Surroundings::conductor},
        Case{cube, {2, 2, 2}, 1, 4.0, Surroundings::conductor},
        Case{Lattice::orthorhombic({5, 6, 11}), {2, 2, 4}, 1, 0.0, Surroundings::conductor},
        Case{Lattice{{6, 0, 0}, {1.0, 6, 0}, {-0.8, 0.5, 6}},
             {2, 2, 2},
             1,
             -2.0,
             Surroundings::conductor}}) {
    const OwnedCharges system = random_charges(c.lattice, 250, c.total, 11);
    const CoulombResult exact = ewald(system, c.surroundings);
    for (const auto& [order, tolerance] : {std::pair{8, 1e-3}, {16, 2e-5}}) {
      CAPTURE(order);
      CAPTURE(c.lattice.c.z);
      FmmParameters parameters;
      parameters.order = order, parameters.levels = c.levels, parameters.top_cells = c.top_cells;
      parameters.surroundings = c.surroundings;
      const CoulombResult result = FmmSolver(c.lattice, parameters).solve(system.view());
      CHECK(relative_rms(result.forces, exact.forces) < tolerance);
      CHECK(result.energy == doctest::Approx(exact.energy).epsilon(tolerance));
    }
  }
}

TEST_CASE("the virial against Ewald sums, in periodic boxes of any shape, charged ones too") {
  struct Case {
    Lattice lattice;
    std::array<int, 3> top_cells;
    int levels;
    double total;
    Surroundings surroundings;
  };
  const Lattice cube = Lattice::orthorhombic({6, 6, 6});
  for (const Case& c :
       {Case{cube, {2, 2, 2}, 2, 0.0, Surroundings::conductor},
        Case{cube, {3, 3, 3}, 0, 3.0, Surroundings::vacuum},
        Case{Lattice::orthorhombic({5, 6, 11}), {2, 2, 4}, 1, 0.0, Surroundings::conductor},
        Case{Lattice{{6, 0, 0}, {1.0, 6, 0}, {-0.8, 0.5, 6}},
             {2, 2, 2},
             1,
             -2.0,
             Surroundings::conductor}}) {
    OwnedCharges system = random_charges(c.lattice, 250, c.total, 11);
    // Dense where x is small, so that the tensor is not one of an isotropic system.
    for (Vec3& position : system.positions) position.x *= 0.7;
    const CoulombResult exact = ewald(system, c.surroundings);
    for (const auto& [order, tolerance] : {std::pair{8, 2e-3}, {20, 1e-5}}) {
      CAPTURE(order);
      CAPTURE(c.lattice.c.z);
      CAPTURE(c.levels);
      FmmParameters parameters;
      parameters.order = order, parameters.levels = c.levels, parameters.top_cells = c.top_cells;
      parameters.surroundings = c.surroundings;
      FmmSolver solver(c.lattice, parameters);
      const CoulombResult result = solver.solve(system.view(), true);
      for (std::size_t s = 0; s < 6; ++s) {
        CAPTURE(s);
        CHECK(result.virial[s] ==
              doctest::Approx(exact.virial[s]).scale(std::abs(exact.energy)).epsilon(tolerance));
      }
      const CoulombResult without = solver.solve(system.view());
      CHECK(without.energy == result.energy);
      CHECK(without.forces == result.forces);
    }
  }
}

TEST_CASE("the virial of an open box: positions times forces") {
  const Lattice box = Lattice::orthorhombic({10, 9, 8});
  const OwnedCharges system = random_charges(box, 600, 3.0, 5);
  const CoulombResult exact = direct_sum(system.view());
  VirialProducts products{};
  for (std::size_t i = 0; i < system.positions.size(); ++i) {
    add_product(products, system.positions[i], exact.forces[i]);
  }
  const auto expected = symmetric_part(products);
  for (const FmmPrecision precision :
       {FmmPrecision::full, FmmPrecision::mixed, FmmPrecision::single}) {
    FmmParameters parameters;
    parameters.order = 16, parameters.periodic = false, parameters.levels = 2;
    parameters.precision = precision;
    const CoulombResult result = FmmSolver(box, parameters).solve(system.view(), true);
    for (std::size_t s = 0; s < 6; ++s) {
      CAPTURE(s);
      CHECK(result.virial[s] ==
            doctest::Approx(expected[s]).scale(std::abs(exact.energy)).epsilon(1e-5));
    }
  }
}

TEST_CASE("SPC/E configurations of NIST: converged forces as accurate as asked for") {
  for (int number : {1, 2}) {
    const OwnedCharges system = read_spce_configuration(number);
    if (system.positions.empty()) {
      MESSAGE("skipped: ../shared/data/nist is not there");
      return;
    }
    const auto reference = read_spce_forces(number);
    for (const double accuracy : {1e-3, 1e-4, 1e-6, 1e-8}) {
      if (number > 1 && accuracy < 1e-6) continue;
      CAPTURE(number);
      CAPTURE(accuracy);
      const auto checked = checked_fmm_parameters(system.lattice, true, system.view(), accuracy);
      const CoulombResult result =
          FmmSolver(system.lattice, checked.parameters).solve(system.view());
      const double error = relative_rms(result.forces, reference);
      CHECK(error < accuracy);
      CHECK(error < 2.0 * checked.error);
    }
  }
}

TEST_CASE("Madelung constants") {
  for (const Crystal& crystal : madelung_crystals()) {
    CAPTURE(crystal.name);
    const OwnedCharges system = repeated(crystal, 4, 0.1);
    FmmParameters parameters;
    parameters.order = 16, parameters.top_cells = {2, 2, 2}, parameters.levels = 1;
    const CoulombResult result = FmmSolver(system.lattice, parameters).solve(system.view());
    const auto ions = static_cast<double>(system.charges.size());
    CHECK(result.energy / (0.5 * ions) * crystal.nearest ==
          doctest::Approx(crystal.madelung).epsilon(1e-5));
  }
}

TEST_CASE("Madelung constants in a triclinic box, to the last order") {
  // The crystals' periods shift one layer of the box against the next.
  const Lattice box{{4, 0, 0}, {1, 4, 0}, {-1, 0, 4}};
  for (const Crystal& crystal : madelung_crystals()) {
    CAPTURE(crystal.name);
    OwnedCharges system = repeated(crystal, 4, 0.03);
    system.lattice = box;
    for (const auto& [order, tolerance] : {std::pair{24, 5e-8}, {32, 3e-9}}) {
      CAPTURE(order);
      FmmParameters parameters;
      parameters.order = order, parameters.top_cells = {2, 2, 2}, parameters.levels = 1;
      const CoulombResult result = FmmSolver(box, parameters).solve(system.view());
      const auto ions = static_cast<double>(system.charges.size());
      CHECK(result.energy / (0.5 * ions) * crystal.nearest ==
            doctest::Approx(crystal.madelung).epsilon(tolerance));
    }
  }
}

TEST_CASE("how well cells are separated tells where the expansions converge") {
  const auto tree = [](int order, int levels) {
    FmmParameters parameters;
    parameters.order = order, parameters.levels = levels;
    parameters.top_cells = levels == 0 ? std::array{4, 4, 4} : std::array{2, 2, 2};
    return parameters;
  };
  const auto error = [&](const Lattice& lattice, int order, int levels) {
    const OwnedCharges system = random_charges(lattice, 256, 0.0, 5);
    const auto forces = FmmSolver(lattice, tree(order, levels)).solve(system.view()).forces;
    return relative_rms(forces, ewald(system).forces);
  };
  const auto lean = [](double share) { return Lattice{{8, 0, 0}, {8 * share, 8, 0}, {0, 0, 8}}; };
  CHECK(tree(8, 1).separation(lean(0.0)) == doctest::Approx(2.0 / std::sqrt(3.0)));
  CHECK(tree(8, 0).separation(lean(0.0)) == doctest::Approx(2.0 / std::sqrt(3.0)));
  for (const double share : {0.0, 0.2, 0.4}) {
    CAPTURE(share);
    CHECK(tree(8, 1).separation(lean(share)) > FmmParameters::least_separation);
    CHECK(error(lean(share), 20, 1) < 0.4 * error(lean(share), 12, 1));
  }
  const Lattice rhombohedral{{8, 8, 0}, {0, 8, 8}, {8, 0, 8}};
  CHECK(tree(8, 1).separation(rhombohedral) < FmmParameters::least_separation);
  CHECK(error(rhombohedral, 20, 1) > error(rhombohedral, 12, 1));
  // Between midplanes, however, cells of such a box are better separated than cubes.
  CHECK(tree(8, 0).separation(rhombohedral) == doctest::Approx(std::sqrt(1.5)));
  const double height = std::sqrt(0.75);
  const Lattice hexagonal{{8, 0, 0}, {4, 8 * height, 0}, {0, 0, 8}};
  CHECK(tree(8, 0).separation(hexagonal) ==
        doctest::Approx(2.0 * height / std::sqrt(4.0 / 3.0 + 1.0)));
  for (const Lattice& lattice : {rhombohedral, hexagonal, lean(-0.4)}) {
    CAPTURE(lattice.a.y);
    CHECK(error(lattice, 12, 0) < 2e-4);
    CHECK(error(lattice, 20, 0) < 0.05 * error(lattice, 12, 0));
  }
}

TEST_CASE("the accuracy that is asked for: a salt crystal with defects, a gas of ions") {
  const OwnedCharges gas = random_charges(Lattice::orthorhombic({9, 9, 9}), 400, 0.0, 21);
  OwnedCharges salt = repeated(madelung_crystals()[0], 3, 0.1);
  std::mt19937_64 engine(4);
  std::normal_distribution<double> displacement(0.0, 0.03);
  for (Vec3& position : salt.positions) {
    position += {displacement(engine), displacement(engine), displacement(engine)};
  }
  for (const OwnedCharges* system : {&gas, static_cast<const OwnedCharges*>(&salt)}) {
    const CoulombResult exact = ewald(*system);
    for (const double accuracy : {1e-3, 1e-4, 1e-5}) {
      CAPTURE(accuracy);
      const auto checked = checked_fmm_parameters(system->lattice, true, system->view(), accuracy);
      const auto forces =
          FmmSolver(system->lattice, checked.parameters).solve(system->view()).forces;
      const double error = relative_rms(forces, exact.forces);
      CHECK(error < std::max(accuracy, checked.error));
      CHECK(error < 2.0 * checked.error);
    }
  }
}

TEST_CASE("many ranks get a tree whose top they do not wait for") {
  const Lattice lattice =
      Lattice::orthorhombic({21.5, 21.5, 21.5});  // nm, a million atoms of water
  const auto chosen = [&](int ranks) {
    return FmmParameters::choose(lattice, true, 1000000, 1e-3, 0.25, 0, ranks);
  };
  const FmmParameters of_one = chosen(1);
  CHECK(of_one.levels == 0);
  // Two halve all work alike.
  CHECK(chosen(2).top_cells == of_one.top_cells);
  CHECK(chosen(2).levels == 0);
  for (const int ranks : {512, 4096}) {
    const FmmParameters tree = chosen(ranks);
    CHECK(tree.levels >= 1);
    CHECK(tree.top_cells[0] < of_one.top_cells[0] / 2);
  }
}

TEST_CASE("every instruction set, in all precisions") {
  const Lattice box = Lattice::orthorhombic({8, 8, 8});
  const OwnedCharges system = random_charges(box, 700, 0.0, 2);
  FmmParameters parameters;
  parameters.order = 7, parameters.levels = 2, parameters.instruction_set = "baseline";
  const CoulombResult reference = FmmSolver(box, parameters).solve(system.view());
  for (const FmmInstructionSet* set : available_fmm_kernels()) {
    CAPTURE(set->name);
    parameters.instruction_set = set->name;
    parameters.precision = FmmPrecision::full;
    CHECK(relative_rms(FmmSolver(box, parameters).solve(system.view()).forces, reference.forces) <
          1e-13);
    parameters.precision = FmmPrecision::single;
    CHECK(relative_rms(FmmSolver(box, parameters).solve(system.view()).forces, reference.forces) <
          1e-6);
    parameters.precision = FmmPrecision::mixed;
    // Positions in the near field are rounded.
    CHECK(relative_rms(FmmSolver(box, parameters).solve(system.view()).forces, reference.forces) <
          1e-6);
  }
}

TEST_CASE("no charges, one charge, and what it refuses") {
  const Lattice box = Lattice::orthorhombic({8, 8, 8});
  FmmParameters parameters;
  FmmSolver solver(box, parameters);
  CHECK(solver.solve({}).energy == 0.0);
  OwnedCharges system;
  system.lattice = box;
  system.add({1, 2, 3}, 1.0);
  // A point charge in a background: a Wigner crystal, simple cubic.
  CHECK(solver.solve(system.view()).energy * 8.0 == doctest::Approx(-1.4186487397).epsilon(1e-6));

  parameters.order = FmmParameters::highest_order + 1;
  CHECK_THROWS_AS(FmmSolver(box, parameters), std::invalid_argument);
  parameters.order = 8, parameters.top_cells[1] = 1;
  CHECK_THROWS_AS(FmmSolver(box, parameters), std::invalid_argument);
  system.add({4, 2, 3}, -1.0, 0);
  CHECK_THROWS_AS(solver.solve(system.view()), std::invalid_argument);
  parameters.top_cells[1] = 2, parameters.periodic = false;
  system.molecules[1] = 1;
  system.positions[1].x = 8.5;
  CHECK_THROWS_AS(FmmSolver(box, parameters).solve(system.view()), std::invalid_argument);
}

TEST_CASE("dipoles with charges against Ewald sums: forces, fields, energy, virial") {
  for (const auto& [lattice, total, surroundings] :
       {std::tuple{Lattice::orthorhombic({6, 6, 6}), 0.0, Surroundings::vacuum},
        std::tuple{Lattice{{6, 0, 0}, {1.0, 6, 0}, {-0.8, 0.5, 6}}, 2.0,
                   Surroundings::conductor}}) {
    OwnedCharges system = random_charges(lattice, 200, total, 11);
    add_dipoles(system, 0.2, 5);
    const CoulombResult exact = ewald(system, surroundings);
    for (const auto& [order, tolerance] : {std::pair{8, 2e-3}, {18, 2e-5}}) {
      CAPTURE(order);
      FmmParameters parameters;
      parameters.order = order, parameters.dipoles = true, parameters.surroundings = surroundings;
      const CoulombResult result = FmmSolver(lattice, parameters).solve(system.view(), true);
      CHECK(relative_rms(result.forces, exact.forces) < tolerance);
      CHECK(relative_rms(result.fields, exact.fields) < tolerance);
      CHECK(result.energy == doctest::Approx(exact.energy).epsilon(tolerance));
      for (std::size_t s = 0; s < 6; ++s) {
        CHECK(result.virial[s] ==
              doctest::Approx(exact.virial[s]).scale(std::abs(exact.energy)).epsilon(tolerance));
      }
    }
  }
}

TEST_CASE("dipoles: every instruction set, in all precisions") {
  const Lattice box = Lattice::orthorhombic({8, 8, 8});
  OwnedCharges system = random_charges(box, 500, 0.0, 2);
  add_dipoles(system, 0.2, 5);
  for (std::size_t i = 0; i < 500; ++i) system.molecules[i] = static_cast<std::int32_t>(i / 2);
  for (std::size_t i = 1; i < 500; i += 2) {
    system.positions[i] = system.positions[i - 1] + Vec3{0.2, 0.1, 0};
  }
  FmmParameters parameters;
  parameters.order = 7, parameters.levels = 2, parameters.dipoles = true;
  parameters.instruction_set = "baseline";
  const CoulombResult reference = FmmSolver(box, parameters).solve(system.view());
  for (const FmmInstructionSet* set : available_fmm_kernels()) {
    CAPTURE(set->name);
    parameters.instruction_set = set->name;
    for (const auto& [precision, tolerance] : {std::pair{FmmPrecision::full, 1e-13},
                                               {FmmPrecision::single, 2e-5},
                                               {FmmPrecision::mixed, 2e-5}}) {
      parameters.precision = precision;
      const CoulombResult result = FmmSolver(box, parameters).solve(system.view());
      CHECK(relative_rms(result.forces, reference.forces) < tolerance);
      CHECK(relative_rms(result.fields, reference.fields) < tolerance);
    }
  }
  parameters.instruction_set = "auto";
  CHECK_THROWS_AS(
      FmmSolver(box, parameters).solve({system.positions, system.charges, system.molecules}),
      std::invalid_argument);
}
