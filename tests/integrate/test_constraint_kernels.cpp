// SHAKE and RATTLE of groups side by side against what defines them: distances as they must be,
// constraint forces along the connections as they were, the same bits whoever is beside a group.

#include "md/integrate/kernels/constraint_kernels.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "md/core/vector.hpp"
#include "md/simd/instruction_set.hpp"

using namespace sterna::md;

namespace {

std::vector<const ConstraintKernels*> all_kernels() {
  return available_kernels<ConstraintKernels>(STERNA_KERNEL_FAMILY(constraint_kernels));
}

/// A bond, a methyl group, a chain, a triangle.
const std::vector<std::vector<ConstrainedPair>> shapes{
    {{0, 1}}, {{0, 1}, {0, 2}, {3, 0}}, {{0, 1}, {1, 2}, {2, 3}, {4, 3}}, {{1, 0}, {2, 0}, {1, 2}}};
constexpr unsigned corners[] = {0, 1, 2, 4, 7};
constexpr double timestep = 0.5, tolerance = 1e-10;
constexpr int most_sweeps = 1000;

std::size_t atoms_of(const std::vector<ConstrainedPair>& shape) {
  std::size_t atoms = 0;
  for (const auto& [first, second] : shape) {
    atoms = std::max(atoms, std::size_t{std::max(first, second)} + 1);
  }
  return atoms;
}

/// Groups at random places, with connections of their lengths; `speed`: of the atoms.
ConstraintWork groups_of(const std::vector<ConstrainedPair>& shape, double speed, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> mass(0.5, 2.0);
  ConstraintWork work{};
  work.constraints = shape.size();
  std::copy(shape.begin(), shape.end(), work.pairs);
  const std::size_t atoms = atoms_of(shape);
  for (std::size_t lane = 0; lane < groups_together; ++lane) {
    std::vector<Vec3> at;
    for (std::size_t k = 0; k < atoms; ++k) {
      // Near the corners of a cube, so that no triangle is flat.
      const auto near = [&](std::size_t bit) {
        return (corners[k] >> bit & 1 ? 1.0 : 0.0) + 0.1 * normal(engine);
      };
      at.push_back({near(0), near(1), near(2)});
      work.inverse_mass[k][lane] = mass(engine);
      for (auto& row : work.velocity[k]) row[lane] = speed * normal(engine);
    }
    for (std::size_t k = 0; k < shape.size(); ++k) {
      const Vec3 connection = at[shape[k].first] - at[shape[k].second];
      work.squared_distance[k][lane] = dot(connection, connection);
      for (int axis = 0; axis < 3; ++axis) work.connection[k][axis][lane] = connection[axis];
    }
  }
  return work;
}

Vec3 vector_of(const ConstraintWork::Numbers (&rows)[3], std::size_t lane) {
  return {rows[0][lane], rows[1][lane], rows[2][lane]};
}
Vec3 difference(const ConstraintWork& work, std::size_t k, std::size_t lane) {
  return vector_of(work.velocity[work.pairs[k].first], lane) -
         vector_of(work.velocity[work.pairs[k].second], lane);
}
Vec3 momentum(const ConstraintWork& work, std::size_t atoms, std::size_t lane) {
  Vec3 sum;
  for (std::size_t k = 0; k < atoms; ++k) {
    sum += (1.0 / work.inverse_mass[k][lane]) * vector_of(work.velocity[k], lane);
  }
  return sum;
}

/// What velocities were changed by is a sum over the connections, each with one multiplier: no
/// change is left once these are found from the atoms that one constraint alone leads to.
void check_change(const ConstraintWork& before, const ConstraintWork& after,
                  const std::vector<ConstrainedPair>& shape, std::size_t lane) {
  const std::size_t atoms = atoms_of(shape);
  const Vec3 change = momentum(after, atoms, lane) - momentum(before, atoms, lane);
  CHECK(std::sqrt(dot(change, change)) < 1e-12);
  for (std::size_t atom = 0; atom < atoms; ++atom) {
    std::size_t ways = 0, way = 0;
    for (std::size_t k = 0; k < shape.size(); ++k) {
      if (shape[k].first == atom || shape[k].second == atom) ++ways, way = k;
    }
    if (ways != 1) continue;
    const Vec3 push =
        vector_of(after.velocity[atom], lane) - vector_of(before.velocity[atom], lane);
    const Vec3 along = vector_of(before.connection[way], lane);
    const double product = dot(push, along);
    CHECK(product * product == doctest::Approx(dot(push, push) * dot(along, along)).epsilon(1e-9));
  }
}

}  // namespace

