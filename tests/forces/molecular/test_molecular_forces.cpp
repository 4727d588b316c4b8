#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "forces/longrange/molecules.hpp"
#include "forces/molecular/molecular_system.hpp"
#include "forces/molecular/site_energies.hpp"
#include "md/forces/molecular/molecular_kernels.hpp"
#include "md/forces/pair/pair_forces.hpp"
#include "md/model/lennard_jones.hpp"

using namespace sterna::md;
using test::MolecularResult;
using test::MolecularSystem;
using test::Molecule;

namespace {

using Cutoff = MoleculeModel::Cutoff;
using Electrostatics = MoleculeModel::Electrostatics;

Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// A turn by `angle` about a laboratory axis, after `q`.
Quaternion turned(const Quaternion& q, int axis, double angle) {
  Quaternion turn{std::cos(0.5 * angle), 0, 0, 0};
  (axis == 0 ? turn.x : axis == 1 ? turn.y : turn.z) = std::sin(0.5 * angle);
  return turn * q;
}

/// Central differences with the errors of second and fourth order eliminated.
double derivative(const std::function<double(double)>& f) {
  const double h = 4e-3;
  const auto d = [&f](double s) { return (f(s) - f(-s)) / (2.0 * s); };
  return (64.0 * d(h / 4) - 20.0 * d(h / 2) + d(h)) / 45.0;
}

struct ForceAndTorque {
  Vec3 force, torque;
};

/// On `first`, from the energy alone.
ForceAndTorque by_differences(const MoleculeModel& model, const Molecule& first,
                              const Molecule& second) {
  ForceAndTorque result;
  for (int axis = 0; axis < 3; ++axis) {
    result.force[axis] = -derivative([&](double s) {
      Molecule moved = first;
      moved.center[axis] += s;
      return test::pair_energy(model, moved, second, first).total;
    });
    result.torque[axis] = -derivative([&](double s) {
      Molecule moved = first;
      moved.orientation = turned(first.orientation, axis, s);
      return test::pair_energy(model, moved, second, first).total;
    });
  }
  return result;
}

const Component::LennardJonesSite lennard_jones{{0.2, -0.1, 0.3}, 1.1, 1.05};
const Component::ChargeSite charge{{-0.25, 0.15, 0.1}, 0.8};
const Component::DipoleSite dipole{{0.1, 0.2, -0.15}, {0.5, -0.7, 0.9}};
const Component::QuadrupoleSite quadrupole{{-0.1, 0.25, 0.2}, {0.6, 0.0, 0.8}, -1.3};

/// A component with the kinds of sites whose bits are set.
Component component_of(int kinds, double sign) {
  Component component;
  if (kinds & 1) component.lennard_jones = {lennard_jones};
  if (kinds & 2) component.charges = {{charge.position, sign * charge.charge}};
  if (kinds & 4) component.dipoles = {dipole};
  if (kinds & 8) component.quadrupoles = {quadrupole};
  return component;
}

/// Sites of every kind, two of them at one point and one at the center.
std::vector<Component> rich_components() {
  Component a = component_of(15, 1.0);
  a.lennard_jones.push_back({{}, 0.7, 0.9});
  a.lennard_jones.push_back({charge.position, 0.4, 0.8});
  a.charges.push_back({{}, -0.5});
  Component b;
  b.lennard_jones = {{{0, 0, 0.35}, 0.9, 0.95}, {{0, 0, -0.35}, 0.9, 0.95}};
  b.charges = {{{0, 0, 0.35}, 0.4}, {{0, 0, -0.35}, -0.4}};
  b.quadrupoles = {{{}, {0, 0, 1}, 0.8}};
  Component c;
  c.lennard_jones = {{{}, 1.2, 1.0}};
  Component d;
  d.lennard_jones = {{{}, 0.8, 1.1}};
  d.dipoles = {{{}, {0, 0.6, 0}}, {{0.1, 0, 0}, {0.3, 0, 0.2}}};
  return {a, b, c, d};
}

MolecularSystem lattice(const Box& box, int edge, std::size_t component_count, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> jitter(-0.2, 0.2);
  MolecularSystem system{.box = box, .center = {}, .orientation = {}, .component = {}};
  for (int k = 0; k < edge * edge * edge; ++k) {
    const Vec3 site{(0.5 + k % edge) * box.length.x / edge,
                    (0.5 + k / edge % edge) * box.length.y / edge,
                    (0.5 + k / edge / edge) * box.length.z / edge};
    system.center.push_back(site + Vec3{jitter(engine), jitter(engine), jitter(engine)});
    system.orientation.push_back(test::random_orientation(engine));
    system.component.push_back(static_cast<std::size_t>(engine()) % component_count);
  }
  return system;
}

/// Every pair of molecules and images by the energies of the textbook.
MolecularResult brute_force(const MoleculeModel& model, const MolecularSystem& system,
                            double range) {
  MolecularResult result;
  result.force.resize(system.size());
  result.torque.resize(system.size());
  for (std::size_t i = 0; i < system.size(); ++i) {
    for (std::size_t j = 0; j < system.size(); ++j) {
      for (int s = 0; s < 27; ++s) {
        if (i == j && s == 13) continue;
        const Vec3 shift{(s % 3 - 1) * system.box.length.x, (s / 3 % 3 - 1) * system.box.length.y,
                         (s / 9 - 1) * system.box.length.z};
        const Molecule first{system.component[i], system.center[i], system.orientation[i]};
        const Molecule second{system.component[j], system.center[j] + shift, system.orientation[j]};
        const Vec3 d = first.center - second.center;
        if (length(d) >= range) continue;
        const ForceAndTorque pair = by_differences(model, first, second);
        result.force[i] += pair.force;
        result.torque[i] += pair.torque;
        const test::PairEnergy energy = test::pair_energy(model, first, second, first);
        result.sums.energy += 0.5 * energy.total;
        const Vec3& f = pair.force;
        // A shear of the box moves x by y and z, and y by z.
        const double products[6] = {d.x * f.x, d.y * f.y, d.z * f.z,
                                    d.y * f.x, d.z * f.x, d.z * f.y};
        for (int k = 0; k < 6; ++k) {
          result.sums.virial[k] += 0.5 * (products[k] + (k < 3 ? energy.reaction_field : 0.0));
        }
      }
    }
  }
  return result;
}

double largest_deviation(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double scale = 0.0, worst = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    scale = std::max(scale, length(b[i]));
    worst = std::max(worst, length(a[i] - b[i]));
  }
  return scale > 0.0 ? worst / scale : worst;
}

