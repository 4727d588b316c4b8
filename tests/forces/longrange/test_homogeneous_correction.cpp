#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "forces/longrange/molecules.hpp"
#include "md/core/quaternion.hpp"
#include "md/forces/longrange/averaged_potential.hpp"
#include "md/forces/longrange/homogeneous_correction.hpp"
#include "md/model/lennard_jones.hpp"

using namespace sterna::md;

namespace {

/// Points on the unit sphere: Gauss and Legendre of eight points along z, sixteen around it.
struct Sphere {
  std::vector<Vec3> direction;
  std::vector<double> weight;
  Sphere() {
    const double x[] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                        0.9602898564975363};
    const double w[] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                        0.1012285362903763};
    for (int k = 0; k < 8; ++k) {
      const double z = k < 4 ? x[k] : -x[k - 4];
      for (int turn = 0; turn < 16; ++turn) {
        const double angle = 2.0 * std::numbers::pi * (turn + 0.5) / 16;
        const double across = std::sqrt(1.0 - z * z);
        direction.push_back({across * std::cos(angle), across * std::sin(angle), z});
        weight.push_back(0.5 * w[k % 4] / 16.0);
      }
    }
  }
};

/// The average over all places of every two sites, by quadrature over both spheres.
double averaged_energy(const MoleculeModel& model, std::size_t a, std::size_t b, double distance) {
  static const Sphere sphere;
  double sum = 0.0;
  const auto mixing = a == b ? MoleculeModel::Mixing{} : model.mix(a, b);
  for (const auto& i : model.components[a].lennard_jones) {
    for (const auto& j : model.components[b].lennard_jones) {
      const double sigma = mixing.eta * 0.5 * (i.sigma + j.sigma);
      const double epsilon = mixing.xi * std::sqrt(i.epsilon * j.epsilon);
      const double radius_i = std::sqrt(dot(i.position, i.position));
      const double radius_j = std::sqrt(dot(j.position, j.position));
      for (std::size_t p = 0; p < sphere.weight.size(); ++p) {
        for (std::size_t q = 0; q < sphere.weight.size(); ++q) {
          const Vec3 d = Vec3{0, 0, distance} + radius_i * sphere.direction[p] -
                         radius_j * sphere.direction[q];
          const double s6 = std::pow(sigma * sigma / dot(d, d), 3);
          sum += sphere.weight[p] * sphere.weight[q] * 4.0 * epsilon * (s6 * s6 - s6);
        }
      }
    }
  }
  return sum;
}

}  // namespace

TEST_CASE("the averaged potential is the average over orientations") {
  const double cutoff = 2.8;
  const MoleculeModel model = test::mixture(cutoff);
  for (std::size_t a = 0; a < 2; ++a) {
    for (std::size_t b = 0; b < 2; ++b) {
      const AveragedPotential averaged(model, a, b);
      for (const double distance : {2.8, 3.5, 6.0}) {
        CHECK(averaged.energy(distance) ==
              doctest::Approx(averaged_energy(model, a, b, distance)).epsilon(1e-9));
        const double h = 1e-4;
        CHECK(averaged.slope(distance) ==
              doctest::Approx(distance *
                              (averaged.energy(distance + h) - averaged.energy(distance - h)) /
                              (2 * h))
                  .epsilon(1e-6));
      }
    }
  }
}

TEST_CASE("energy and virial of a mixture are integrals of the averaged potential") {
  const double cutoff = 2.8, volume = 700.0;
  const MoleculeModel model = test::mixture(cutoff);
  const double counts[] = {120, 300};
  double energy = 0.0, virial = 0.0;
  // r = cutoff / s: smooth on (0, 1]; Simpson's rule.
  const int steps = 60;
  for (std::size_t a = 0; a < 2; ++a) {
    for (std::size_t b = 0; b < 2; ++b) {
      for (int k = 1; k <= steps; ++k) {
        const double s = static_cast<double>(k) / steps;
        const double r = cutoff / s;
        const double weight = (k == steps ? 1.0 : (k % 2 == 1 ? 4.0 : 2.0)) / (3.0 * steps);
        const double shell = 2 * std::numbers::pi * counts[a] * counts[b] / volume * r * r *
                             cutoff / (s * s) * weight;
        const double h = 1e-3 * r;
        const auto u = [&](double at) { return averaged_energy(model, a, b, at); };
        energy += shell * u(r);
        virial -=
            shell * r * (8 * (u(r + h) - u(r - h)) - (u(r + 2 * h) - u(r - 2 * h))) / (12 * h);
      }
    }
  }
  const HomogeneousCorrection correction(model);
  const auto values = correction(counts, volume);
  CHECK(values.energy == doctest::Approx(energy).epsilon(1e-6));
  CHECK(values.virial == doctest::Approx(virial).epsilon(1e-6));
}

TEST_CASE("single sites are corrected as atoms are") {
  Component a, b;
  a.lennard_jones = {{{}, 1.0, 1.0}};
  b.lennard_jones = {{{}, 0.5, 1.3}};
  MoleculeModel model = test::model_of({a, b}, 2.5);
  const auto mixed = mix(Mixing::lorentz_berthelot, {1.0, 1.0}, {0.5, 1.3});
  const LennardJones atoms(
      std::vector<LennardJones::PairParameters>{{1.0, 1.0}, mixed, mixed, {0.5, 1.3}}, 2, 2.5,
      Truncation::truncated);
  const double counts[] = {100, 50};
  const auto expected = atoms.tail_correction(counts, 200.0);
  const auto values = HomogeneousCorrection(model)(counts, 200.0);
  CHECK(values.energy == doctest::Approx(expected.energy).epsilon(1e-13));
  CHECK(values.virial == doctest::Approx(expected.virial).epsilon(1e-13));

  SUBCASE("a cutoff of sites knows no centers") {
    model.components[0].lennard_jones[0].position = {0.3, 0, 0};
    model.cutoff_kind = MoleculeModel::Cutoff::site;
    CHECK(HomogeneousCorrection(model)(counts, 200.0).energy ==
          doctest::Approx(expected.energy).epsilon(1e-13));
  }
  SUBCASE("a shifted pair has no correction") {
    model.shifted.assign(4, 1);
    CHECK(HomogeneousCorrection(model)(counts, 200.0).energy == 0.0);
  }
}

TEST_CASE("a molecule in its own reaction field") {
  Component polar;
  polar.dipoles = {{{}, {0.3, 0.0, 0.4}}};
  polar.charges = {{{0, 0, 0.5}, 0.6}, {{0, 0, -0.5}, -0.6}};
  MoleculeModel model = test::model_of({polar}, 3.0);
  model.electrostatics = MoleculeModel::Electrostatics::reaction_field;
  model.reaction_field_epsilon = 7.0;
  const double counts[] = {10};
  const auto values = HomogeneousCorrection(model)(counts, 1000.0);
  // Dipole and charges together: (0.3, 0, 1).
  CHECK(values.energy == doctest::Approx(-0.5 * 10 * 1.09 * 12.0 / 15.0 / 27.0));
  CHECK(values.virial == doctest::Approx(3.0 * values.energy));
}

TEST_CASE("sites that reach beyond the cutoff are refused") {
  CHECK_THROWS_WITH_AS(HomogeneousCorrection(test::mixture(0.9)), doctest::Contains("reach"),
                       std::invalid_argument);
}
