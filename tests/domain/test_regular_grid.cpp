#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>

#include "domain/domain_support.hpp"
#include "md/domain/regular_grid.hpp"

using namespace sterna::md;

TEST_CASE("the grid has the least surface") {
  CHECK(RegularGrid({{1, 1, 1}}, 1).grid() == std::array{1, 1, 1});
  CHECK(RegularGrid({{1, 1, 1}}, 8).grid() == std::array{2, 2, 2});
  CHECK(RegularGrid({{1, 1, 1}}, 64).grid() == std::array{4, 4, 4});
  CHECK(RegularGrid({{1, 1, 1}}, 2).grid() == std::array{1, 1, 2});
  CHECK(RegularGrid({{1, 1, 1}}, 4).grid() == std::array{1, 2, 2});
  CHECK(RegularGrid({{8, 1, 1}}, 8).grid() == std::array{8, 1, 1});
  CHECK(RegularGrid({{1, 4, 4}}, 16).grid() == std::array{1, 4, 4});
  CHECK(RegularGrid({{3, 1, 1}}, 7).grid() == std::array{7, 1, 1});
  CHECK(RegularGrid({{2, 3, 1}}, 6).grid() == std::array{2, 3, 1});
}

TEST_CASE("requested axes are kept, impossible ones explained") {
  CHECK(RegularGrid({{1, 1, 1}}, 8, {8, 0, 0}).grid() == std::array{8, 1, 1});
  CHECK(RegularGrid({{1, 1, 1}}, 8, {0, 1, 0}).grid() == std::array{2, 1, 4});
  CHECK(RegularGrid({{1, 1, 1}}, 6, {1, 3, 2}).grid() == std::array{1, 3, 2});
  CHECK_THROWS_WITH_AS(RegularGrid({{1, 1, 1}}, 8, {3, 0, 0}),
                       "grid = [3, 0, 0] does not divide 8 ranks (0 leaves an axis free); "
                       "[2, 2, 2] would",
                       std::invalid_argument);
  CHECK_THROWS_AS(RegularGrid({{1, 1, 1}}, 8, {2, 2, 1}), std::invalid_argument);
  CHECK_THROWS_AS(RegularGrid({{1, 1, 1}}, 8, {-2, 0, 0}), std::invalid_argument);
  CHECK_THROWS_AS(RegularGrid({{1, 0, 1}}, 8), std::invalid_argument);
  CHECK_THROWS_AS(RegularGrid({{1, std::nan(""), 1}}, 8), std::invalid_argument);
  CHECK_THROWS_AS(RegularGrid({{1, 1, 1}}, 0), std::invalid_argument);
}

TEST_CASE("ranks and coordinates are inverse; neighbors share their boundary exactly") {
  for (const int ranks : {1, 2, 3, 7, 12, 30, 64}) {
    const RegularGrid grid({{7.3, 11.1, 0.1 + 0.2}}, ranks);
    std::set<int> seen;
    for (int rank = 0; rank < ranks; ++rank) {
      const auto at = grid.coordinates(rank);
      CHECK(grid.rank_at(at) == rank);
      const Region region = grid.region(rank);
      CHECK(grid.owner(region.lower) == rank);
      for (int axis = 0; axis < 3; ++axis) {
        CHECK(region.lower[axis] < region.upper[axis]);
        CHECK(region.upper[axis] - region.lower[axis] >= grid.smallest_width(axis));
        auto next = at;
        if (++next[axis] == grid.grid()[axis]) {
          CHECK(region.upper[axis] == grid.box().length[axis]);
        } else {
          CHECK(grid.region(grid.rank_at(next)).lower[axis] == region.upper[axis]);
        }
      }
    }
  }
}

TEST_CASE("owner and region agree bit for bit at and around every boundary") {
  for (const Vec3 length :
       {Vec3{1, 1, 1}, Vec3{7.3, 11.1, 0.3}, Vec3{1e-3, 1e5, 3.0000000000000004}}) {
    const RegularGrid grid({length}, 7 * 3 * 5, {7, 3, 5});
    const auto near = [&](int axis) {
      std::vector<double> values;
      for (const double plane : grid.boundaries(axis)) {
        double below = plane, above = plane;
        for (int k = 0; k < 3; ++k) {
          if (below >= 0.0 && below < length[axis]) values.push_back(below);
          if (above >= 0.0 && above < length[axis]) values.push_back(above);
          below = std::nextafter(below, -1.0);
          above = std::nextafter(above, 2 * length[axis]);
        }
      }
      return values;
    };
    std::size_t wrong = 0, tested = 0;
    for (const double x : near(0)) {
      for (const double y : near(1)) {
        for (const double z : near(2)) {
          const int owner = grid.owner({x, y, z});
          for (int rank = 0; rank < grid.rank_count(); ++rank) {
            wrong += grid.region(rank).contains({x, y, z}) != (rank == owner);
          }
          ++tested;
        }
      }
    }
    CHECK(tested > 1000);
    CHECK(wrong == 0);
  }
}

TEST_CASE("wrapping leaves nothing outside the box") {
  std::size_t outside = 0;
  for (std::uint64_t n = 0; n < 200000; ++n) {
    const double length = 1.0 + 99.0 * test::uniform(n, 0);
    const int multiple = static_cast<int>(test::uniform(n, 1) * 60) - 30;
    double x = multiple * length;
    for (int k = 0; k < 3; ++k, x = std::nextafter(x, -1e9)) {
      int image[3];
      const Vec3 wrapped = Box{{length, 1, 1}}.wrap({x, 0, 0}, image);
      outside += !(wrapped.x >= 0.0 && wrapped.x < length);
      outside += std::abs(wrapped.x + image[0] * length - x) > 1e-12 * (std::abs(x) + length);
    }
  }
  CHECK(outside == 0);
}
