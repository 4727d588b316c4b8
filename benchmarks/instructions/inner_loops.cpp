// The inner loops of the engine for one instruction set, repeated as often as asked for, so that
// run.py can count their instructions: those of some more repeats, divided by the pairs in them.
//
//   inner_loops LOOP KERNELS REPEATS
//
// prints how many units one repeat has.
//
// melt: Lennard-Jones forces of 1000 particles of reduced density 0.8442, with a cutoff of 2.5 and
// lists up to 2.8, in mixed or double precision; a unit is a pair within the cutoff. near_field: 124
// charges of a leaf with themselves and with 13 leaves of as many; a unit is a pair. convolution:
// multipoles of order 6 into local expansions of as many waves as there are lanes; a unit is a wave.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <random>
#include <string_view>
#include <vector>

#include "md/forces/coulomb/fmm/kernels/fmm_kernels.hpp"
#include "md/forces/pair/pair_forces.hpp"
#include "md/neighbors/pair_list.hpp"

namespace sterna::md {
namespace {

double melt(std::string_view kernels, Precision precision, int repeats) {
  constexpr int along = 10;
  constexpr double cutoff = 2.5, radius = 2.8;
  const double edge = along * std::cbrt(1.0 / 0.8442);
  PairForces forces(LennardJones(std::vector<LennardJones::PairParameters>{{1.0, 1.0}}, 1, cutoff,
                                 Truncation::truncated),
                    precision, kernels);
  PairList list(kernels, forces.group(), true);
  ParticleStore particles;
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> uniform(-0.15, 0.15);
  particles.resize_local(along * along * along);
  const double width = edge / along;
  for (int k = 0; k < along * along * along; ++k) {
    const auto i = static_cast<std::size_t>(k);
    particles.position[i] = {(k % along + 0.5) * width + uniform(engine),
                             (k / along % along + 0.5) * width + uniform(engine),
                             (k / along / along + 0.5) * width + uniform(engine), 0};
    particles.velocity[i] = {};
    particles.id[i] = k + 1;
    particles.image[i] = {};
  }
  list.set_region({0, 0, 0}, {edge, edge, edge}, radius);
  list.sort_local(particles);
  std::vector<Position> images;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const Position& at = particles.position[i];
    for (int n = 0; n < 27; ++n) {
      const Position image{at.x + (n % 3 - 1) * edge, at.y + (n / 3 % 3 - 1) * edge,
                           at.z + (n / 9 - 1) * edge, 0};
      const auto near = [&](double x) { return x >= -radius && x < edge + radius; };
      if (n != 13 && near(image.x) && near(image.y) && near(image.z)) images.push_back(image);
    }
  }
  std::vector<std::uint32_t> slots;
  particles.resize_ghosts(images.size());
  list.place_ghosts(images, particles.local_count(), slots);
  for (std::size_t k = 0; k < images.size(); ++k) {
    particles.position[particles.local_count() + slots[k]] = images[k];
  }
  list.build(particles);
  forces.rebuild(list, particles);
  for (int k = 0; k < repeats; ++k) {
    forces.compute(list, particles, PairList::Cells::interior, nullptr);
    forces.compute(list, particles, PairList::Cells::boundary, nullptr);
  }
  std::size_t within = 0;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    for (std::size_t j = 0; j < particles.total_count(); ++j) {
      const Position &a = particles.position[i], &b = particles.position[j];
      const double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
      if (i != j && x * x + y * y + z * z < cutoff * cutoff) ++within;
    }
  }
  return 0.5 * static_cast<double>(within);
}

template <class Real>
double near_field(const FmmKernels<Real>& kernels, int repeats) {
  constexpr std::size_t leaf = 124, leaves = 14;
  NearCharges<Real> charges;
  for (auto* array : {&charges.x, &charges.y, &charges.z, &charges.charge, &charges.potential,
                      &charges.field_x, &charges.field_y, &charges.field_z}) {
    array->resize(leaf * leaves + most_lanes);
  }
  charges.molecule.resize(leaf * leaves + most_lanes);
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  for (std::size_t i = 0; i < leaf * leaves; ++i) {
    charges.x[i] = static_cast<Real>(uniform(engine));
    charges.y[i] = static_cast<Real>(uniform(engine));
    charges.z[i] = static_cast<Real>(uniform(engine));
    charges.charge[i] = static_cast<Real>(i % 3 == 0 ? -0.8 : 0.4);
    charges.molecule[i] = static_cast<typename NearCharges<Real>::Index>(i / 3);
  }
  std::vector<NearCell<Real>> cells;
  for (std::size_t k = 0; k < leaves; ++k) {
    const auto n = static_cast<int>(k + 13);  // of 27, from the leaf itself on
    cells.push_back({k * leaf,
                     (k + 1) * leaf,
                     {static_cast<Real>(n % 3 - 1), static_cast<Real>(n / 3 % 3 - 1),
                      static_cast<Real>(n / 9 - 1)},
                     true,
                     k > 0});
  }
  NearSources<Real> sources;
  for (int k = 0; k < repeats; ++k) {
    kernels.near_charges(charges, 0, leaf, cells, sources, false, nullptr);
  }
  return (static_cast<double>(leaves) - 0.5) * leaf * leaf;
}

template <class Real>
double convolution(const FmmKernels<Real>& kernels, int repeats) {
  constexpr int order = 6;
  const std::size_t lanes = kernels.lanes;
  const auto numbers = [](std::size_t count) {
    std::vector<Real> result(count);
    for (std::size_t k = 0; k < count; ++k) result[k] = static_cast<Real>(1 + k % 7) / Real(8);
    return result;
  };
  const std::vector<Real> sums = numbers(2 * lanes * wave_count(2 * order));
  const std::vector<Real> multipoles = numbers(4 * lanes * wave_count(order));
  std::vector<Real> locals = numbers(4 * lanes * wave_count(order));
  for (int k = 0; k < repeats; ++k) {
    kernels.convolve(order, sums.data(), multipoles.data(), locals.data());
  }
  return static_cast<double>(lanes);
}

double run(std::string_view loop, std::string_view kernels, int repeats) {
  if (loop == "melt_mixed") return melt(kernels, Precision::mixed, repeats);
  if (loop == "melt_double") return melt(kernels, Precision::double_precision, repeats);
  const FmmInstructionSet& fmm = select_fmm_kernels(kernels);
  if (loop == "near_field_single") return near_field(fmm.single, repeats);
  if (loop == "near_field_double") return near_field(fmm.full, repeats);
  if (loop == "convolution_single") return convolution(fmm.single, repeats);
  if (loop == "convolution_double") return convolution(fmm.full, repeats);
  return 0.0;
}

}  // namespace
}  // namespace sterna::md

int main(int count, char** arguments) {
  if (count != 4) {
    std::fputs("usage: inner_loops LOOP KERNELS REPEATS\n", stderr);
    return 2;
  }
  try {
    const double units = sterna::md::run(arguments[1], arguments[2], std::atoi(arguments[3]));
    if (units == 0.0) {
      std::fprintf(stderr, "inner_loops: no loop \"%s\"\n", arguments[1]);
      return 2;
    }
    std::printf("%.17g\n", units);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "inner_loops: %s\n", error.what());
    return 1;
  }
}
