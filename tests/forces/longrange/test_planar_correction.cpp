#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "forces/longrange/molecules.hpp"
#include "md/forces/longrange/averaged_potential.hpp"
#include "md/forces/longrange/homogeneous_correction.hpp"
#include "md/forces/longrange/planar_correction.hpp"

using namespace sterna::md;

namespace {

/// A slab of liquid in vapor, of the box's length 20.
double density(std::size_t component, double z) {
  const double liquid = 0.5 * (std::tanh((z - 6.0) / 1.2) - std::tanh((z - 14.0) / 1.2));
  return component == 0 ? 0.02 + 0.6 * liquid : 0.05 + 0.1 * liquid;
}

/// What a molecule at z lacks, by summing rings of the fluid: layers by the trapezoid rule, rings
/// by Simpson's rule in 1/r, a sphere of the cutoff left out.
PlanarCorrection::Values by_rings(const MoleculeModel& model, std::size_t a, double z,
                                  double length) {
  PlanarCorrection::Values sum;
  for (std::size_t b = 0; b < model.components.size(); ++b) {
    const AveragedPotential pair(model, a, b);
    const double layer = 0.01;
    // As far as ten boxes; the rest is below the tolerance.
    const int layers = static_cast<int>(10.0 * length / layer);
    for (int k = -layers; k < layers; ++k) {
      const double distance = (k + 0.5) * layer;
      const double there = z - distance;
      const double rho = density(b, there - length * std::floor(there / length));
      const double nearest = std::max(pair.cutoff(), std::fabs(distance));
      const int rings = 20;
      for (int q = 1; q <= rings; ++q) {
        const double s = static_cast<double>(q) / rings;
        const double r = nearest / s;
        const double weight = (q == rings ? 1.0 : (q % 2 == 1 ? 4.0 : 2.0)) / (3.0 * rings);
        const double ring = 2.0 * std::numbers::pi * r * nearest / (s * s) * weight * layer * rho;
        const double force_over_r = -pair.slope(r) / (r * r);
        sum.energy += ring * pair.energy(r);
        sum.force += ring * force_over_r * distance;
        sum.virial_normal += ring * force_over_r * distance * distance;
        sum.virial_tangential += ring * force_over_r * 0.5 * (r * r - distance * distance);
      }
    }
  }
  return sum;
}

/// The sum over all molecules of the profile (components x slabs) per area across the normal.
PlanarCorrection::Values per_area(const PlanarCorrection& correction,
                                  const std::vector<double>& profile, double length) {
  PlanarCorrection::Values sum;
  const double width = length / static_cast<double>(correction.slabs());
  for (std::size_t k = 0; k < profile.size(); ++k) {
    const double middle = (static_cast<double>(k % correction.slabs()) + 0.5) * width;
    const auto values = correction.at(k / correction.slabs(), middle);
    sum.force += profile[k] * width * values.force;
    // Each pair is in the values of both of its molecules.
    const double half = 0.5 * profile[k] * width;
    sum.energy += half * values.energy;
    sum.virial_normal += half * values.virial_normal;
    sum.virial_tangential += half * values.virial_tangential;
  }
  return sum;
}

}  // namespace

TEST_CASE("a slab agrees with direct integration") {
  const double length = 20.0;
  const MoleculeModel model = test::mixture(2.6);
  const std::size_t slabs = 800;
  PlanarCorrection correction(averaged_potentials(model), length, slabs);
  std::vector<double> profile;
  for (std::size_t component = 0; component < 2; ++component) {
    for (std::size_t k = 0; k < slabs; ++k) {
      profile.push_back(density(component, (static_cast<double>(k) + 0.5) * length / slabs));
    }
  }
  correction.set_profile(profile);
  for (std::size_t component = 0; component < 2; ++component) {
    const double scale = std::fabs(correction.at(component, 10.0).energy);
    // Vapor, both sides of the interface, the middle; the last is an image.
    for (const double z : {1.0, 5.3, 6.4, 10.0, 13.6, 28.1}) {
      const auto expected = by_rings(model, component, z, length);
      const auto values = correction.at(component, z);
      CHECK(std::fabs(values.energy - expected.energy) < 2e-4 * scale);
      CHECK(std::fabs(values.force - expected.force) < 2e-4 * scale);
      CHECK(std::fabs(values.virial_normal - expected.virial_normal) < 1e-3 * scale);
      CHECK(std::fabs(values.virial_tangential - expected.virial_tangential) < 1e-3 * scale);
    }
  }
  // Actio is reactio: the forces on all molecules sum to nothing, to what points within a slab
  // give.
  const auto total = per_area(correction, profile, length);
  CHECK(std::fabs(total.force) < 1e-6 * std::fabs(total.energy));
  CHECK(total.energy < 0.0);
}

TEST_CASE("an even fluid is corrected as a homogeneous one") {
  const MoleculeModel model = test::mixture(2.6);
  const double length = 9.0, area = 50.0;
  const double density[] = {0.3, 0.1};
  PlanarCorrection correction(averaged_potentials(model), length, 37);
  std::vector<double> profile(37, density[0]);
  profile.insert(profile.end(), 37, density[1]);
  correction.set_profile(profile);
  const double counts[] = {density[0] * length * area, density[1] * length * area};
  const auto expected = HomogeneousCorrection(model)(counts, length * area);
  const auto total = per_area(correction, profile, length);
  CHECK(total.energy * area == doctest::Approx(expected.energy).epsilon(1e-8));
  CHECK((total.virial_normal + 2.0 * total.virial_tangential) * area ==
        doctest::Approx(expected.virial).epsilon(1e-8));
  CHECK(total.virial_normal == doctest::Approx(total.virial_tangential).epsilon(1e-7));
  CHECK(std::fabs(correction.at(0, 3.3).force) < 1e-10);
}

TEST_CASE("profiles of the wrong size are refused") {
  PlanarCorrection correction(averaged_potentials(test::mixture(2.6)), 9.0, 10);
  CHECK_THROWS_AS(correction.set_profile(std::vector<double>(10, 0.1)), std::invalid_argument);
  CHECK_THROWS_AS(PlanarCorrection(averaged_potentials(test::mixture(2.6)), 9.0, 0),
                  std::invalid_argument);
}
