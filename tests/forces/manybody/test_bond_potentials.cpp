#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "forces/manybody/ace_tables.hpp"
#include "forces/manybody/crystal.hpp"
#include "md/forces/manybody/ace_evaluator.hpp"
#include "md/forces/manybody/angular_atom_evaluator.hpp"
#include "md/forces/manybody/snap_evaluator.hpp"
#include "md/forces/manybody/stillinger_weber_evaluator.hpp"
#include "md/forces/manybody/tersoff_evaluator.hpp"
#include "md/model/embedded_atom.hpp"
#include "md/model/snap.hpp"
#include "md/model/stillinger_weber.hpp"
#include "md/model/tersoff.hpp"

// What every potential of bonds must fulfill, whatever its formula: forces and virial are differences
// of the energy; the order of atoms, the origin and the direction do not matter; energies end without
// a step at the cutoff; each instruction set and precision computes the same.

using namespace sterna::md;

namespace {

struct Potential {
  std::string name;
  double cutoff;
  int types;
  double edge;  ///< of a unit cell of diamond near rest
  std::function<std::unique_ptr<BondEvaluator>(Precision, std::string_view)> evaluator;
};

/// Two elements whose pairs and angles all differ; powers that are no whole numbers.
StillingerWeberPotential alloy() {
  std::vector<StillingerWeberParameters> triples;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      for (int k = 0; k < 2; ++k) {
        StillingerWeberParameters p{.epsilon = 2.0 - 0.4 * (j + k) - 0.3 * i,
                                    .sigma = 2.0,
                                    .a = 1.8,
                                    .lambda = 20.0 + 2.0 * i,
                                    .gamma = 1.2 - 0.2 * j,
                                    .cos_theta0 = -0.33 + 0.1 * (j + k),
                                    .A = 7.0,
                                    .B = 0.6,
                                    .p = 4.0,
                                    .q = 0.0};
        if (j == k) {
          p.epsilon = 2.0 - 0.5 * (i + j);
          p.sigma = 2.1 - 0.1 * (i + j);
          p.p = 4.0 + 0.3 * (i + j);
          p.q = i + j == 0 ? 0.0 : 0.5;
        }
        triples.push_back(p);
      }
    }
  }
  return {triples, 2};
}

/// Coefficients at random, without a constant, which an atom alone would have.
SnapPotential snap(SnapForm form, int types) {
  form.cutoff_factor = 1.0;
  std::mt19937_64 engine(3);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<SnapElement> elements;
  std::vector<std::size_t> of_type;
  for (int n = 0; n < types; ++n) {
    SnapElement element{.name = n == 0 ? "A" : "B",
                        .radius = 2.0 - 0.1 * n,
                        .weight = 1.0 - 0.3 * n,
                        .inner_middle = 1.6,
                        .inner_half_width = 0.9};
    element.coefficients.push_back(0.0);
    const std::size_t count =
        SnapPotential::coefficient_count(form, static_cast<std::size_t>(types));
    while (element.coefficients.size() < count) {
      element.coefficients.push_back(0.01 * uniform(engine));
    }
    elements.push_back(element);
    of_type.push_back(static_cast<std::size_t>(n));
  }
  return {form, elements, of_type, 1.0, 1.0};
}

/// Functions of two elements that all differ, and end at 4 with slope 0.
EmbeddedAtomPotential angular_alloy() {
  constexpr std::size_t points = 4001;
  EmbeddedAtomTables tables;
  tables.elements = {"A", "B"};
  tables.cutoff = 4.0;
  tables.distance_spacing = tables.cutoff / (points - 1);
  tables.density_spacing = 0.01;
  const auto tabulated = [&](double strength, double decay, bool times_r) {
    std::vector<double> values;
    for (std::size_t k = 0; k < points; ++k) {
      const double r = tables.distance_spacing * static_cast<double>(k), rest = tables.cutoff - r;
      values.push_back(strength * std::exp(-decay * r) * rest * rest * rest * (times_r ? r : 1.0));
    }
    return values;
  };
  for (int a = 0; a < 2; ++a) {
    std::vector<double>& embedding = tables.embedding.emplace_back();
    for (std::size_t k = 0; k < points; ++k) {
      embedding.push_back(-(1.0 + 0.3 * a) * std::sqrt(0.1 + 0.01 * static_cast<double>(k)) +
                          (1.0 + 0.3 * a) * std::sqrt(0.1));
    }
    for (int b = 0; b < 2; ++b) {
      tables.density.push_back(tabulated(0.8 + 0.3 * b, 0.5, false));
      tables.pair.push_back(tabulated(3.0 + 0.5 * (a + b), 1.2, true));
      tables.dipole.push_back(tabulated(0.2 - 0.3 * (a + b), 0.4, false));
      tables.quadrupole.push_back(tabulated(-0.1 + 0.15 * (a + b), 0.3, false));
    }
  }
  const std::size_t elements[] = {0, 1};
  return {tables, elements, 1.0, 1.0};
}