void check_against(const MoleculeModel& model, const MolecularSystem& system,
                   const MolecularResult& expected) {
  for (const MolecularKernels* kernels : available_molecular_kernels()) {
    for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
      CAPTURE(std::string(kernels->name));
      CAPTURE(static_cast<int>(precision));
      const double tolerance = precision == Precision::mixed ? 3e-5 : 1e-8;
      const MolecularResult result = test::compute(model, system, precision, kernels->name);
      CHECK(largest_deviation(result.force, expected.force) < tolerance);
      CHECK(largest_deviation(result.torque, expected.torque) < tolerance);
      const double energy_tolerance = precision == Precision::mixed ? 3e-5 : 1e-12;
      CHECK(result.sums.energy == doctest::Approx(expected.sums.energy).epsilon(energy_tolerance));
      double scale = 0.0;
      for (const double w : expected.sums.virial) scale = std::max(scale, std::fabs(w));
      for (int k = 0; k < 6; ++k) {
        CHECK(std::fabs(result.sums.virial[k] - expected.sums.virial[k]) < tolerance * scale);
      }
      const MolecularResult again = test::compute(model, system, precision, kernels->name, false);
      CHECK(again.force == result.force);
      CHECK(again.torque == result.torque);
      // With all ghosts in the list, pairs across the border are computed on both sides.
      const MolecularResult full =
          test::compute(model, system, precision, kernels->name, true, 0.3, test::Shell::full);
      CHECK(largest_deviation(full.force, expected.force) < tolerance);
      CHECK(full.sums.energy == doctest::Approx(expected.sums.energy).epsilon(energy_tolerance));
    }
  }
}

}  // namespace

