// Walls: values of the potentials, and forces and torques against differences of energies.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "forces/external/external_support.hpp"
#include "md/forces/external/wall_forces.hpp"

using namespace sterna::md;

namespace {

using Kind = WallPotential::Kind;
using Side = WallSurface::Side;
constexpr double pi = std::numbers::pi;

const Box box{{10.0, 12.0, 14.0}};
const Box leaning{{10.0, 12.0, 14.0}, {2.0, -1.0, 1.5}};

}  // namespace

TEST_CASE("wall potentials have the values of their formulas, and end at the cutoff") {
  const double epsilon = 1.7, sigma = 0.9, cutoff = 2.5, spacing = 0.6;
  const auto formula = [&](Kind kind, double d) {
    const double s = sigma / d;
    switch (kind) {
      case Kind::lj_9_3:
        return epsilon * (2.0 / 15.0 * std::pow(s, 9) - std::pow(s, 3));
      case Kind::lj_10_4:
        return 2.0 * pi * epsilon * (0.4 * std::pow(s, 10) - std::pow(s, 4));
      case Kind::lj_10_4_3:
        return 2.0 * pi * epsilon *
               (0.4 * std::pow(s, 10) - std::pow(s, 4) -
                std::pow(sigma, 4) / (3.0 * spacing * std::pow(d + 0.61 * spacing, 3)));
      default:
        return 4.0 * epsilon * (std::pow(s, 12) - std::pow(s, 6));
    }
  };
  for (const Kind kind : {Kind::lj_9_3, Kind::lj_10_4, Kind::lj_10_4_3, Kind::lj_12_6}) {
    const auto potential = WallPotential::lennard_jones(kind, epsilon, sigma, cutoff, spacing);
    for (const double d : {0.6, 0.85, 1.1, 1.9, 2.4999}) {
      CHECK(potential.at(d).energy ==
            doctest::Approx(formula(kind, d) - formula(kind, cutoff)).epsilon(1e-12));
      const double h = 1e-6;
      CHECK(
          potential.at(d).force ==
          doctest::Approx((formula(kind, d - h) - formula(kind, d + h)) / (2.0 * h)).epsilon(1e-7));
    }
    CHECK(potential.at(cutoff).energy == 0.0);
    CHECK(potential.at(2.0 * cutoff).force == 0.0);
  }
  // A half space of density rho: epsilon stands for (2 pi/3) rho sigma^3 times that of the sites,
  // so the integral of 4 e [(s/r)^12 - (s/r)^6] over it is the 9-3 potential.
  const double rho = 0.8, e = 1.3, s = 1.1, d = 1.4;
  double integral = 0.0;
  const double dz = 1e-3;
  for (double z = d + 0.5 * dz; z < 60.0; z += dz) {
    // Over a plane at distance z: 2 pi rho * integral of u(r) r dr from z on.
    integral +=
        dz * 2.0 * pi * rho * 4.0 * e *
        (std::pow(s, 12) / (10.0 * std::pow(z, 10)) - std::pow(s, 6) / (4.0 * std::pow(z, 4)));
  }
  const auto half_space =
      WallPotential::lennard_jones(Kind::lj_9_3, 2.0 / 3.0 * pi * rho * s * s * s * e, s, 1e6);
  CHECK(half_space.at(d).energy == doctest::Approx(integral).epsilon(1e-4));
  const auto spring = WallPotential::harmonic(20.0);
  CHECK(spring.at(-0.5).energy == 2.5);
  CHECK(spring.at(-0.5).force == 10.0);
  CHECK(spring.at(0.1).energy == 0.0);
}

