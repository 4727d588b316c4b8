#pragma once

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "md/forces/coulomb/fmm/point_charges.hpp"

/// Charges that own their arrays.
struct OwnedCharges {
  sterna::md::Lattice lattice;
  std::vector<sterna::md::Vec3> positions;
  std::vector<double> charges;
  std::vector<std::int32_t> molecules;
  std::vector<sterna::md::Vec3> dipoles;  ///< of all, or none

  void add(const sterna::md::Vec3& position, double charge, std::int32_t molecule) {
    positions.push_back(position);
    charges.push_back(charge);
    molecules.push_back(molecule);
  }
  void add(const sterna::md::Vec3& position, double charge) {
    add(position, charge, static_cast<std::int32_t>(positions.size()));
  }
  sterna::md::PointCharges view() const { return {positions, charges, molecules, {}, dipoles}; }
};

/// Conventional cubic cells of edge 1 of an ionic crystal, `repeats` of them along each axis.
struct Crystal {
  const char* name;
  std::vector<sterna::md::Vec3> cations, anions;
  double nearest;   ///< distance of unlike neighbors
  double madelung;  ///< published, energy of an ion pair times that distance
};

inline std::vector<Crystal> madelung_crystals() {
  const std::vector<sterna::md::Vec3> fcc{{0, 0, 0}, {0, .5, .5}, {.5, 0, .5}, {.5, .5, 0}};
  const auto shifted = [&](sterna::md::Vec3 shift) {
    auto result = fcc;
    for (auto& site : result) site += shift;
    return result;
  };
  return {{"NaCl", fcc, shifted({.5, 0, 0}), 0.5, -1.7475645946332},
          {"CsCl", {{0, 0, 0}}, {{.5, .5, .5}}, std::sqrt(0.75), -1.7626747730710},
          {"ZnS", fcc, shifted({.25, .25, .25}), std::sqrt(3.0) / 4, -1.6380550533888}};
}

inline OwnedCharges repeated(const Crystal& crystal, int repeats, double offset = 0.0) {
  OwnedCharges system;
  const double length = repeats;
  system.lattice = sterna::md::Lattice::orthorhombic({length, length, length});
  const auto add_all = [&](const std::vector<sterna::md::Vec3>& sites, double charge) {
    for (int x = 0; x < repeats; ++x)
      for (int y = 0; y < repeats; ++y)
        for (int z = 0; z < repeats; ++z)
          for (const auto& site : sites) {
            const sterna::md::Vec3 corner{x + offset, y + offset, z + offset};
            system.add(corner + site, charge);
          }
  };
  add_all(crystal.cations, 1.0);
  add_all(crystal.anions, -1.0);
  return system;
}

/// Uniform random charges whose sum is `total`.
inline OwnedCharges random_charges(const sterna::md::Lattice& lattice, std::size_t count,
                                   double total, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  OwnedCharges system;
  system.lattice = lattice;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = uniform(engine), y = uniform(engine), z = uniform(engine);
    system.add(lattice.position({x, y, z}), 2.0 * uniform(engine) - 1.0);
  }
  const double sum = std::accumulate(system.charges.begin(), system.charges.end(), 0.0);
  for (double& charge : system.charges) charge += (total - sum) / static_cast<double>(count);
  return system;
}

/// Central difference of energy(strain of a vector) over the symmetric strain xx yy zz xy xz yz.
template <class Energy>
double slope_over_strain(std::size_t component, double step, Energy energy) {
  constexpr int axes[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  const auto at = [&](double size) {
    return energy([&, size](sterna::md::Vec3 v) {
      const auto [a, b] = axes[component];
      const sterna::md::Vec3 start = v;
      v[a] += 0.5 * size * start[b];
      v[b] += 0.5 * size * start[a];
      return v;
    });
  };
  return (at(step) - at(-step)) / (2.0 * step);
}

/// Random dipoles of about the size `moment` at all charges.
inline void add_dipoles(OwnedCharges& system, double moment, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal(0.0, moment);
  for (std::size_t i = 0; i < system.positions.size(); ++i) {
    const double x = normal(engine), y = normal(engine), z = normal(engine);
    system.dipoles.push_back({x, y, z});
  }
}

inline double relative_rms(const std::vector<sterna::md::Vec3>& values,
                           const std::vector<sterna::md::Vec3>& reference) {
  double difference = 0.0, size = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto d = values[i] - reference[i];
    difference += dot(d, d);
    size += dot(reference[i], reference[i]);
  }
  return std::sqrt(difference / size);
}