TEST_CASE("every combination of site types against central differences of the energy") {
  std::mt19937_64 engine(11);
  for (int kinds_a = 1; kinds_a < 16; ++kinds_a) {
    for (int kinds_b = kinds_a; kinds_b < 16; ++kinds_b) {
      CAPTURE(kinds_a);
      CAPTURE(kinds_b);
      MoleculeModel model =
          test::model_of({component_of(kinds_a, 1.0), component_of(kinds_b, -0.6)}, 4);
      model.electrostatics = Electrostatics::reaction_field;
      model.reaction_field_epsilon = 5.0;
      model.mixing[1] = model.mixing[2] = {.eta = 0.97, .xi = 0.9};
      model.shifted[1] = model.shifted[2] = 1;
      MolecularSystem system{
          .box = {{20, 20, 20}},
          .center = {{9.0, 10.0, 10.0}, {10.1, 10.4, 10.9}},
          .orientation = {test::random_orientation(engine), test::random_orientation(engine)},
          .component = {0, 1}};
      const MolecularResult expected = brute_force(model, system, model.cutoff);
      // A charge does not meet a Lennard-Jones site.
      if (length(expected.force[0]) == 0.0) {
        const MolecularResult result =
            test::compute(model, system, Precision::double_precision, "auto");
        CHECK(result.force[0] == Vec3{});
        CHECK(result.sums.energy == 0.0);
        continue;
      }
      for (const MolecularKernels* kernels : available_molecular_kernels()) {
        CAPTURE(std::string(kernels->name));
        const MolecularResult result =
            test::compute(model, system, Precision::double_precision, kernels->name);
        CHECK(result.sums.energy == doctest::Approx(expected.sums.energy).epsilon(1e-12));
        CHECK(largest_deviation(result.force, expected.force) < 1e-8);
        if (kinds_a > 1 || kinds_b > 1) {
          CHECK(largest_deviation(result.torque, expected.torque) < 1e-8);
        }
        // Newton's third law, for momentum and angular momentum.
        const double scale = length(result.force[0]);
        CHECK(length(result.force[0] + result.force[1]) < 1e-13 * scale);
        const Vec3 turning = cross(system.center[0] - system.center[1], result.force[0]) +
                             result.torque[0] + result.torque[1];
        CHECK(length(turning) < 1e-12 * scale);
      }
    }
  }
}

TEST_CASE("multipoles are the limit of groups of charges") {
  const auto charges_of = [](const Component& component, double h) {
    Component charges;
    for (const auto& site : component.dipoles) {
      const double moment = length(site.moment);
      const Vec3 arm = (h / moment) * site.moment;
      charges.charges.push_back({site.position + arm, moment / (2.0 * h)});
      charges.charges.push_back({site.position - arm, -moment / (2.0 * h)});
    }
    for (const auto& site : component.quadrupoles) {
      const double q = site.moment / (2.0 * h * h);
      charges.charges.push_back({site.position + h * site.axis, q});
      charges.charges.push_back({site.position, -2.0 * q});
      charges.charges.push_back({site.position - h * site.axis, q});
    }
    for (const auto& site : component.charges) charges.charges.push_back(site);
    return charges;
  };
  std::mt19937_64 engine(5);
  for (const int kinds_a : {2, 4, 8}) {
    for (const int kinds_b : {2, 4, 8}) {
      CAPTURE(kinds_a);
      CAPTURE(kinds_b);
      const Component a = component_of(kinds_a, 1.0), b = component_of(kinds_b, 1.0);
      const MolecularSystem system{
          .box = {{20, 20, 20}},
          .center = {{9.0, 10.0, 10.0}, {10.1, 10.4, 10.9}},
          .orientation = {test::random_orientation(engine), test::random_orientation(engine)},
          .component = {0, 1}};
      const auto compute = [&](const Component& first, const Component& second) {
        return test::compute(test::model_of({first, second}, 4), system,
                             Precision::double_precision, "auto");
      };
      const double h = 0.03;
      const MolecularResult coarse = compute(charges_of(a, h), charges_of(b, h));
      const MolecularResult fine = compute(charges_of(a, h / 2), charges_of(b, h / 2));
      const MolecularResult result = compute(a, b);
      CHECK((4 * fine.sums.energy - coarse.sums.energy) / 3 ==
            doctest::Approx(result.sums.energy).epsilon(3e-4));
      for (std::size_t i = 0; i < 2; ++i) {
        CHECK(length((1.0 / 3.0) * (4 * fine.force[i] - coarse.force[i]) - result.force[i]) <
              1e-3 * length(result.force[i]));
        CHECK(length((1.0 / 3.0) * (4 * fine.torque[i] - coarse.torque[i]) - result.torque[i]) <
              1e-3 * length(result.force[i]));
      }
    }
  }
}