/// Two elements by a form that Tersoff did not publish.
TersoffPotential tersoff_like(TersoffForm form) {
  std::vector<TersoffParameters> triples;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      for (int k = 0; k < 2; ++k) {
        TersoffParameters p{.m = i == 0 ? 3.0 : 1.0,
                            .lambda3 = 0.8 - 0.4 * i,
                            .c = 1e5,
                            .d = 16.2,
                            .cos_theta0 = -0.4 - 0.1 * k,
                            .n = 0.8,
                            .beta = 1.1e-6,
                            .lambda2 = 1.7 - 0.1 * (i + j),
                            .B = 450.0,
                            .R = 2.8 - 0.1 * (i + k),
                            .D = 0.3,
                            .lambda1 = 2.5,
                            .A = 1800.0};
        if (form == TersoffForm::nuclei) {
          // The two parts meet where the bonds are.
          p.nucleus_i = 3.0 + i;
          p.nucleus_j = 3.0 + j;
          p.fermi_center = 2.2;
          p.fermi_steepness = 5.0;
        } else {
          p.lambda2 = 1.35;
          p.B = 120.0;
          p.eta = 1.2 - 0.1 * (i + j);
          p.c1 = 0.2;
          p.c2 = 0.73;
          p.c3 = 1.0 + 0.2 * k;
          p.c4 = 1.5;
          p.c5 = 6.0;
        }
        triples.push_back(p.completed(form));
      }
    }
  }
  return {triples, 2, form};
}

std::vector<Potential> potentials() {
  std::vector<Potential> all;
  const auto add_tersoff = [&](const std::string& name, const TersoffPotential& potential,
                               double edge) {
    all.push_back({name, potential.cutoff(), potential.type_count(), edge,
                   [potential](Precision precision, std::string_view kernels) {
                     return std::make_unique<TersoffEvaluator>(potential, precision, kernels);
                   }});
  };
  const auto add_stillinger_weber = [&](const std::string& name,
                                        const StillingerWeberPotential& potential, double edge) {
    all.push_back({name, potential.cutoff(), potential.type_count(), edge,
                   [potential](Precision precision, std::string_view kernels) {
                     return std::make_unique<StillingerWeberEvaluator>(potential, precision,
                                                                       kernels);
                   }});
  };
  const auto add_snap = [&](const std::string& name, SnapForm form, int types) {
    const SnapPotential potential = snap(form, types);
    const std::vector<char> all_types(static_cast<std::size_t>(types), 1);
    all.push_back({name, potential.cutoff(), types, 5.2,
                   [potential, all_types](Precision, std::string_view kernels) {
                     return std::make_unique<SnapEvaluator>(potential, all_types, kernels);
                   }});
  };
  const TersoffElement* const silicon = find_tersoff_element("Si(C)");
  const TersoffElement* const mixed[] = {find_tersoff_element("Si"), find_tersoff_element("C")};
  add_tersoff("Si", TersoffPotential::of_elements(std::span(&silicon, 1), 1.0, 1.0), 5.43);
  add_tersoff("SiC", TersoffPotential::of_elements(mixed, 1.0, 1.0), 4.4);
  add_tersoff("with nuclei", tersoff_like(TersoffForm::nuclei), 5.2);
  add_tersoff("modified", tersoff_like(TersoffForm::modified), 5.2);
  for (const StillingerWeberElement& element : stillinger_weber_elements()) {
    add_stillinger_weber(std::string(element.name),
                         StillingerWeberPotential({element.parameters}, 1),
                         2.592 * element.parameters.sigma);
  }
  add_stillinger_weber("an alloy", alloy(), 5.2);
  const EmbeddedAtomPotential angular = angular_alloy();
  all.push_back(
      {"ADP", angular.cutoff(), 2, 5.2, [angular](Precision, std::string_view kernels) {
         return std::make_unique<AngularAtomEvaluator>(angular, std::vector<char>{1, 1}, kernels);
       }});
  add_snap("SNAP", {.twice_j = 6, .rmin0 = 0.2}, 1);
  add_snap("SNAP of an alloy", {.twice_j = 4, .inner_switch = true}, 2);
  add_snap("quadratic SNAP", {.twice_j = 3, .quadratic = true}, 2);
  add_snap("SNAP of elements", {.twice_j = 3, .chemical = true, .normalized = true}, 2);
  for (const test::AceKind& kind : test::ace_kinds()) {
    const AcePotential potential = test::ace_potential(kind);
    const std::vector<char> all_types(kind.elements.size(), 1);
    all.push_back({kind.name, potential.cutoff(), potential.type_count(), 5.2,
                   [potential, all_types](Precision, std::string_view kernels) {
                     return std::make_unique<AceEvaluator>(potential, all_types, kernels);
                   }});
  }
  return all;
}

