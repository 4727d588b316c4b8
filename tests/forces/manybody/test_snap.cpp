#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "forces/manybody/crystal.hpp"
#include "md/forces/manybody/snap_evaluator.hpp"
#include "md/model/snap.hpp"

using namespace sterna::md;

TEST_CASE("coefficients couple two angular momenta as tables say") {
  // Two spins of 1/2: a triplet and a singlet; the numbers are twice j and places from below.
  CHECK(clebsch_gordan(1, 1, 1, 1, 2) == doctest::Approx(1.0));
  CHECK(clebsch_gordan(1, 1, 1, 0, 2) == doctest::Approx(std::sqrt(0.5)));
  CHECK(clebsch_gordan(1, 1, 1, 0, 0) == doctest::Approx(std::sqrt(0.5)));
  CHECK(clebsch_gordan(1, 0, 1, 1, 0) == doctest::Approx(-std::sqrt(0.5)));
  // 1 and 1/2 to 3/2 and 1/2: <1 0 1/2 1/2 | 3/2 1/2> and <1 1 1/2 -1/2 | 1/2 1/2>.
  CHECK(clebsch_gordan(2, 1, 1, 1, 3) == doctest::Approx(std::sqrt(2.0 / 3.0)));
  CHECK(clebsch_gordan(2, 2, 1, 0, 1) == doctest::Approx(std::sqrt(2.0 / 3.0)));
  CHECK(clebsch_gordan(2, 1, 2, 1, 2) == doctest::Approx(0.0));
  // They are an orthogonal matrix: the squares for one state of the sum add up to 1.
  for (int j = 2; j <= 10; j += 2) {
    for (int k = 0; k <= j; ++k) {
      double sum = 0.0;
      for (int ka = 0; ka <= 6; ++ka) {
        const int kb = k + (10 - j) / 2 - ka;
        if (kb < 0 || kb > 4) continue;
        sum += std::pow(clebsch_gordan(6, ka, 4, kb, j), 2);
      }
      CHECK(sum == doctest::Approx(1.0).epsilon(1e-13));
    }
  }
}

TEST_CASE("published forms have as many coefficients as published") {
  CHECK(SnapPotential::coefficient_count({.twice_j = 6}, 1) == 31);
  CHECK(SnapPotential::coefficient_count({.twice_j = 8}, 2) == 56);
  CHECK(SnapPotential::coefficient_count({.twice_j = 6, .quadratic = true}, 1) == 496);
  CHECK(SnapPotential::coefficient_count({.twice_j = 8, .quadratic = true}, 1) == 1596);
  CHECK(SnapPotential::coefficient_count({.twice_j = 6, .chemical = true}, 2) == 241);
}

// The kernels get the energy from derivatives and from products that several components share; the
// definition has neither.
TEST_CASE("the kernels' energy is that of the definition") {
  const SnapForm forms[] = {
      {.cutoff_factor = 1.0, .twice_j = 7, .rmin0 = 0.3},
      {.cutoff_factor = 1.0, .twice_j = 5, .subtract_lone = false, .normalized = true},
      {.cutoff_factor = 1.0, .twice_j = 4, .switched = false, .inner_switch = true},
      {.cutoff_factor = 1.0, .twice_j = 4, .quadratic = true},
      {.cutoff_factor = 1.0, .twice_j = 3, .chemical = true},
      {.cutoff_factor = 1.0, .twice_j = 3, .chemical = true, .self_of_all = true},
      {.cutoff_factor = 1.0, .twice_j = 2, .quadratic = true, .chemical = true}};
  std::mt19937_64 engine(5);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (const SnapForm& form : forms) {
    std::vector<SnapElement> elements;
    for (const std::string name : {"A", "B"}) {
      SnapElement element{.name = name,
                          .radius = name == "A" ? 2.0 : 1.8,
                          .weight = name == "A" ? 1.0 : 0.6,
                          .inner_middle = 2.0,
                          .inner_half_width = 0.8};
      while (element.coefficients.size() < SnapPotential::coefficient_count(form, 2)) {
        element.coefficients.push_back(0.01 * uniform(engine));
      }
      elements.push_back(element);
    }
    // Type 1 has no such potential: it is nobody's neighbor, and has no energy.
    const SnapPotential potential(form, elements, {0, 0, 1}, 1.0, 1.0);
    const std::vector<char> has_it{1, 0, 1};
    test::Crystal crystal{{40.0, 40.0, 40.0}, {}};
    for (int k = 0; k < 9; ++k) {
      crystal.atoms.push_back({20.0 + 2.5 * uniform(engine), 20.0 + 2.5 * uniform(engine),
                               20.0 + 2.5 * uniform(engine), k % 3});
    }
    crystal.atoms.push_back({5.0, 5.0, 5.0, 2});  // alone
    double expected = 0.0;
    for (const Position& center : crystal.atoms) {
      std::vector<SnapPotential::Neighbor> neighbors;
      if (center.type == 1) continue;
      for (const Position& other : crystal.atoms) {
        const Vec3 vector = other.vector() - center.vector();
        if (&other == &center || other.type == 1) continue;
        const int a = static_cast<int>(center.type), b = static_cast<int>(other.type);
        if (length(vector) < potential.cutoff(a, b)) neighbors.push_back({vector, b});
      }
      expected += potential.energy(static_cast<int>(center.type), neighbors);
    }
    for (const auto* const kernels : available_snap_kernels()) {
      SnapEvaluator evaluator(potential, has_it, kernels->name);
      const test::BondResult result = test::evaluate(evaluator, crystal, potential.cutoff() + 0.1);
      CHECK(result.sums.energy == doctest::Approx(expected).epsilon(1e-11));
    }
  }
}