TEST_CASE("a mixture in a periodic box, for every kernel and precision") {
  const Box box{{8.2, 8.6, 8.9}};
  const MolecularSystem system = lattice(box, 5, 4, 3);
  MoleculeModel model = test::model_of(rich_components(), 2.6);
  model.mixing[1] = model.mixing[4] = {.eta = 1.02, .xi = 0.95};
  model.shifted[2] = model.shifted[8] = 1;

  SUBCASE("cutoff of centers, reaction field") {
    model.electrostatics = Electrostatics::reaction_field;
    check_against(model, system, brute_force(model, system, model.cutoff));
  }
  SUBCASE("a shorter cutoff for the Lennard-Jones sites") {
    model.lennard_jones_cutoff = 2.2;
    check_against(model, system, brute_force(model, system, model.cutoff));
  }
  SUBCASE("charges and dipoles left to a long-range solver") {
    model.electrostatics = Electrostatics::none;
    check_against(model, system, brute_force(model, system, model.cutoff));
  }
  SUBCASE("cutoff of sites") {
    model.cutoff_kind = Cutoff::site;
    model.electrostatics = Electrostatics::reaction_field;
    const MolecularForces forces(model, Precision::double_precision, "auto");
    CHECK(forces.range() > model.cutoff + 0.6);
    check_against(model, system, brute_force(model, system, forces.range()));
  }
}