test::Crystal disordered(const Potential& potential) {
  test::Crystal crystal = test::diamond(1, potential.edge, 0, potential.types - 1);
  // Alloys have each element on both sublattices.
  if (potential.types > 1) std::swap(crystal.atoms[0].type, crystal.atoms[3].type);
  test::jitter(crystal, 0.3, 5);
  return crystal;
}

double& coordinate(Position& atom, int axis) {
  return axis == 0 ? atom.x : axis == 1 ? atom.y : atom.z;
}

}  // namespace

TEST_CASE("forces and virial are differences of the energy") {
  for (const Potential& potential : potentials()) {
    CAPTURE(potential.name);
    const auto evaluator = potential.evaluator(Precision::double_precision, "auto");
    const test::Crystal crystal = disordered(potential);
    const auto energy = [&](const test::Crystal& of) {
      return test::evaluate(*evaluator, of, potential.cutoff).sums.energy;
    };
    const test::BondResult result = test::evaluate(*evaluator, crystal, potential.cutoff);
    constexpr double h = 1e-5;
    double largest = 0.0;
    for (const Vec3& force : result.force)
      largest = std::max(largest, std::sqrt(dot(force, force)));
    REQUIRE(largest > 0.01);
    for (std::size_t i = 0; i < crystal.atoms.size(); i += 3) {
      for (int axis = 0; axis < 3; ++axis) {
        test::Crystal there = crystal, back = crystal;
        coordinate(there.atoms[i], axis) += h;
        coordinate(back.atoms[i], axis) -= h;
        const double difference = (energy(back) - energy(there)) / (2.0 * h);
        CHECK(std::fabs(result.force[i][axis] - difference) < 1e-7 * largest);
      }
    }
    for (int axis = 0; axis < 3; ++axis) {
      const auto stretched = [&](double factor) {
        test::Crystal cell = crystal;
        cell.edge[axis] *= factor;
        for (Position& atom : cell.atoms) coordinate(atom, axis) *= factor;
        return energy(cell);
      };
      const double difference = (stretched(1.0 - h) - stretched(1.0 + h)) / (2.0 * h);
      CHECK(std::fabs(result.sums.virial[axis] - difference) < 1e-6 * largest);
    }
    Vec3 sum{};
    for (const Vec3& force : result.force) sum += force;
    CHECK(std::sqrt(dot(sum, sum)) < 1e-11 * largest);
  }
}

