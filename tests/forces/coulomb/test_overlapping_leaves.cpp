#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <tuple>

#include "forces/coulomb/crystals.hpp"
#include "md/forces/coulomb/ewald.hpp"
#include "md/forces/coulomb/fmm/cell_box.hpp"
#include "md/forces/coulomb/fmm/fmm_solver.hpp"

using namespace sterna::md;

namespace {

/// Neutral or charged pairs of charges 0.3 apart, no two of them near each other. The centers of
/// the first 21 lie beside faces, edges and corners of leaves of edge 2.
OwnedCharges pairs_beside_faces(double total, bool periodic = true) {
  std::mt19937_64 engine(8);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const auto draw = [&](bool beside_face) {
    const double anywhere = 8.0 * uniform(engine);
    const double beside = 2.0 * std::round(0.5 * anywhere) + 0.3 * (uniform(engine) - 0.5);
    const double at = beside_face ? beside : anywhere;
    return periodic ? at : std::clamp(at, 0.3, 7.7);
  };
  OwnedCharges system;
  system.lattice = Lattice::orthorhombic({8, 8, 8});
  std::vector<Vec3> centers;
  while (centers.size() < 150) {
    const std::size_t number = centers.size();
    const double x = draw(number < 21), y = draw(number >= 7 && number < 21);
    const Vec3 center{x, y, draw(number >= 14 && number < 21)};
    const bool crowded = std::ranges::any_of(centers, [&](const Vec3& other) {
      Vec3 d = center - other;
      for (int axis = 0; axis < 3; ++axis) d[axis] -= 8.0 * std::round(d[axis] / 8.0);
      return dot(d, d) < 0.7 * 0.7;
    });
    if (crowded) continue;
    const auto molecule = static_cast<std::int32_t>(number);
    const double charge = 1.0 + uniform(engine), other = total / 150 - charge;
    system.add(center + Vec3{0.1, 0.05, -0.1}, charge, molecule);
    system.add(center - Vec3{0.1, 0.05, -0.1}, other, molecule);
    centers.push_back(center);
  }
  return system;
}

FmmParameters overlapping(double overlap) {
  FmmParameters parameters;
  parameters.order = 4, parameters.levels = 1, parameters.overlap = overlap;
  return parameters;
}

/// Minus the derivative of energy(displacement), of fourth order.
template <class Energy>
double slope(Energy energy) {
  constexpr double step = 2e-4;
  return (8.0 * (energy(-step) - energy(step)) - (energy(-2 * step) - energy(2 * step))) /
         (12.0 * step);
}

}  // namespace

TEST_CASE("forces are the exact derivative of the energy across faces where leaves overlap") {
  for (const auto& [total, with_dipoles, surroundings, periodic] :
       {std::tuple{0.0, false, Surroundings::conductor, true},
        std::tuple{2.0, false, Surroundings::vacuum, true},
        std::tuple{0.0, true, Surroundings::conductor, true},
        std::tuple{1.0, true, Surroundings::conductor, false}}) {
    CAPTURE(total);
    CAPTURE(with_dipoles);
    CAPTURE(periodic);
    OwnedCharges system = pairs_beside_faces(total, periodic);
    if (with_dipoles) add_dipoles(system, 0.2, 3);
    FmmParameters parameters = overlapping(0.1);
    parameters.surroundings = surroundings, parameters.dipoles = with_dipoles;
    parameters.periodic = periodic;
    FmmSolver solver(system.lattice, parameters);
    const auto forces = solver.solve(system.view()).forces;
    double largest = 0.0, size = 0.0;
    for (std::size_t i = 0; i < 42; i += 3) {
      for (int axis = 0; axis < 3; ++axis) {
        const double expected = slope([&](double by) {
          OwnedCharges moved = system;
          moved.positions[i][axis] += by;
          return solver.solve(moved.view()).energy;
        });
        largest = std::max(largest, std::abs(forces[i][axis] - expected));
        size = std::max(size, std::abs(expected));
      }
    }
    CHECK(size > 0.1);
    CHECK(largest < 1e-6 * size);
  }
}

TEST_CASE("the energy jumps at a face, but not where leaves overlap") {
  const OwnedCharges system = pairs_beside_faces(0.0);
  // The center of the first pair passes a face.
  const auto jump = [&](double overlap, double distance) {
    const auto at = [&](double from_face) {
      OwnedCharges moved = system;
      const double center = 0.5 * (system.positions[0].x + system.positions[1].x);
      const double by = 2.0 * std::round(0.5 * center) + from_face - center;
      moved.positions[0].x += by, moved.positions[1].x += by;
      return FmmSolver(system.lattice, overlapping(overlap)).solve(moved.view()).energy;
    };
    return std::abs(at(distance) - at(-distance));
  };
  CHECK(jump(0.0, 1e-7) > 5e-5);
  CHECK(jump(0.1, 1e-7) < 2e-5);
}