TEST_CASE("molecules of the shapes that have loops of their own") {
  // The Lennard-Jones site of water is not the first point here.
  Component water, linear, triangle, pair;
  water.charges = {{{0.3, 0.25, 0}, 0.4}, {{-0.3, 0.25, 0}, 0.4}, {{0, -0.05, 0.02}, -0.8}};
  water.lennard_jones = {{water.charges[2].position, 1.0, 1.0}};
  linear.lennard_jones = {{{}, 0.6, 0.9}, {{0, 0, 0.35}, 0.9, 1.0}, {{0, 0, -0.35}, 0.9, 1.0}};
  linear.charges = {{{}, 0.7}, {{0, 0, 0.35}, -0.35}, {{0, 0, -0.35}, -0.35}};
  triangle.lennard_jones = {
      {{0.3, 0, 0}, 1.0, 0.8}, {{-0.3, 0, 0}, 1.0, 0.8}, {{0, 0.3, 0}, 0.7, 0.9}};
  triangle.dipoles = {dipole};
  pair.lennard_jones = {{{0.2, 0, 0}, 1.0, 0.9}, {{-0.2, 0, 0}, 1.0, 0.9}};
  pair.quadrupoles = {quadrupole};
  // Points that lie in a plane with the center, on an axis, charges on it by themselves, and almost on
  // one.
  Component oxirane, flat_water, dioxide, rod, blunt;
  oxirane.lennard_jones = {
      {{0, 0.37, 0}, 0.7, 0.9}, {{0.3, -0.2, 0}, 1.0, 0.8}, {{-0.3, -0.2, 0}, 1.0, 0.8}};
  oxirane.dipoles = {{{}, {0, 0.9, 0}}};
  flat_water = water;
  flat_water.charges[2].position.z = flat_water.lennard_jones[0].position.z = 0.0;
  dioxide.lennard_jones = linear.lennard_jones;
  dioxide.charges = {{{}, 0.7}, {{0, 0, 0.1}, -0.35}, {{0, 0, -0.1}, -0.35}};
  rod.lennard_jones = {{{}, 1.0, 1.0}};
  rod.charges = {{{0, 0.1, 0}, 0.7}, {{0, -0.1, 0}, -0.35}, {{0, 0.3, 0}, -0.35}};
  blunt.lennard_jones = {
      {{0, 0.3, 0}, 0.7, 0.9}, {{0.01, -0.3, 0}, 1.0, 0.8}, {{-0.3, -0.2, 0.01}, 1.0, 0.8}};
  // Linear ones with a dipole or a quadrupole at the center, or with charges beside the sites, and a
  // longer one whose sites are not symmetric.
  Component dipolar, nitrogen, charged_nitrogen, quadrupolar, long_one;
  dipolar.lennard_jones = {{{0, 0.2, 0}, 1.0, 0.9}, {{0, -0.3, 0}, 0.7, 0.8}};
  dipolar.dipoles = {{{}, {0, -0.9, 0}}};
  nitrogen.lennard_jones = {{{0, 0, 0.2}, 0.9, 0.9}, {{0, 0, -0.2}, 0.9, 0.9}};
  nitrogen.quadrupoles = {{{}, {0, 0, -1}, -0.8}};
  charged_nitrogen.lennard_jones = nitrogen.lennard_jones;
  charged_nitrogen.charges = {{{}, 0.7}, {{0, 0, 0.25}, -0.35}, {{0, 0, -0.25}, -0.35}};
  quadrupolar.lennard_jones = linear.lennard_jones;
  quadrupolar.quadrupoles = {{{}, {0, 0, 1}, 1.1}};
  long_one.lennard_jones = {{{0.1, 0, 0}, 0.6, 0.5}, {{0.8, 0, 0}, 0.9, 0.4}};
  long_one.quadrupoles = {{{}, {1, 0, 0}, 0.5}};
  // Sites alone, and with charges at them.
  Component bent = oxirane, charged_bent, bare_linear;
  bent.dipoles = {};
  charged_bent.lennard_jones = bent.lennard_jones;
  charged_bent.charges = {{{0, 0.37, 0}, 0.5}, {{0.3, -0.2, 0}, -0.3}, {{-0.3, -0.2, 0}, -0.2}};
  bare_linear.lennard_jones = linear.lennard_jones;
  Component triangle_only = triangle, pair_only = pair;
  triangle_only.dipoles = {};
  pair_only.quadrupoles = {};
  const Box box{{8.2, 8.6, 8.9}};
  for (const std::vector<Component>& components :
       {std::vector{water},
        std::vector{linear},
        std::vector{triangle},
        std::vector{pair},
        std::vector{triangle_only},
        std::vector{pair_only},
        std::vector{water, linear, triangle, pair},
        std::vector{oxirane},
        std::vector{flat_water},
        std::vector{dioxide},
        std::vector{rod},
        std::vector{blunt},
        std::vector{oxirane, flat_water, dioxide, rod, blunt},
        std::vector{dipolar},
        std::vector{charged_nitrogen},
        std::vector{quadrupolar},
        std::vector{nitrogen, long_one, dipolar, charged_nitrogen},
        std::vector{bent},
        std::vector{charged_bent},
        std::vector{bare_linear},
        std::vector{bent, charged_bent, bare_linear, pair_only}}) {
    const MolecularSystem system = lattice(box, 5, components.size(), 6);
    MoleculeModel model = test::model_of(components, 2.6);
    model.electrostatics = Electrostatics::reaction_field;
    model.shifted[0] = 1;
    check_against(model, system, brute_force(model, system, model.cutoff));
    model.cutoff_kind = Cutoff::site;
    const MolecularForces forces(model, Precision::double_precision, "auto");
    check_against(model, system, brute_force(model, system, forces.range()));
  }
}

TEST_CASE("molecules that meet by one Lennard-Jones site each") {
  const Box box{{8.2, 8.6, 8.9}};
  const MolecularSystem system = lattice(box, 5, 1, 4);
  Component component = component_of(3, 1.0);
  SUBCASE("a site outside the center") {}
  SUBCASE("a site at the center") {
    component.lennard_jones[0].position = {};
  }
  MoleculeModel model = test::model_of({component}, 2.6);
  model.electrostatics = Electrostatics::none;
  model.shifted[0] = 1;
  check_against(model, system, brute_force(model, system, model.cutoff));
  model.lennard_jones_cutoff = 2.2;
  check_against(model, system, brute_force(model, system, model.cutoff));
  model.cutoff_kind = Cutoff::site;
  const MolecularForces forces(model, Precision::double_precision, "auto");
  check_against(model, system, brute_force(model, system, forces.range()));
}

