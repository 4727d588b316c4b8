#pragma once

// Crystals in a periodic box on one rank without any communication, list or engine: images and
// neighbors are found by brute force.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "md/core/vector.hpp"
#include "md/forces/manybody/bond_evaluator.hpp"
#include "md/system/aligned_buffer.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md::test {

struct Crystal {
  Vec3 edge;  ///< of the box
  std::vector<Position> atoms;
};

/// `cells`^3 unit cells of diamond; `types[k]` is that of sublattice k (zincblende: 0 and 1).
inline Crystal diamond(int cells, double lattice_constant, std::int64_t first_type = 0,
                       std::int64_t second_type = 0) {
  constexpr Vec3 face_centered[] = {{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}};
  Crystal crystal{{cells * lattice_constant, cells * lattice_constant, cells * lattice_constant},
                  {}};
  for (int z = 0; z < cells; ++z) {
    for (int y = 0; y < cells; ++y) {
      for (int x = 0; x < cells; ++x) {
        for (const Vec3& site : face_centered) {
          const Vec3 corner = Vec3{1.0 * x, 1.0 * y, 1.0 * z} + site;
          const Vec3 a = lattice_constant * (corner + Vec3{0.1, 0.1, 0.1});
          const Vec3 b = lattice_constant * (corner + Vec3{0.35, 0.35, 0.35});
          crystal.atoms.push_back({a.x, a.y, a.z, first_type});
          crystal.atoms.push_back({b.x, b.y, b.z, second_type});
        }
      }
    }
  }
  return crystal;
}

inline void jitter(Crystal& crystal, double amplitude, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-amplitude, amplitude);
  for (Position& atom : crystal.atoms) {
    atom.x += uniform(engine);
    atom.y += uniform(engine);
    atom.z += uniform(engine);
  }
}

struct BondResult {
  EnergyAndVirial sums;
  std::vector<Vec3> force;
};

/// All atoms' energy, virial and forces; those of images are added to their originals.
inline BondResult evaluate(BondEvaluator& evaluator, const Crystal& crystal, double range) {
  const std::size_t count = crystal.atoms.size();
  std::vector<std::size_t> original;
  AlignedBuffer<Position> position;
  const auto add = [&](const Position& atom, std::size_t of) {
    position.resize(position.size() + 1);
    position[position.size() - 1] = atom;
    original.push_back(of);
  };
  for (std::size_t i = 0; i < count; ++i) add(crystal.atoms[i], i);
  for (std::size_t i = 0; i < count; ++i) {
    for (int image = 0; image < 125; ++image) {
      if (image == 62) continue;
      Position atom = crystal.atoms[i];
      atom.x += (image % 5 - 2) * crystal.edge.x;
      atom.y += (image / 5 % 5 - 2) * crystal.edge.y;
      atom.z += (image / 25 - 2) * crystal.edge.z;
      const auto near = [&](double x, double edge) {
        return x > -2 * range && x < edge + 2 * range;
      };
      if (near(atom.x, crystal.edge.x) && near(atom.y, crystal.edge.y) &&
          near(atom.z, crystal.edge.z)) {
        add(atom, i);
      }
    }
  }
  NeighborRows rows;
  rows.rows.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    RowRange row{static_cast<std::uint32_t>(rows.neighbors.size()), 0};
    for (std::size_t j = 0; j < position.size(); ++j) {
      const Vec3 d = position[j].vector() - position[i].vector();
      if (j == i || dot(d, d) >= range * range) continue;
      rows.neighbors.resize(rows.neighbors.size() + 1);
      rows.neighbors[rows.neighbors.size() - 1] = static_cast<std::uint32_t>(j);
      ++row.count;
    }
    rows.rows[i] = row;
    rows.longest = std::max(rows.longest, row.count);
  }

  AlignedBuffer<PaddedForce> force(position.size());
  std::fill(force.begin(), force.end(), PaddedForce{});
  const auto particles = static_cast<std::uint32_t>(count);
  const CellRange cell{0, particles};
  const std::uint32_t which[] = {0};
  BondResult result;
  evaluator.compute(position.data(), rows, &cell, which, force.data(), result.sums);
  result.force.resize(count);
  for (std::size_t k = 0; k < position.size(); ++k) {
    result.force[original[k]] += Vec3{force[k].x, force[k].y, force[k].z};
  }
  return result;
}

}  // namespace sterna::md::test