TEST_CASE("SHAKE brings distances to what they are to be, by pushes along the connections") {
  for (const auto& shape : shapes) {
    for (const ConstraintKernels* kernels : all_kernels()) {
      INFO(kernels->name, ", ", shape.size(), " constraints");
      const ConstraintWork before = groups_of(shape, 0.05, 3);
      ConstraintWork after = before;
      kernels->shake(after, timestep, tolerance, most_sweeps);
      for (std::size_t lane = 0; lane < groups_together; ++lane) {
        CHECK_FALSE(after.open[lane]);
        for (std::size_t k = 0; k < shape.size(); ++k) {
          const Vec3 next =
              vector_of(after.connection[k], lane) + timestep * difference(after, k, lane);
          CHECK(dot(next, next) ==
                doctest::Approx(after.squared_distance[k][lane]).epsilon(2.1 * tolerance));
        }
        check_change(before, after, shape, lane);
      }
    }
  }
}

TEST_CASE("RATTLE leaves no velocity along a connection") {
  for (const auto& shape : shapes) {
    for (const ConstraintKernels* kernels : all_kernels()) {
      INFO(kernels->name, ", ", shape.size(), " constraints");
      const ConstraintWork before = groups_of(shape, 1.0, 5);
      std::vector<ConstraintWork> results{before};
      kernels->rattle(results[0], tolerance, most_sweeps);
      if (shape.size() == 3 && atoms_of(shape) == 3) {
        kernels->solve_triangles(results.emplace_back(before));
      }
      for (const ConstraintWork& after : results) {
        for (std::size_t lane = 0; lane < groups_together; ++lane) {
          CHECK_FALSE(after.open[lane]);
          for (std::size_t k = 0; k < shape.size(); ++k) {
            const double along =
                dot(vector_of(after.connection[k], lane), difference(after, k, lane));
            CHECK(std::abs(along) <= 1.1 * tolerance * after.squared_distance[k][lane]);
          }
          check_change(before, after, shape, lane);
        }
      }
    }
  }
}

TEST_CASE("a group has the same bits whatever the instruction set and whoever is beside it") {
  for (const auto& shape : shapes) {
    const ConstraintWork before = groups_of(shape, 0.05, 7);
    ConstraintWork reference = before;
    all_kernels().back()->shake(reference, timestep, tolerance, most_sweeps);
    for (const ConstraintKernels* kernels : all_kernels()) {
      INFO(kernels->name);
      for (std::size_t lane = 0; lane < groups_together; ++lane) {
        // The others are far from their constraints, and take more sweeps.
        ConstraintWork work = groups_of(shape, 0.3, 11);
        for (std::size_t k = 0; k < shape.size(); ++k) {
          work.squared_distance[k][lane] = before.squared_distance[k][lane];
          for (int axis = 0; axis < 3; ++axis) {
            work.connection[k][axis][lane] = before.connection[k][axis][lane];
          }
        }
        for (std::size_t k = 0; k < atoms_of(shape); ++k) {
          work.inverse_mass[k][lane] = before.inverse_mass[k][lane];
          for (int axis = 0; axis < 3; ++axis) {
            work.velocity[k][axis][lane] = before.velocity[k][axis][lane];
          }
        }
        kernels->shake(work, timestep, tolerance, most_sweeps);
        for (std::size_t k = 0; k < atoms_of(shape); ++k) {
          CHECK(vector_of(work.velocity[k], lane) == vector_of(reference.velocity[k], lane));
        }
      }
    }
  }
}

TEST_CASE("what cannot be kept stays open, and frozen atoms stay as they are") {
  for (const ConstraintKernels* kernels : all_kernels()) {
    INFO(kernels->name);
    ConstraintWork work = groups_of(shapes[3], 0.05, 13);
    // No triangle has such sides.
    work.squared_distance[2][1] = 100.0 * work.squared_distance[0][1];
    work.velocity[0][0][2] = std::nan("");
    for (auto& masses : work.inverse_mass) masses[3] = 0.0;
    const ConstraintWork before = work;
    kernels->shake(work, timestep, tolerance, 50);
    for (std::size_t lane = 0; lane < groups_together; ++lane) {
      CHECK(work.open[lane] == (lane == 1 || lane == 2));
    }
    for (std::size_t k = 0; k < 3; ++k) {
      CHECK(vector_of(work.velocity[k], 3) == vector_of(before.velocity[k], 3));
    }
  }
}
