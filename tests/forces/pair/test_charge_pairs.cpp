// Charges that end at a cutoff, against sums over all pairs: in every precision and instruction
// set, beside Lennard-Jones pairs with another cutoff.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "md/forces/pair/pair_forces.hpp"
#include "md/neighbors/pair_kernels.hpp"
#include "neighbors/periodic_system.hpp"

using namespace sterna::md;

namespace {

constexpr double cutoff = 2.5, pair_cutoff = 2.1, skin = 0.3;
constexpr int atoms_per_molecule = 12, count = 504;

double norm(const Vec3& v) {
  return std::sqrt(dot(v, v));
}

/// Atoms of one type with different charges, every third of them with none.
Topology molecules() {
  Topology::Molecule molecule;
  for (int k = 0; k < atoms_per_molecule; ++k) {
    molecule.atoms.push_back({"X", 0, k % 3 == 2 ? 0.0 : 0.3 * (k % 5 - 1.7), ""});
  }
  return Topology({molecule}, {{0, count / atoms_per_molecule}}, {});
}

LennardJones lennard_jones() {
  const std::vector<LennardJones::PairParameters> pairs{
      {1.0, 1.0}, {1.2, 0.95}, {1.2, 0.95}, {0.0, 1.0}};
  return LennardJones(pairs, 2, pair_cutoff, Truncation::shifted);
}

/// How two charges of 1 act on each other, by the formulas of the literature.
struct Form {
  CutoffCharges charges;
  std::function<double(double)> energy, force;
  bool answers_excluded;  ///< excluded pairs have all but 1/r
  double self;            ///< of a charge of 1
};

Form field(double inside, double outside) {
  const CutoffCharges charges = CutoffCharges::reaction_field(cutoff, inside, outside);
  const double k = charges.curvature, c = charges.shift;
  return {charges, [=](double r) { return 1.0 / r + k * r * r - c; },
          [=](double r) { return 1.0 / (r * r) - 2.0 * k * r; }, true, -0.5 * c};
}

Form truncated() {
  return {{cutoff, 0.0, 0.0, {}},
          [](double r) { return 1.0 / r; },
          [](double r) { return 1.0 / (r * r); },
          true,
          0.0};
}

/// Fennell and Gezelter (2006), equations 17 and 18; Wolf et al. (1999), equation 5.13.
Form damped(double alpha, bool shifts_force) {
  const double root = std::sqrt(std::numbers::pi);
  const auto u = [=](double r) { return std::erfc(alpha * r) / r; };
  const auto f = [=](double r) {
    return std::erfc(alpha * r) / (r * r) +
           2.0 * alpha / root * std::exp(-alpha * alpha * r * r) / r;
  };
  const double force = shifts_force ? f(cutoff) : 0.0;
  return {CutoffCharges::damped(cutoff, alpha, shifts_force),
          [=](double r) { return u(r) - u(cutoff) + force * (r - cutoff); },
          [=](double r) { return f(r) - force; }, true,
          -0.5 * (u(cutoff) + force * cutoff) - alpha / root};
}

Form screened(double kappa) {
  return {CutoffCharges::screened(cutoff, kappa),
          [=](double r) { return std::exp(-kappa * r) / r; },
          [=](double r) { return std::exp(-kappa * r) * (1.0 + kappa * r) / (r * r); }, false, 0.0};
}

Form force_shifted() {
  return {CutoffCharges::force_shifted(cutoff),
          [](double r) { return std::pow(1.0 - r / cutoff, 2) / r; },
          [](double r) { return 1.0 / (r * r) - 1.0 / (cutoff * cutoff); }, false, 0.0};
}

/// GROMACS manual, "Modified non-bonded interactions", of the power 1.
Form force_switched(double start) {
  const double rc = cutoff, w = rc - start;
  const double a = -(5.0 * rc - 2.0 * start) / (std::pow(rc, 3) * w * w);
  const double b = (4.0 * rc - 2.0 * start) / (std::pow(rc, 3) * w * w * w);
  const double c = 1.0 / rc - a / 3.0 * w * w * w - b / 4.0 * std::pow(w, 4);
  const auto x = [=](double r) { return std::max(0.0, r - start); };
  return {CutoffCharges::cubic_force_switched(cutoff, start),
          [=](double r) {
            return 1.0 / r - a / 3.0 * std::pow(x(r), 3) - b / 4.0 * std::pow(x(r), 4) - c;
          },
          [=](double r) { return 1.0 / (r * r) + a * x(r) * x(r) + b * std::pow(x(r), 3); }, false,
          0.0};
}

struct Expected {
  std::vector<Vec3> force;  ///< by id
  double pairs = 0.0, charges = 0.0;
  double virial[6] = {};
};

Expected brute_force(const ParticleStore& particles, const Box& box,
                     const std::vector<double>& charge, const Form& form, bool exclude) {
  Expected expected;
  const LennardJones potential = lennard_jones();
  const std::size_t n = particles.local_count();
  expected.force.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    Vec3 force;
    expected.charges += form.self * charge[i] * charge[i];
    for (std::size_t j = 0; j < n; ++j) {
      const bool same =
          exclude && i != j &&
          (particles.id[i] - 1) / atoms_per_molecule == (particles.id[j] - 1) / atoms_per_molecule;
      for (int s = 0; s < 27; ++s) {
        if (i == j && s == 13) continue;
        const Vec3 shift = box.translation(s % 3 - 1, s / 3 % 3 - 1, s / 9 - 1);
        const Vec3 d = particles.position[i].vector() - particles.position[j].vector() - shift;
        const double r = norm(d);
        const bool excluded = same && r < (1.0 + 1e-9) * norm(box.nearest_image(d));
        double f = 0.0;
        if (r < cutoff && (!excluded || form.answers_excluded)) {
          const double product = charge[i] * charge[j], inverse = excluded ? 1.0 / r : 0.0;
          expected.charges += 0.5 * product * (form.energy(r) - inverse);
          f += product * (form.force(r) - inverse * inverse) / r;
        }
        const auto pair =
            static_cast<std::size_t>(2 * particles.position[i].type + particles.position[j].type);
        if (r < pair_cutoff && !excluded) {
          const double r6 = std::pow(r, -6);
          const double c12 = potential.c12()[pair], c6 = potential.c6()[pair];
          expected.pairs += 0.5 * (r6 * (c12 * r6 - c6) - potential.energy_shift()[pair]);
          f += r6 * (12.0 * c12 * r6 - 6.0 * c6) / (r * r);
        }
        force += f * d;
        const double products[6] = {d.x * d.x, d.y * d.y, d.z * d.z,
                                    d.x * d.y, d.x * d.z, d.y * d.z};
        for (int k = 0; k < 6; ++k) expected.virial[k] += 0.5 * f * products[k];
      }
    }
    expected.force[static_cast<std::size_t>(particles.id[i]) - 1] = force;
  }
  return expected;
}