TEST_CASE("ions that move at constant energy, order 3: no drift where leaves overlap") {
  // A hot crystal whose sites lie on faces of leaves, held apart by 8 / r^9.
  constexpr double length = 8.0, timestep = 0.05;
  const auto scatter = [&](double overlap) {
    std::mt19937_64 engine(3);
    std::normal_distribution<double> normal(0.0, 0.25);
    OwnedCharges ions;
    ions.lattice = Lattice::orthorhombic({length, length, length});
    std::vector<Vec3> velocities;
    CellBox::grid({4, 4, 4}).for_each([&](const Cells& site) {
      ions.add({2.0 * site[0], 2.0 * site[1], 2.0 * site[2]},
               (site[0] + site[1] + site[2]) % 2 == 0 ? 1.0 : -1.0);
      const double x = normal(engine), y = normal(engine), z = normal(engine);
      velocities.push_back({x, y, z});
    });
    FmmParameters parameters = overlapping(overlap);
    parameters.order = 3;
    FmmSolver solver(ions.lattice, parameters);
    std::vector<Vec3> forces;
    const auto compute = [&] {
      CoulombResult result = solver.solve(ions.view());
      double energy = result.energy;
      for (std::size_t i = 0; i < forces.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          Vec3 d = ions.positions[i] - ions.positions[j];
          for (int axis = 0; axis < 3; ++axis) d[axis] -= length * std::round(d[axis] / length);
          const double r2 = dot(d, d), repulsion = 8.0 / (r2 * r2 * r2 * r2 * std::sqrt(r2));
          energy += repulsion;
          result.forces[i] += (9.0 * repulsion / r2) * d;
          result.forces[j] -= (9.0 * repulsion / r2) * d;
        }
      }
      forces = result.forces;
      return energy;
    };
    forces.resize(velocities.size());
    compute();
    std::vector<double> totals;
    for (int step = 0; step < 1500; ++step) {
      for (std::size_t i = 0; i < forces.size(); ++i) {
        velocities[i] += (0.5 * timestep) * forces[i];
        ions.positions[i] += timestep * velocities[i];
      }
      double energy = compute();
      for (std::size_t i = 0; i < forces.size(); ++i) {
        velocities[i] += (0.5 * timestep) * forces[i];
        energy += 0.5 * dot(velocities[i], velocities[i]);
      }
      totals.push_back(energy);
    }
    double mean = 0.0, square = 0.0;
    for (const double total : totals) mean += total / static_cast<double>(totals.size());
    for (const double total : totals) square += (total - mean) * (total - mean);
    return std::sqrt(square / static_cast<double>(totals.size()));
  };
  const double with = scatter(0.2), without = scatter(0.0);
  MESSAGE("scatter of the total energy: ", with, " with overlap, ", without, " without");
  CHECK(with < 0.01 * without);
}

TEST_CASE("forces on given centers") {
  const OwnedCharges system = pairs_beside_faces(0.0);
  std::vector<Vec3> centers;
  for (std::size_t i = 0; i < system.positions.size(); ++i) {
    centers.push_back(system.positions[i / 2 * 2] + Vec3{0.05, 0.02, 0.01});
  }
  const FmmParameters parameters = overlapping(0.1);
  FmmSolver solver(system.lattice, parameters);
  const auto energy = [&](std::size_t molecule, int axis, double of_center, double of_charges) {
    OwnedCharges moved = system;
    std::vector<Vec3> there = centers;
    for (std::size_t i = 2 * molecule; i < 2 * molecule + 2; ++i) {
      moved.positions[i][axis] += of_charges;
      there[i][axis] += of_center;
    }
    return solver.solve({moved.positions, moved.charges, moved.molecules, there}).energy;
  };
  const CoulombResult result =
      solver.solve({system.positions, system.charges, system.molecules, centers});
  double largest_at_center = 0.0;
  for (std::size_t molecule = 0; molecule < 21; molecule += 2) {
    const Vec3 on_charges = result.forces[2 * molecule] + result.forces[2 * molecule + 1];
    const Vec3 on_center =
        result.center_forces[2 * molecule] + result.center_forces[2 * molecule + 1];
    for (int axis = 0; axis < 3; ++axis) {
      CHECK(on_charges[axis] == doctest::Approx(slope([&](double by) {
                                  return energy(molecule, axis, 0.0, by);
                                })).epsilon(3e-6));
      CHECK(on_center[axis] == doctest::Approx(slope([&](double by) {
                                 return energy(molecule, axis, by, 0.0);
                               })).epsilon(3e-6));
      largest_at_center = std::max(largest_at_center, std::abs(on_center[axis]));
    }
  }
  CHECK(largest_at_center > 1e-4);
}