TEST_CASE("more neighbors than are treated together") {
  // About 700 neighbors, of one component and of two; without charges in longer rows, too, and of
  // molecules that share rows.
  Component a;
  a.lennard_jones = {{{0.01, 0, 0}, 1.0, 0.2}};
  a.charges = {{{0, 0.02, 0}, 0.3}};
  Component b = a;
  b.charges[0].charge = -0.3;
  const Box box{{6.5, 6.5, 6.5}};
  Component uncharged = a;
  uncharged.charges.clear();
  Component pair = uncharged;
  pair.lennard_jones.push_back({{-0.02, 0, 0}, 0.8, 0.2});
  for (const std::vector<Component>& components :
       {std::vector{a}, std::vector{a, b}, std::vector{uncharged}, std::vector{pair}}) {
    MolecularSystem system = lattice(box, 11, components.size(), 8);
    const MoleculeModel model = test::model_of(components, 3.2);
    const double skin = components[0].charges.empty() ? 1.2 : 0.03;
    // Energies only: differences of so many pairs would take long.
    double expected = 0.0;
    for (std::size_t i = 0; i < system.size(); ++i) {
      for (std::size_t j = i + 1; j < system.size(); ++j) {
        Vec3 shift = system.center[i] - system.center[j];
        for (int axis = 0; axis < 3; ++axis) {
          shift[axis] = box.length[axis] * std::round(shift[axis] / box.length[axis]);
        }
        const Molecule first{system.component[i], system.center[i], system.orientation[i]};
        const Molecule second{system.component[j], system.center[j] + shift, system.orientation[j]};
        expected += test::pair_energy(model, first, second, first).total;
      }
    }
    for (const MolecularKernels* kernels : available_molecular_kernels()) {
      const MolecularResult result =
          test::compute(model, system, Precision::double_precision, kernels->name, true, skin);
      CHECK(result.sums.energy == doctest::Approx(expected).epsilon(1e-11));
      // Sums over many molecules are in double precision, too.
      const MolecularResult mixed =
          test::compute(model, system, Precision::mixed, kernels->name, true, skin);
      CHECK(mixed.sums.energy == doctest::Approx(expected).epsilon(1e-6));
      Vec3 total;
      for (const Vec3& f : result.force) total += f;
      CHECK(length(total) < 1e-9);
    }
  }
}

TEST_CASE("atoms are forced as on the fast path, whatever the form of the list") {
  struct Case {
    double edge, sigma, cutoff, skin, jitter;
    int count;
  };
  // Compressed rows; everything in one cell, whose rows are plain.
  for (const Case& system :
       {Case{9.0, 1.0, 2.5, 0.3, 0.12, 512}, Case{3.0, 0.1, 1.2, 0.4, 0.02, 4096}}) {
    const Box box{{system.edge, system.edge, system.edge}};
    ParticleStore particles = test::jittered_lattice(box, system.count, 2, system.jitter, 5);
    Component a, b;
    a.lennard_jones = {{{}, 1.0, system.sigma}};
    b.lennard_jones = {{{}, 0.6, 0.9 * system.sigma}};
    const auto mixed =
        mix(Mixing::lorentz_berthelot, {1.0, system.sigma}, {0.6, 0.9 * system.sigma});
    const LennardJones potential(
        std::vector<LennardJones::PairParameters>{
            {1.0, system.sigma}, mixed, mixed, {0.6, 0.9 * system.sigma}},
        2, system.cutoff, Truncation::shifted);
    MoleculeModel model = test::model_of({a, b}, system.cutoff);
    model.shifted.assign(4, 1);

    PairForces fast(potential, Precision::double_precision, "auto");
    PairList half("auto", fast.group(), fast.reads_half_lists());
    test::rebuild(half, particles, box, system.cutoff + system.skin);
    const EnergyAndVirial expected = test::compute(fast, half, particles);
    const std::vector<Vec3> force(particles.force.begin(), particles.force.end());
    // Particles keep their order.
    PairList list("auto", 1, true);
    test::rebuild(list, particles, box, system.cutoff + system.skin);
    CHECK((list.rows().compressed == nullptr) == (system.count == 4096));
    for (const MolecularKernels* kernels : available_molecular_kernels()) {
      for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
        CAPTURE(std::string(kernels->name));
        CAPTURE(static_cast<int>(precision));
        const double tolerance = precision == Precision::mixed ? 3e-5 : 1e-11;
        MolecularForces forces(model, precision, kernels->name);
        const EnergyAndVirial sums = test::compute(forces, list, particles);
        CHECK(sums.energy == doctest::Approx(expected.energy).epsilon(tolerance));
        CHECK(sums.virial_trace() == doctest::Approx(expected.virial_trace()).epsilon(tolerance));
        CHECK(largest_deviation({particles.force.begin(), particles.force.end()}, force) <
              tolerance);
      }
    }
  }
}

