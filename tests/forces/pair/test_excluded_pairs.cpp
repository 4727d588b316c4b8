// Pairs that molecules exclude: in no row, in no kernel's sums, whatever the list and its rows are.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "md/forces/pair/pair_forces.hpp"
#include "md/forces/pair/pair_function.hpp"
#include "md/neighbors/pair_kernels.hpp"
#include "md/neighbors/pair_list.hpp"
#include "neighbors/periodic_system.hpp"

using namespace sterna::md;

namespace {

constexpr double cutoff = 2.5, skin = 0.3;
/// More atoms than a row has particles, so that masks cover several blocks of entries.
constexpr std::int64_t atoms_per_molecule = 12;

double norm(const Vec3& v) {
  return std::sqrt(dot(v, v));
}

bool same_molecule(const ParticleStore& particles, std::size_t i, std::size_t j) {
  return (particles.id[i] - 1) / atoms_per_molecule == (particles.id[j] - 1) / atoms_per_molecule;
}

/// The nearest image of another atom of its molecule.
bool is_excluded(const ParticleStore& particles, const Box& box, std::size_t i, std::size_t j,
                 const Vec3& connection) {
  return i != j && same_molecule(particles, i, j) &&
         norm(connection) < (1.0 + 1e-9) * norm(box.nearest_image(connection));
}

/// Places of the nearest images of the atoms of a molecule, for each local particle.
std::vector<std::vector<std::uint32_t>> excluded_places(const ParticleStore& particles,
                                                        const Box& box) {
  std::vector<std::vector<std::uint32_t>> places(particles.local_count());
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    for (std::size_t j = 0; j < particles.local_count(); ++j) {
      if (i == j || !same_molecule(particles, i, j)) continue;
      const Vec3 at =
          particles.position[i].vector() +
          box.nearest_image(particles.position[j].vector() - particles.position[i].vector());
      for (std::uint32_t p = 0; p < particles.total_count(); ++p) {
        if (norm(particles.position[p].vector() - at) < 1e-9) places[i].push_back(p);
      }
    }
    places[i].push_back(~std::uint32_t{0});  // one that this rank lacks
  }
  return places;
}

struct Expected {
  std::vector<Vec3> force;
  EnergyAndVirial sums;
};

Expected brute_force(const ParticleStore& particles, const Box& box,
                     const std::vector<PairFunction>& pairs, std::size_t types) {
  Expected expected;
  const std::size_t n = particles.local_count();
  for (std::size_t i = 0; i < n; ++i) {
    Vec3 force;
    for (std::size_t j = 0; j < n; ++j) {
      const PairFunction& pair =
          pairs[static_cast<std::size_t>(particles.position[i].type) * types +
                static_cast<std::size_t>(particles.position[j].type)];
      for (int s = 0; s < 27; ++s) {
        if (i == j && s == 13) continue;
        const Vec3 shift = box.translation(s % 3 - 1, s / 3 % 3 - 1, s / 9 - 1);
        const Vec3 d = particles.position[i].vector() - particles.position[j].vector() - shift;
        const double r = norm(d);
        if (r >= pair.cutoff() || is_excluded(particles, box, i, j, d)) continue;
        const double f = pair.ended_force(r) / r;
        force += f * d;
        expected.sums.energy += 0.5 * pair.ended_energy(r);
        const double products[6] = {d.x * d.x, d.y * d.y, d.z * d.z,
                                    d.x * d.y, d.x * d.z, d.y * d.z};
        for (int k = 0; k < 6; ++k) expected.sums.virial[k] += 0.5 * f * products[k];
      }
    }
    expected.force.push_back(force);
  }
  return expected;
}

PairFunction function(const char* name, std::vector<double> parameters, Truncation truncation) {
  return PairFunction(*find_pair_potential(name), parameters, 0.0, {cutoff, truncation, 2.0},
                      nullptr);
}

/// Lennard-Jones pairs, and a third kind of pair for the kernels of the other potentials.
std::vector<PairFunction> pairs_of(bool mixture, Truncation truncation) {
  const PairFunction same = function("lennard_jones", {1.0, 1.0}, truncation);
  const PairFunction other = function("lennard_jones", {1.2, 0.95}, truncation);
  if (!mixture) return {same, other, other, same};
  const PairFunction morse = function("morse", {1.0, 5.0, 1.1}, truncation);
  return {same, morse, morse, other};
}

}  // namespace

TEST_CASE("excluded pairs are in no kernel's sums and are not visited") {
  const Box boxes[] = {{{9.3, 8.9, 9.7}}, {{8.3, 7.9, 8.1}, {1.0, -0.7, 0.9}}};
  for (const Box& box : boxes) {
    for (const bool mixture : {false, true}) {
      for (const Truncation truncation :
           {Truncation::shifted, Truncation::force_shifted, Truncation::switched}) {
        const std::vector<PairFunction> pairs = pairs_of(mixture, truncation);
        ParticleStore particles = test::jittered_lattice(box, 504, 2, 0.1, 11);
        for (const PairKernels* kernels : available_pair_kernels()) {
          for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
            for (const std::uint32_t group : {1u, 2u, 4u}) {
              CAPTURE(mixture);
              CAPTURE(static_cast<int>(truncation));
              CAPTURE(std::string(kernels->name));
              CAPTURE(static_cast<int>(precision));
              CAPTURE(group);
              PairForces forces(pairs, 2, {cutoff, truncation, 2.0}, precision, kernels->name);
              if (group > forces.group()) continue;
              PairList list(kernels->name, group, forces.reads_half_lists());
              const auto shell = group == 2 ? test::Shell::full : test::Shell::half;
              const auto originals = test::rebuild(list, particles, box, cutoff + skin, shell);
              const auto places = excluded_places(particles, box);
              list.exclude([&](std::uint32_t i) { return std::span(places[i]); });
              const EnergyAndVirial sums = test::compute(forces, list, particles, originals);
              const Expected expected = brute_force(particles, box, pairs, 2);
              const double tolerance = precision == Precision::mixed ? 2e-5 : 1e-12;
              double scale = 0.0, virial_scale = 0.0, worst = 0.0;
              for (const double v : expected.sums.virial) {
                virial_scale = std::max(virial_scale, std::abs(v));
              }
              for (std::size_t i = 0; i < particles.local_count(); ++i) {
                scale = std::max(scale, norm(expected.force[i]));
                worst = std::max(worst, norm(particles.force[i] - expected.force[i]));
              }
              CHECK(worst < tolerance * scale);
              CHECK(std::abs(sums.energy - expected.sums.energy) <
                    tolerance * std::max(std::abs(expected.sums.energy), 0.1 * virial_scale));
              for (int k = 0; k < 6; ++k) {
                CHECK(std::abs(sums.virial[k] - expected.sums.virial[k]) <
                      tolerance * virial_scale);
              }

              std::size_t visited = 0, excluded = 0, near = 0;
              list.for_each_neighbor(particles, cutoff,
                                     [&](std::uint32_t i, std::uint32_t j, double) {
                                       ++visited;
                                       if (i >= particles.local_count()) std::swap(i, j);
                                       excluded += std::ranges::count(places[i], j) > 0 ? 1 : 0;
                                     });
              for (std::uint32_t i = 0; i < particles.local_count(); ++i) {
                for (std::uint32_t j = 0; j < particles.total_count(); ++j) {
                  const Vec3 d = particles.position[i].vector() - particles.position[j].vector();
                  near += i != j && norm(d) < cutoff && std::ranges::count(places[i], j) == 0;
                }
              }
              CHECK(excluded == 0);
              CHECK(visited == near);
            }
          }
        }
      }
    }
  }
}
