// Charges that end at a cutoff, against sums over all pairs: in every precision and instruction
// set, beside Lennard-Jones pairs with another cutoff.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
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

struct Expected {
  std::vector<Vec3> force;  ///< by id
  double pairs = 0.0, charges = 0.0;
  double virial[6] = {};
};

Expected brute_force(const ParticleStore& particles, const Box& box,
                     const std::vector<double>& charge, const CutoffCharges& charges,
                     bool exclude) {
  Expected expected;
  const LennardJones potential = lennard_jones();
  const std::size_t n = particles.local_count();
  expected.force.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    Vec3 force;
    expected.charges -= 0.5 * charges.shift * charge[i] * charge[i];
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
        if (r < cutoff) {
          const double product = charge[i] * charge[j], inverse = excluded ? 0.0 : 1.0 / r;
          expected.charges += 0.5 * product * (inverse + charges.curvature * r * r - charges.shift);
          f += product * (inverse * inverse * inverse - 2.0 * charges.curvature);
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

void check(const Box& box, const CutoffCharges& charges, bool exclude) {
  const Topology topology = molecules();
  constexpr double factor = 0.7;
  ParticleStore particles = test::jittered_lattice(box, count, 2, 0.1, 11);
  particles.set_ghost_ids(true);
  std::vector<double> charge;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    charge.push_back(factor * topology.atom_of(particles.id[i]).charge);
  }
  const Expected expected = brute_force(particles, box, charge, charges, exclude);
  for (const PairKernels* kernels : available_pair_kernels()) {
    for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
      for (const std::uint32_t group : {1u, 2u, 4u}) {
        CAPTURE(exclude);
        CAPTURE(std::string(kernels->name));
        CAPTURE(static_cast<int>(precision));
        CAPTURE(group);
        PairForces forces(lennard_jones(), precision, kernels->name);
        forces.add_charges(charges);
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
      CutoffCharges field = CutoffCharges::reaction_field(cutoff, 2.0, 20.0);
      field.of_types = {0.0, 0.0};
      check(box, field, exclude);
      check(box, {cutoff, 0.0, 0.0, {0.0, 0.0}}, exclude);
    }
  }
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
