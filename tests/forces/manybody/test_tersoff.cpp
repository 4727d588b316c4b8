#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "forces/manybody/crystal.hpp"
#include "md/forces/manybody/tersoff_evaluator.hpp"
#include "md/model/tersoff.hpp"

using namespace sterna::md;

namespace {

TersoffPotential potential_of(const std::vector<std::string>& names) {
  std::vector<const TersoffElement*> elements;
  for (const std::string& name : names) elements.push_back(find_tersoff_element(name));
  return TersoffPotential::of_elements(elements, 1.0, 1.0);
}

/// Angles and cutoffs that depend on all three atoms, with m = 1 and m = 3.
TersoffPotential general_potential() {
  std::vector<TersoffParameters> triples;
  const TersoffParameters base = find_tersoff_element("Si")->parameters;
  for (int t = 0; t < 8; ++t) {
    TersoffParameters p = base;
    p.m = t % 2 == 0 ? 3.0 : 1.0;
    p.gamma = 1.0 - 0.03 * t;
    p.lambda3 = 0.4 + 0.1 * t;
    p.d += 0.2 * t;
    p.cos_theta0 += 0.04 * t;
    p.R = 2.85 - 0.05 * t;
    triples.push_back(p);
  }
  return {std::move(triples), 2};
}

struct System {
  std::string name;
  TersoffPotential potential;
  test::Crystal crystal;
};

std::vector<System> systems() {
  std::vector<System> all;
  const auto add = [&](const std::string& name, TersoffPotential potential, test::Crystal crystal,
                       double amplitude) {
    test::jitter(crystal, amplitude, 5);
    all.push_back({name, std::move(potential), std::move(crystal)});
  };
  add("Si(B)", potential_of({"Si(B)"}), test::diamond(2, 5.43), 0.35);
  add("Si(C)", potential_of({"Si(C)"}), test::diamond(2, 5.43), 0.35);
  add("Si(C) liquid", potential_of({"Si(C)"}), test::diamond(2, 5.2), 0.8);
  add("Si(D)", potential_of({"Si(D)"}), test::diamond(2, 5.43), 0.35);
  add("Ge", potential_of({"Ge"}), test::diamond(2, 5.66), 0.35);
  add("C", potential_of({"C"}), test::diamond(2, 3.57), 0.25);
  add("SiC", potential_of({"Si", "C"}), test::diamond(2, 4.32, 0, 1), 0.3);
  add("SiGe", potential_of({"Si", "Ge"}), test::diamond(2, 5.5, 1, 0), 0.3);
  add("general", general_potential(), test::diamond(2, 5.3, 0, 1), 0.4);
  // A box narrower than twice the cutoff, in which an atom meets images of its neighbors.
  add("narrow", potential_of({"Si(C)"}), test::diamond(1, 5.43), 0.3);
  return all;
}

double largest(const std::vector<Vec3>& force) {
  double result = 0.0;
  for (const Vec3& f : force) result = std::max(result, length(f));
  return result;
}

}  // namespace

TEST_CASE("forces are minus the gradient of the energy") {
  for (const System& system : systems()) {
    CAPTURE(system.name);
    TersoffEvaluator evaluator(system.potential, Precision::double_precision, "auto");
    const double range = system.potential.cutoff() + 0.1;
    const auto result = test::evaluate(evaluator, system.crystal, range);
    const double scale = largest(result.force);
    REQUIRE(scale > 0.1);
    for (std::size_t i = 0; i < system.crystal.atoms.size(); i += 5) {
      for (int axis = 0; axis < 3; ++axis) {
        const auto energy_at = [&](double moved) {
          test::Crystal crystal = system.crystal;
          (&crystal.atoms[i].x)[axis] += moved;
          return test::evaluate(evaluator, crystal, range).sums.energy;
        };
        // Fourth order; the energy's second derivative jumps nowhere, its third at the window's
        // ends, and rounding asks for a long step.
        const double h = 2e-4;
        const double gradient =
            (8.0 * (energy_at(h) - energy_at(-h)) - (energy_at(2 * h) - energy_at(-2 * h))) /
            (12.0 * h);
        CHECK(std::fabs(result.force[i][axis] + gradient) < 1e-8 * scale);
      }
    }
  }
}

TEST_CASE("the virial is minus the derivative of the energy by the strain") {
  for (const System& system : systems()) {
    CAPTURE(system.name);
    TersoffEvaluator evaluator(system.potential, Precision::double_precision, "auto");
    const double range = system.potential.cutoff() + 0.1;
    const auto result = test::evaluate(evaluator, system.crystal, range);
    const double scale =
        std::max(std::fabs(result.sums.energy), std::fabs(result.sums.virial_trace()));
    for (int axis = 0; axis < 3; ++axis) {
      const auto energy_at = [&](double strain) {
        test::Crystal crystal = system.crystal;
        crystal.edge[axis] *= 1.0 + strain;
        for (Position& atom : crystal.atoms) (&atom.x)[axis] *= 1.0 + strain;
        return test::evaluate(evaluator, crystal, range).sums.energy;
      };
      const double h = 5e-5;
      const double slope =
          (8.0 * (energy_at(h) - energy_at(-h)) - (energy_at(2 * h) - energy_at(-2 * h))) /
          (12.0 * h);
      CHECK(std::fabs(result.sums.virial[axis] + slope) < 1e-8 * scale);
    }
  }
}