TEST_CASE("order, origin and direction do not matter") {
  for (const Potential& potential : potentials()) {
    CAPTURE(potential.name);
    const auto evaluator = potential.evaluator(Precision::double_precision, "auto");
    const test::Crystal crystal = disordered(potential);
    const test::BondResult plain = test::evaluate(*evaluator, crystal, potential.cutoff);

    test::Crystal reversed = crystal;
    std::ranges::reverse(reversed.atoms);
    const test::BondResult backward = test::evaluate(*evaluator, reversed, potential.cutoff);
    CHECK(backward.sums.energy == doctest::Approx(plain.sums.energy).epsilon(1e-13));
    for (std::size_t i = 0; i < crystal.atoms.size(); ++i) {
      const Vec3 d = plain.force[i] - backward.force[crystal.atoms.size() - 1 - i];
      CHECK(std::sqrt(dot(d, d)) < 1e-11);
    }

    // The axes in turn: x becomes y, y becomes z, z becomes x.
    test::Crystal turned = crystal;
    for (std::size_t i = 0; i < crystal.atoms.size(); ++i) {
      const Position& atom = crystal.atoms[i];
      turned.atoms[i] = {atom.z, atom.x, atom.y, atom.type};
    }
    const test::BondResult around = test::evaluate(*evaluator, turned, potential.cutoff);
    CHECK(around.sums.energy == doctest::Approx(plain.sums.energy).epsilon(1e-13));
    CHECK(around.sums.virial[3] == doctest::Approx(plain.sums.virial[4]).epsilon(1e-10));
    CHECK(around.sums.virial[4] == doctest::Approx(plain.sums.virial[5]).epsilon(1e-10));
    CHECK(around.sums.virial[5] == doctest::Approx(plain.sums.virial[3]).epsilon(1e-10));
    for (std::size_t i = 0; i < crystal.atoms.size(); ++i) {
      CHECK(std::fabs(around.force[i].y - plain.force[i].x) < 1e-11);
    }
  }
}

TEST_CASE("energies end at the cutoff without a step") {
  for (const Potential& potential : potentials()) {
    CAPTURE(potential.name);
    const auto evaluator = potential.evaluator(Precision::double_precision, "auto");
    const double edge = 10.0 * potential.cutoff;
    for (int type = 0; type < potential.types; ++type) {
      const double cutoff = std::sqrt(evaluator->bond_cutoff_squared(type, type));
      for (const double inside : {1e-9, -1e-9}) {
        // Three atoms: two at a bond's length, the third at the cutoff of the first.
        const test::Crystal crystal{{edge, edge, edge},
                                    {{edge / 2, edge / 2, edge / 2, type},
                                     {edge / 2 + 0.6 * cutoff, edge / 2, edge / 2, type},
                                     {edge / 2, edge / 2 + cutoff - inside, edge / 2, type}}};
        const test::Crystal pair{crystal.edge, {crystal.atoms[0], crystal.atoms[1]}};
        const double with =
            test::evaluate(*evaluator, crystal, 1.01 * potential.cutoff).sums.energy;
        const double without =
            test::evaluate(*evaluator, pair, 1.01 * potential.cutoff).sums.energy;
        CHECK(std::fabs(with - without) < 1e-8 * std::fabs(without));
      }
    }
  }
}

TEST_CASE("all instruction sets and precisions compute the same") {
  for (const Potential& potential : potentials()) {
    CAPTURE(potential.name);
    const test::Crystal crystal = disordered(potential);
    const auto reference = potential.evaluator(Precision::double_precision, "baseline");
    const test::BondResult expected = test::evaluate(*reference, crystal, potential.cutoff);
    double largest = 0.0;
    for (const Vec3& force : expected.force) {
      largest = std::max(largest, std::sqrt(dot(force, force)));
    }
    for (const auto* const kernels : available_stillinger_weber_kernels()) {
      CAPTURE(std::string(kernels->name));
      for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
        const auto evaluator = potential.evaluator(precision, kernels->name);
        const test::BondResult result = test::evaluate(*evaluator, crystal, potential.cutoff);
        const double tolerance = precision == Precision::mixed ? 1e-5 : 1e-12;
        CHECK(result.sums.energy == doctest::Approx(expected.sums.energy).epsilon(tolerance));
        for (std::size_t i = 0; i < crystal.atoms.size(); ++i) {
          const Vec3 d = result.force[i] - expected.force[i];
          CHECK(std::sqrt(dot(d, d)) < tolerance * largest);
        }
      }
    }
  }
}