TEST_CASE("overlapping leaves converge to Ewald sums: energy, forces, virial") {
  for (const auto& [total, dipoles] : {std::pair{0.0, false}, {2.0, true}}) {
    OwnedCharges system = pairs_beside_faces(total);
    if (dipoles) add_dipoles(system, 0.2, 3);
    auto exactly = EwaldSolver::parameters(system.lattice, 1e-12, system.charges.size());
    const CoulombResult exact = EwaldSolver(system.lattice, exactly).solve(system.view());
    for (const int levels : {0, 1}) {
      CAPTURE(levels);
      FmmParameters parameters = overlapping(0.2);
      parameters.levels = levels, parameters.dipoles = dipoles;
      const auto solve = [&](int order) {
        parameters.order = order;
        return FmmSolver(system.lattice, parameters).solve(system.view(), true);
      };
      const CoulombResult rough = solve(8), result = solve(18);
      const double error = relative_rms(result.forces, exact.forces);
      CHECK(error < 1e-4);
      CHECK(error < 0.1 * relative_rms(rough.forces, exact.forces));
      CHECK(result.energy == doctest::Approx(exact.energy).epsilon(1e-4));
      for (std::size_t s = 0; s < 6; ++s) {
        CHECK(result.virial[s] ==
              doctest::Approx(exact.virial[s]).scale(std::abs(exact.energy)).epsilon(1e-4));
      }
    }
  }
}

TEST_CASE("overlap: what moves after the cells were filled, and what is refused") {
  OwnedCharges system = pairs_beside_faces(0.0);
  FmmParameters parameters = overlapping(0.1);
  parameters.travel = 0.5;
  FmmSolver solver(system.lattice, parameters);
  solver.rebuild(system.view());
  for (std::size_t i = 0; i < system.positions.size(); ++i) {
    const auto phase = static_cast<double>(i / 2);
    system.positions[i] += 0.28 * Vec3{std::sin(phase), std::cos(3.0 * phase), 1.0};
  }
  solver.start(system.view());
  const CoulombResult moved = solver.finish(true);
  const CoulombResult anew = FmmSolver(system.lattice, parameters).solve(system.view(), true);
  CHECK(relative_rms(moved.forces, anew.forces) < 1e-13);
  CHECK(moved.energy == doctest::Approx(anew.energy).epsilon(1e-13));
  CHECK(moved.virial[3] == doctest::Approx(anew.virial[3]).scale(1.0).epsilon(1e-11));

  parameters.travel = 2.0;  // wider than a leaf
  CHECK_THROWS_AS(FmmSolver(system.lattice, parameters), std::invalid_argument);
  CHECK_THROWS_AS(FmmSolver(system.lattice, overlapping(0.6)), std::invalid_argument);
}

TEST_CASE("overlap: ions beside molecules, listed and in place") {
  OwnedCharges system = pairs_beside_faces(0.0);
  // Every other pair is two ions, which stay where they are.
  std::int32_t molecule = -1;
  for (std::size_t i = 0; i < system.charges.size(); ++i) {
    if (i % 4 != 3) ++molecule;
    system.molecules[i] = molecule;
  }
  for (const bool with_dipoles : {false, true}) {
    CAPTURE(with_dipoles);
    system.dipoles.assign(with_dipoles ? system.charges.size() : 0, {});
    FmmParameters parameters = overlapping(0.1);
    parameters.dipoles = with_dipoles;
    // Particles are molecules: two ions, then a pair, and so on.
    OwnedCharges listed;
    std::vector<Vec3> particles;
    std::vector<double> values;
    std::vector<std::size_t> numbers, numbers_in_place;  // in `system`
    for (std::size_t i = 0; i < system.charges.size(); ++i) {
      const bool is_ion = i % 4 < 2;
      if (with_dipoles && !is_ion) system.dipoles[i] = {0.1, -0.05, 0.02 * double(i % 7)};
      if (!is_ion) {
        listed.add(system.positions[i], system.charges[i], system.molecules[i]);
        if (with_dipoles) listed.dipoles.push_back(system.dipoles[i]);
        numbers.push_back(i);
      }
      if (i % 4 == 3) continue;
      particles.push_back(system.positions[i]);
      values.push_back(is_ion ? system.charges[i] : 0.0);
      numbers_in_place.push_back(i);
    }
    numbers.insert(numbers.end(), numbers_in_place.begin(), numbers_in_place.end());
    PointCharges charges = listed.view();
    charges.in_place = {particles, values};
    const CoulombResult all = FmmSolver(system.lattice, parameters).solve(system.view(), true);
    const CoulombResult found = FmmSolver(system.lattice, parameters).solve(charges, true);
    REQUIRE(found.forces.size() == numbers.size());
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const bool is_charge = k < listed.charges.size() || values[k - listed.charges.size()] != 0.0;
      CAPTURE(k);
      CHECK(found.forces[k] == (is_charge ? all.forces[numbers[k]] : Vec3{}));
    }
    CHECK(found.virial == all.virial);
    CHECK(found.energy == doctest::Approx(all.energy).epsilon(1e-13));
  }
}