TEST_CASE("forces and torques of walls are differences of the energy") {
  const auto lennard_jones = WallPotential::lennard_jones(Kind::lj_10_4_3, 1.2, 0.8, 2.5, 0.7);
  const auto spring = WallPotential::harmonic(30.0);
  struct Case {
    const char* what;
    Box box;
    WallForces::Wall wall;
    std::vector<Vec3> places;
  };
  const std::vector<Case> cases{
      {"above a plane across y",
       box,
       {WallSurface::plane(1, 2.0, Side::above), lennard_jones},
       {{1.0, 3.2, 4.0}, {9.9, 3.0, 13.8}, {5.0, 4.1, 2.0}, {5.0, 3.9, 7.0}, {1.0, 9.0, 1.0}}},
      {"below a plane at the face",
       box,
       {WallSurface::plane(0, 10.0, Side::below), lennard_jones},
       {{8.8, 3.2, 4.0}, {9.0, 3.0, 13.8}, {-1.2, 4.1, 2.0}, {18.9, 3.9, 7.0}}},
      {"both sides of a plane in a box that leans",
       leaning,
       {WallSurface::plane(2, 7.0, Side::both), lennard_jones},
       {{1.0, 3.2, 8.1}, {9.9, 3.0, 8.3}, {5.0, 4.1, 5.9}, {5.0, 3.9, 5.7}, {3.0, -8.0, -5.6}}},
      {"inside a sphere",
       box,
       {WallSurface::sphere({5.0, 6.0, 7.0}, 4.5, Side::below), lennard_jones},
       {{8.1, 6.5, 7.0}, {5.0, 2.9, 7.5}, {3.0, 8.0, 8.5}, {5.0, 6.0, 10.2}}},
      {"outside a sphere at a corner",
       leaning,
       {WallSurface::sphere({0.5, 0.5, 0.5}, 1.5, Side::above), lennard_jones},
       {{3.0, 0.6, 0.4}, {9.9, 11.9, 12.3}, {0.4, 3.1, 0.6}, {0.5, 0.5, 3.3}}},
      {"a spring behind a plane",
       box,
       {WallSurface::plane(1, 11.0, Side::below), spring, {}, false},
       {{1.0, 11.2, 4.0}, {9.9, 11.7, 13.8}, {5.0, 10.1, 2.0}}},
      {"a spring on sites",
       box,
       {WallSurface::plane(1, 11.0, Side::below), spring, {}, true},
       {{1.0, 11.2, 4.0}, {9.9, 11.5, 13.8}, {5.0, 10.1, 2.0}, {5.0, 11.4, 2.0}}},
  };
  for (const Case& one : cases) {
    CAPTURE(one.what);
    ParticleStore store = test::molecules_at(one.places);
    WallForces term(one.box, test::components(), {one.wall});
    CHECK(test::energy_of(term, store) != 0.0);
    CHECK(test::error_of_forces(term, store) < 2e-7);
    // The energies of the molecules, each by itself, add up to that of all.
    double sum = 0.0;
    for (std::size_t i = 0; i < store.local_count(); ++i) {
      sum += term.energy_of_one(store.position[i], store.orientation[i]);
    }
    CHECK(sum == doctest::Approx(test::energy_of(term, store)).epsilon(1e-12));
    // Without sums the forces are the same.
    std::vector<Vec3> forces(store.force.data(), store.force.data() + store.local_count());
    test::energy_of(term, store);
    forces.assign(store.force.data(), store.force.data() + store.local_count());
    for (std::size_t i = 0; i < store.local_count(); ++i) store.force[i] = {};
    term.finish(store, nullptr);
    for (std::size_t i = 0; i < store.local_count(); ++i) CHECK(store.force[i] == forces[i]);
  }
}

TEST_CASE("a wall acts on its type and in its region, and says who is behind it") {
  const auto potential = WallPotential::lennard_jones(Kind::lj_9_3, 1.0, 1.0, 2.5);
  Selection where;
  where.type = 1;
  where.lower.x = 4.0;
  WallForces term(box, test::components(),
                  {{WallSurface::plane(2, 1.0, Side::above), potential, where}});
  ParticleStore store =
      test::molecules_at({{5.0, 1.0, 2.5}, {5.0, 1.0, 2.5}, {3.0, 1.0, 2.5}, {3.0, 1.0, 2.5}});
  test::energy_of(term, store);
  CHECK(store.force[0] == Vec3{});
  CHECK(store.force[1].z != 0.0);
  CHECK(store.force[1].x == 0.0);
  CHECK(store.force[2] == Vec3{});
  CHECK(store.force[3] == Vec3{});
  // One whose sites stick through the wall, and one whose center is behind it.
  WallForces thin(box, test::components(), {{WallSurface::plane(2, 1.0, Side::above), potential}});
  store.position[1].z = 1.05;
  CHECK_THROWS_WITH_AS(test::energy_of(thin, store),
                       doctest::Contains("molecule 2 is behind a wall"), std::runtime_error);
  CHECK(std::isinf(thin.energy_of_one(store.position[1], store.orientation[1])));
  store.position[1].z = 0.5;
  CHECK_NOTHROW(test::energy_of(thin, store));
}