/// Places of the nearest images of the other atoms of a molecule, for each local particle.
std::vector<std::vector<std::uint32_t>> excluded_places(const ParticleStore& particles,
                                                        const Box& box) {
  std::vector<std::vector<std::uint32_t>> places(particles.local_count());
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    for (std::size_t p = 0; p < particles.total_count(); ++p) {
      if (particles.id[i] == particles.id[p]) continue;
      if ((particles.id[i] - 1) / atoms_per_molecule !=
          (particles.id[p] - 1) / atoms_per_molecule) {
        continue;
      }
      const Vec3 d = particles.position[p].vector() - particles.position[i].vector();
      if (norm(d) < (1.0 + 1e-9) * norm(box.nearest_image(d))) {
        places[i].push_back(static_cast<std::uint32_t>(p));
      }
    }
  }
  return places;
}

void check(const Box& box, Form form, bool exclude) {
  form.charges.of_types = {0.0, 0.0};
  const Topology topology = molecules();
  constexpr double factor = 0.7;
  ParticleStore particles = test::jittered_lattice(box, count, 2, 0.1, 11);
  particles.set_ghost_ids(true);
  std::vector<double> charge;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    charge.push_back(factor * topology.atom_of(particles.id[i]).charge);
  }
  const Expected expected = brute_force(particles, box, charge, form, exclude);
  for (const PairKernels* kernels : available_pair_kernels()) {
    for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
      for (const std::uint32_t group : {1u, 2u, 4u}) {
        CAPTURE(exclude);
        CAPTURE(std::string(kernels->name));
        CAPTURE(static_cast<int>(precision));
        CAPTURE(group);
        PairForces forces(lennard_jones(), precision, kernels->name);
        forces.add_charges(form.charges);
        forces.set_topology(topology, factor);
        if (group > forces.group() || (group == 1 && exclude)) continue;
        PairList list(kernels->name, group, forces.reads_half_lists());
        const auto shell = group == 2 ? test::Shell::full : test::Shell::half;
        const auto originals = test::rebuild(list, particles, box, forces.range() + skin, shell);
        for (std::size_t g = 0; g < originals.size(); ++g) {
          particles.id[particles.local_count() + g] = particles.id[originals[g]];
        }
        if (exclude) {
          const auto places = excluded_places(particles, box);
          list.exclude([&](std::uint32_t i) { return std::span(places[i]); });
        }
        const EnergyAndVirial sums = test::compute(forces, list, particles, originals);
        const double tolerance = precision == Precision::mixed ? 2e-5 : 1e-12;
        double scale = 0.0, virial_scale = 0.0, worst = 0.0;
        for (const double v : expected.virial) virial_scale = std::max(virial_scale, std::abs(v));
        for (std::size_t i = 0; i < particles.local_count(); ++i) {
          const Vec3& force = expected.force[static_cast<std::size_t>(particles.id[i]) - 1];
          scale = std::max(scale, norm(force));
          worst = std::max(worst, norm(particles.force[i] - force));
        }
        CHECK(worst < tolerance * scale);
        for (int k = 0; k < 6; ++k) {
          CHECK(std::abs(sums.virial[k] - expected.virial[k]) < tolerance * virial_scale);
        }
        const auto parts = forces.parts();
        REQUIRE(parts.size() == 2);
        CHECK(parts[0].name == "lennard_jones");
        CHECK(parts[1].name == "electrostatics");
        CHECK(parts[0].energy == doctest::Approx(expected.pairs).epsilon(tolerance));
        CHECK(std::abs(parts[1].energy - expected.charges) <
              tolerance * std::max(std::abs(expected.charges), 0.1 * virial_scale));
        CHECK(sums.energy == doctest::Approx(parts[0].energy + parts[1].energy).epsilon(1e-12));
      }
    }
  }
}

}  // namespace