TEST_CASE("forces add up to nothing, and all instruction sets and precisions agree") {
  for (const System& system : systems()) {
    CAPTURE(system.name);
    const double range = system.potential.cutoff() + 0.3;
    TersoffEvaluator baseline(system.potential, Precision::double_precision, "baseline");
    const auto expected = test::evaluate(baseline, system.crystal, range);
    const double scale = largest(expected.force);
    for (const TersoffKernels* kernels : available_tersoff_kernels()) {
      for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
        CAPTURE(std::string(kernels->name));
        CAPTURE(static_cast<int>(precision));
        TersoffEvaluator evaluator(system.potential, precision, kernels->name);
        CHECK(evaluator.kernels() == kernels->name);
        const auto result = test::evaluate(evaluator, system.crystal, range);
        const double tolerance = precision == Precision::mixed ? 2e-5 : 1e-12;
        CHECK(result.sums.energy == doctest::Approx(expected.sums.energy)
                                        .epsilon(precision == Precision::mixed ? 3e-6 : 1e-13));
        Vec3 total;
        double error = 0.0;
        for (std::size_t i = 0; i < result.force.size(); ++i) {
          total += result.force[i];
          error = std::max(error, length(result.force[i] - expected.force[i]));
        }
        CHECK(error < tolerance * scale);
        // In single precision too what one atom gets another loses.
        CHECK(length(total) < (precision == Precision::mixed ? 1e-5 : 1e-13) * scale *
                                  static_cast<double>(result.force.size()));
        for (int k = 0; k < 6; ++k) {
          CHECK(std::fabs(result.sums.virial[k] - expected.sums.virial[k]) <
                tolerance * std::fabs(expected.sums.energy));
        }
      }
    }
  }
}

TEST_CASE("a dimer and a lone atom") {
  // Two atoms have no third: the bond order is 1 and the energy the bare pair function.
  const TersoffPotential potential = potential_of({"Si(C)"});
  const TersoffParameters& p = potential.pair(0, 0);
  for (const TersoffKernels* kernels : available_tersoff_kernels()) {
    TersoffEvaluator evaluator(potential, Precision::double_precision, kernels->name);
    for (const double r : {2.2, 2.7, 2.71, 2.85, 2.99, 3.0, 3.1}) {
      CAPTURE(r);
      const test::Crystal dimer{{20, 20, 20}, {{5, 5, 5, 0}, {5 + r, 5, 5, 0}, {12, 12, 12, 0}}};
      const auto result = test::evaluate(evaluator, dimer, 3.3);
      const double phase = std::acos(-1.0) * (r - p.R) / (2.0 * p.D);
      const double cutoff = r < p.R - p.D ? 1.0 : r > p.R + p.D ? 0.0 : 0.5 - 0.5 * std::sin(phase);
      const double energy =
          cutoff * (p.A * std::exp(-p.lambda1 * r) - p.B * std::exp(-p.lambda2 * r));
      CHECK(result.sums.energy == doctest::Approx(energy).epsilon(1e-13));
      CHECK(length(result.force[2]) == 0.0);
      CHECK(result.force[0].x == doctest::Approx(-result.force[1].x).epsilon(1e-14));
    }
  }
}

TEST_CASE("mixtures follow the rules of 1989, and what is not published is refused") {
  const TersoffPotential mixed = potential_of({"Si", "C"});
  CHECK(mixed.depends_on_center_only());
  CHECK_FALSE(mixed.has_distance_term());
  // As tabulated to four digits in SiCGe.tersoff of LAMMPS.
  const TersoffParameters& p = mixed.triple(0, 1, 1);
  CHECK(p.lambda1 == doctest::Approx(2.9839).epsilon(1e-4));
  CHECK(p.lambda2 == doctest::Approx(1.97205).epsilon(1e-6));
  CHECK(p.A == doctest::Approx(1597.3111).epsilon(1e-7));
  CHECK(p.B == doctest::Approx(395.1451).epsilon(1e-6));
  CHECK(p.R == doctest::Approx(2.3573).epsilon(1e-4));
  CHECK(p.D == doctest::Approx(0.1527).epsilon(1e-3));
  CHECK(mixed.triple(0, 1, 0).R == mixed.triple(0, 0, 0).R);
  CHECK(mixed.triple(0, 0, 1).R == p.R);
  CHECK(mixed.triple(1, 0, 0).n == mixed.triple(1, 1, 1).n);
  CHECK(mixed.cutoff() == doctest::Approx(3.0));
  CHECK_FALSE(general_potential().depends_on_center_only());

  CHECK_THROWS_WITH_AS(potential_of({"Si", "C", "Ge"}),
                       "no chi, the strength of the mixed bond, is published for C with Ge",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(potential_of({"Si(C)", "Ge"}),
                       "no chi, the strength of the mixed bond, is published for Si(C) with Ge",
                       std::invalid_argument);
  CHECK(find_tersoff_element("Xx") == nullptr);
  TersoffParameters wrong = find_tersoff_element("Si")->parameters;
  wrong.m = 2.0;
  CHECK_THROWS_WITH_AS(TersoffPotential({wrong}, 1), "Tersoff's m is 1 or 3, not 2",
                       std::invalid_argument);
}