TEST_CASE("pairs of ls1-MarDyn") {
  // Energy, force and torques of two molecules as ls1-MarDyn gives them; six digits are certain of
  // force and torque. Lennard-Jones sites without energy are left out. Against charges (not against
  // quadrupoles) ls1's dipoles point from the positive to the negative charge.
  struct Published {
    const char* name;
    Component first, second;
    double energy;
    Vec3 force, torque_first, torque_second;
  };
  const Vec3 place{0.1, 0.2, 0.3}, z{0, 0, 1};
  Component atom;
  atom.lennard_jones = {{{}, 1.0, 1.0}};
  const auto charged = [&](double q) {
    Component c;
    c.charges = {{place, q}};
    return c;
  };
  const auto polar = [&](double moment) {
    Component c;
    c.dipoles = {{place, moment * z}};
    return c;
  };
  const auto quadrupolar = [&](double moment) {
    Component c;
    c.quadrupoles = {{place, z, moment}};
    return c;
  };
  const Published cases[] = {
      {"lj_lj", atom, atom, -5.24757391686280e-01, {1.52017239, 0.55278996, 0.967382429}, {}, {}},
      {"c_c",
       charged(1.5),
       charged(-0.7),
       -6.33404194304431e-01,
       {0.264609904, 0.212056717, 0.176099274},
       {-0.0952411256, 0.0353120533, 0.100588643},
       {0.0172411331, -0.043794322, 0.0268297846}},
      {"d_d",
       polar(1.5),
       polar(0.7),
       3.00953856233712e-01,
       {-0.489728182, -0.176656352, -0.233154152},
       {0.0330321112, -0.0746302212, 0.077696124},
       {-0.00263432561, -0.011709939, -0.0761268383}},
      {"q_q",
       quadrupolar(1.5),
       quadrupolar(0.7),
       1.89653404291964e-01,
       {-0.644086597, 0.0144629914, -0.290787383},
       {-0.00937403195, -0.099738581, 0.278741151},
       {-0.117065015, -0.0312559153, -0.00519722206}},
      {"c_d",
       charged(1.5),
       polar(-0.7),
       2.99645361206608e-01,
       {-0.237240214, -0.300953856, -0.0655254048},
       {0.0798483927, -0.0408955023, -0.10126745},
       {0.104609145, -0.0530947021, -0.134885707}},
  };
  const double s = std::sqrt(0.5);
  const MolecularSystem system{.box = {{20, 20, 20}},
                               .center = {{9.0, 10.0, 10.0}, {10.1, 10.4, 10.7}},
                               .orientation = {{s, s, 0, 0}, {0.9, 0.1, 0.3, 0.3}},
                               .component = {0, 1}};
  for (const Published& pair : cases) {
    CAPTURE(std::string(pair.name));
    MoleculeModel model = test::model_of({pair.first, pair.second}, 5.0);
    model.electrostatics = Electrostatics::reaction_field;
    // ls1 shifts between different components always.
    model.shifted.assign(4, 1);
    for (const MolecularKernels* kernels : available_molecular_kernels()) {
      const MolecularResult result =
          test::compute(model, system, Precision::double_precision, kernels->name);
      CHECK(result.sums.energy == doctest::Approx(pair.energy).epsilon(1e-12));
      for (int axis = 0; axis < 3; ++axis) {
        CHECK(std::fabs(result.force[0][axis] - pair.force[axis]) < 2e-6);
        CHECK(std::fabs(result.force[1][axis] + pair.force[axis]) < 2e-6);
        CHECK(std::fabs(result.torque[0][axis] - pair.torque_first[axis]) < 2e-6);
        CHECK(std::fabs(result.torque[1][axis] - pair.torque_second[axis]) < 2e-6);
      }
    }
  }
}

TEST_CASE("kernels that do not exist are refused with the names there are") {
  CHECK_THROWS_WITH_AS(
      MolecularForces(test::model_of(rich_components(), 2.0), Precision::mixed, "avx1024"),
      doctest::Contains("baseline"), std::invalid_argument);
}