TEST_CASE("charges within a cutoff: energy, forces and virial of all pairs") {
  const Box boxes[] = {{{9.3, 8.9, 9.7}}, {{8.3, 7.9, 8.1}, {1.0, -0.7, 0.9}}};
  for (const Box& box : boxes) {
    for (const bool exclude : {false, true}) {
      check(box, field(2.0, 20.0), exclude);
      check(box, truncated(), exclude);
    }
  }
}

TEST_CASE("charges that are damped, screened and switched: energy, forces and virial") {
  const Box box{{8.3, 7.9, 8.1}, {1.0, -0.7, 0.9}};
  for (const bool exclude : {false, true}) {
    check(box, damped(0.9, true), exclude);
    check(box, damped(0.9, false), exclude);
    check(box, screened(1.3), exclude);
    check(box, force_shifted(), exclude);
    check(box, force_switched(1.1), exclude);
  }
}

TEST_CASE("curves of charges are their formulas, and go to 0 at the cutoff as they say") {
  for (const Form& form : {damped(0.9, true), damped(0.0, true), damped(3.0, false), screened(1.3),
                           screened(0.0), force_shifted(), force_switched(1.1)}) {
    for (double r = 0.01; r < cutoff; r += 0.0137) {
      const CutoffCharges::Value value = form.charges.value(r);
      CHECK(std::abs(value.energy - form.energy(r)) < 1e-12 / r);
      CHECK(std::abs(value.force_over_r * r - form.force(r)) < 2e-11 / (r * r));
      const CutoffCharges::Value lacking = form.charges.lacking_of_excluded(r);
      CHECK(lacking.energy == doctest::Approx(form.answers_excluded ? 1.0 / r : value.energy));
    }
  }
  const double end = cutoff * (1.0 - 1e-12);
  CHECK(std::abs(damped(0.9, false).charges.energy(end)) < 1e-10);
  CHECK(std::abs(damped(0.9, true).charges.value(end).force_over_r) < 1e-10);
  CHECK(std::abs(force_shifted().charges.value(end).force_over_r) < 1e-10);
  CHECK(std::abs(force_switched(1.1).charges.value(end).force_over_r) < 1e-10);
  CHECK(screened(1.3).charges.energy(end) > 0.01);
}

TEST_CASE(
    "the field of a dielectric: at the cutoff the energy is 0, in a conductor the force too") {
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double outside : {1.0, 15.0, 78.0, infinite}) {
    const CutoffCharges field = CutoffCharges::reaction_field(1.1, 15.0, outside);
    CHECK(1.0 / 1.1 + field.curvature * 1.1 * 1.1 == doctest::Approx(field.shift).epsilon(1e-15));
    const double known = std::isinf(outside)
                             ? 0.5 / std::pow(1.1, 3)
                             : (outside - 15.0) / ((2.0 * outside + 15.0) * std::pow(1.1, 3));
    CHECK(field.curvature == doctest::Approx(known).epsilon(1e-14));
  }
  const CutoffCharges conductor = CutoffCharges::reaction_field(1.1, 15.0, infinite);
  CHECK(1.0 / (1.1 * 1.1) == doctest::Approx(2.0 * conductor.curvature * 1.1).epsilon(1e-14));
}

TEST_CASE("types with charges are in the list, whatever their potential is") {
  const std::vector<LennardJones::PairParameters> pairs{
      {1.0, 1.0}, {0.0, 1.0}, {0.0, 1.0}, {0.0, 1.0}};
  PairForces charged(LennardJones(pairs, 2, pair_cutoff, Truncation::shifted), Precision::mixed,
                     "auto");
  CHECK_FALSE(charged.needs_in_list(1));
  charged.add_charges({cutoff, 0.0, 0.0, {0.0, 0.4}});
  CHECK(charged.needs_in_list(1));
  CHECK(charged.range() == cutoff);
}
