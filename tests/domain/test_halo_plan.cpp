// Plans and selection without messages: all ranks of a decomposition in one process.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>

#include "domain/domain_support.hpp"
#include "md/domain/halo_plan.hpp"
#include "md/domain/halo_selection.hpp"
#include "md/domain/regular_grid.hpp"

using namespace sterna::md;
using namespace sterna::md::test;

namespace {

/// The ghosts of every rank, by the plan, sorted.
std::vector<std::vector<Ghost>> planned_ghosts(const Decomposition& decomposition, double width,
                                               std::string_view route,
                                               const std::vector<Position>& all) {
  const int ranks = decomposition.rank_count();
  std::vector<HaloPlan> plans;
  std::vector<std::vector<Position>> held(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    plans.push_back(halo_route(route).plan(decomposition, rank, width));
  }
  for (const Position& p : all) {
    const Vec3 unsheared = decomposition.box().shear().unsheared(p.vector());
    held[static_cast<std::size_t>(decomposition.owner(unsheared))].push_back(p);
  }
  std::vector<std::size_t> local;
  for (const auto& positions : held) local.push_back(positions.size());
  for (std::size_t stage = 0; stage < plans.front().size(); ++stage) {
    auto arrived = held;
    std::set<std::pair<int, int>> pairs;
    for (int rank = 0; rank < ranks; ++rank) {
      const auto& mine = held[static_cast<std::size_t>(rank)];
      HaloSelection selection(plans[static_cast<std::size_t>(rank)][stage].segments,
                              decomposition.region(rank), decomposition.box().shear());
      selection.select(mine);
      for (std::size_t s = 0; s < selection.segments().size(); ++s) {
        const auto& segment = selection.segments()[s];
        if (segment.rank != rank) {
          pairs.insert({rank, segment.rank});
          CHECK(plans[static_cast<std::size_t>(rank)][stage].with_other_ranks);
        }
        if (s > 0) {
          const auto& before = selection.segments()[s - 1];
          CHECK(std::tie(before.rank, before.offset) < std::tie(segment.rank, segment.offset));
        }
        for (const auto i : selection.of(s)) {
          const Vec3 image = mine[i].vector() + segment.translation;
          arrived[static_cast<std::size_t>(segment.rank)].push_back(
              {image.x, image.y, image.z, mine[i].type});
        }
      }
    }
    for (const auto& [a, b] : pairs) CHECK(pairs.count({b, a}) == 1);
    held = std::move(arrived);
  }
  std::vector<std::vector<Ghost>> ghosts;
  for (std::size_t r = 0; r < held.size(); ++r) {
    ghosts.push_back(sorted_ghosts(held[r].data() + local[r], held[r].size() - local[r]));
  }
  return ghosts;
}

const Case kCases[] = {
    {"one rank", {10, 9, 11}, {1, 1, 1}, 2.8},
    {"one rank, box below twice the halo", {5, 4, 6}, {1, 1, 1}, 2.8},
    {"one rank, box below the halo", {2, 1.3, 3}, {1, 1, 1}, 2.8},
    {"two", {10, 9, 11}, {1, 1, 2}, 2.8},
    {"seven in a row, thin regions", {8, 8, 8}, {7, 1, 1}, 3.2},
    {"halo exactly a region wide", {8, 8, 8}, {4, 2, 1}, 2.0},
    {"halo exactly the box", {2, 2, 2}, {1, 2, 1}, 2.0},
    {"thin on two axes, box below the halo on the third", {8, 6, 2}, {5, 4, 1}, 2.8},
    {"eight", {12, 12, 12}, {2, 2, 2}, 2.8},
    {"cube of 27", {12, 12, 12}, {3, 3, 3}, 2.8},
    {"large grid, rounded planes", {7.7, 7.1, 7.3}, {6, 5, 7}, 0.7},
    {"sixty-four thin regions", {6.6, 6.6, 6.6}, {4, 4, 4}, 2.8},
};

}  // namespace

TEST_CASE("direct and staged plans give exactly the images within the halo") {
  for (const Case& c : kCases) {
    CAPTURE(c.what);
    const RegularGrid grid({c.length}, c.grid[0] * c.grid[1] * c.grid[2], c.grid);
    const auto all = make_positions(grid, c.width, 400);
    const auto direct = planned_ghosts(grid, c.width, "direct", all);
    const auto staged = planned_ghosts(grid, c.width, "staged", all);
    for (int rank = 0; rank < grid.rank_count(); ++rank) {
      CAPTURE(rank);
      const auto expected = expected_ghosts(grid, rank, c.width, all);
      CHECK(std::adjacent_find(expected.begin(), expected.end()) == expected.end());
      const bool direct_right = direct[static_cast<std::size_t>(rank)] == expected;
      const bool staged_right = staged[static_cast<std::size_t>(rank)] == expected;
      CHECK(direct_right);
      CHECK(staged_right);
    }
  }
}

TEST_CASE("in triclinic boxes the halo holds all images that are near a region, and few others") {
  const Box boxes[] = {{{10, 9, 11}, {2.0, -1.5, 3.0}},
                       {{8, 7, 6}, {-4.0, 4.0, 3.5}},
                       {{6, 6, 6}, {9.0, -5.0, 7.0}}};
  const double width = 1.7;
  for (const Box& box : boxes) {
    for (const std::array<int, 3>& shape : {std::array{1, 1, 1}, {2, 1, 3}, {3, 2, 2}}) {
      CAPTURE(box.tilt.xy);
      CAPTURE(shape[2]);
      const RegularGrid grid(box, shape[0] * shape[1] * shape[2], shape);
      const auto all = make_positions(grid, width, 80);
      const auto direct = planned_ghosts(grid, width, "direct", all);
      const auto staged = planned_ghosts(grid, width, "staged", all);
      std::size_t found = 0;
      for (int rank = 0; rank < grid.rank_count(); ++rank) {
        CAPTURE(rank);
        const auto& ghosts = direct[static_cast<std::size_t>(rank)];
        // By numbers and places to within rounding: stages add up shifts in another order.
        const auto& others = staged[static_cast<std::size_t>(rank)];
        REQUIRE(ghosts.size() == others.size());
        std::multiset<std::int64_t> numbers, other_numbers;
        for (const Ghost& ghost : ghosts) numbers.insert(std::get<0>(ghost));
        for (const Ghost& ghost : others) other_numbers.insert(std::get<0>(ghost));
        CHECK(numbers == other_numbers);
        // Distances from random places of the region, straight through space.
        const Region region = grid.region(rank);
        std::size_t missing = 0;
        for (std::uint64_t trial = 0; trial < 60; ++trial) {
          Vec3 unsheared;
          for (int axis = 0; axis < 3; ++axis) {
            const double share = uniform(trial, 40 + static_cast<std::uint64_t>(axis));
            unsheared[axis] =
                region.lower[axis] + share * (region.upper[axis] - region.lower[axis]);
          }
          const Vec3 place = box.shear().position(unsheared);
          for (const Position& p : all) {
            for (int a = -4; a <= 4; ++a)
              for (int b = -4; b <= 4; ++b)
                for (int c = -4; c <= 4; ++c) {
                  const Vec3 image = p.vector() + box.translation(a, b, c);
                  const Vec3 d = image - place;
                  if (dot(d, d) > width * width * (1.0 - 1e-12)) continue;
                  if (region.contains(box.shear().unsheared(image)) && a == 0 && b == 0 && c == 0) {
                    continue;
                  }
                  ++found;
                  missing += std::none_of(ghosts.begin(), ghosts.end(), [&](const Ghost& ghost) {
                    const Vec3 off =
                        Vec3{std::get<1>(ghost), std::get<2>(ghost), std::get<3>(ghost)} - image;
                    return std::get<0>(ghost) == p.type && dot(off, off) < 1e-20;
                  });
                }
          }
        }
        CHECK(missing == 0);
        // All lie in the region widened along the normals of its faces.
        const Vec3 extent = box.shear().extent(width * (1.0 + 1e-12));
        for (const Ghost& ghost : ghosts) {
          const Vec3 u =
              box.shear().unsheared({std::get<1>(ghost), std::get<2>(ghost), std::get<3>(ghost)});
          for (int axis = 0; axis < 3; ++axis) {
            CHECK(u[axis] >= region.lower[axis] - extent[axis] - 1e-12);
            CHECK(u[axis] <= region.upper[axis] + extent[axis] + 1e-12);
          }
        }
      }
      CHECK(found > 10);
    }
  }
}

TEST_CASE("random boxes, grids and widths") {
  for (std::uint64_t trial = 0; trial < 60; ++trial) {
    CAPTURE(trial);
    const auto draw = [&](std::uint64_t purpose) { return uniform(trial, 100 + purpose); };
    const Vec3 length{1 + 9 * draw(0), 1 + 9 * draw(1), 1 + 9 * draw(2)};
    const std::array<int, 3> shape{1 + static_cast<int>(4 * draw(3)),
                                   1 + static_cast<int>(4 * draw(4)),
                                   1 + static_cast<int>(4 * draw(5))};
    const double width = 0.1 + 3 * draw(6);
    const RegularGrid grid({length}, shape[0] * shape[1] * shape[2], shape);
    const auto all = make_positions(grid, width, 60);
    for (const auto& route : halo_routes()) {
      const auto ghosts = planned_ghosts(grid, width, route.name, all);
      std::size_t wrong = 0;
      for (int rank = 0; rank < grid.rank_count(); ++rank) {
        wrong += ghosts[static_cast<std::size_t>(rank)] != expected_ghosts(grid, rank, width, all);
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("messages on a large grid: 26 direct, 6 staged") {
  const RegularGrid grid({{50, 50, 50}}, 125);
  const auto others = [&](const HaloStage& stage) {
    std::set<int> ranks;
    for (const auto& segment : stage.segments) ranks.insert(segment.rank);
    ranks.erase(62);
    return ranks.size();
  };
  const auto direct = halo_route("direct").plan(grid, 62, 2.8);
  CHECK(direct.size() == 1);
  CHECK(others(direct[0]) == 26);
  const auto staged = halo_route("staged").plan(grid, 62, 2.8);
  CHECK(staged.size() == 3);
  for (const auto& stage : staged) CHECK(others(stage) == 2);
  CHECK(ranks_within(grid, 62, 2.8).size() == 26);
  CHECK(ranks_within(grid, 62, 10.5).size() == 124);
}

TEST_CASE("bad requests are explained") {
  CHECK_THROWS_WITH_AS(halo_route("diagonal"),
                       "no halo route is named 'diagonal'; there are: direct, staged",
                       std::invalid_argument);

  /// Regions that form no grid: the lower half whole, the upper half cut in two.
  class Bricks : public Decomposition {
   public:
    const Box& box() const override { return box_; }
    int rank_count() const override { return 3; }
    Region region(int rank) const override {
      if (rank == 0) return {{0, 0, 0}, {6, 6, 3}};
      return rank == 1 ? Region{{0, 0, 3}, {2, 6, 6}} : Region{{2, 0, 3}, {6, 6, 6}};
    }
    int owner(const Vec3& p) const override { return p.z < 3 ? 0 : (p.x < 2 ? 1 : 2); }

   private:
    Box box_{{6, 6, 6}};
  };
  const Bricks bricks;
  CHECK_THROWS_WITH_AS(halo_route("staged").plan(bricks, 0, 1.0),
                       "the staged halo needs a regular grid of regions; use the direct halo",
                       std::invalid_argument);

  SUBCASE("the direct halo serves them") {
    for (const double width : {0.5, 1.5, 4.0, 7.0}) {
      const auto all = make_positions(bricks, width, 200);
      const auto ghosts = planned_ghosts(bricks, width, "direct", all);
      for (int rank = 0; rank < 3; ++rank) {
        const bool right =
            ghosts[static_cast<std::size_t>(rank)] == expected_ghosts(bricks, rank, width, all);
        CHECK(right);
      }
    }
  }
}

TEST_CASE("selection of nothing and repeated selection") {
  const RegularGrid grid({{20, 20, 20}}, 1);
  HaloSelection selection(halo_route("direct").plan(grid, 0, 2.0)[0].segments, grid.region(0));
  selection.select({});
  CHECK(selection.count() == 0);
  const Position corner{1, 1, 1, 0}, middle{10, 10, 10, 1};
  const std::vector<Position> two{middle, corner};
  for (int repeat = 0; repeat < 2; ++repeat) {
    selection.select(two);
    CHECK(selection.count() == 7);
  }
  selection.select({&middle, 1});
  CHECK(selection.count() == 0);
}

TEST_CASE("ghosts of types with a narrow halo are those of a halo of that width") {
  const RegularGrid grid({{20, 20, 20}, {2, 4, 6}}, 1);
  const Shear shear = grid.box().shear();
  const double width = 3.0, narrow_width = 1.2;
  std::vector<Position> positions;
  for (int k = 0; k < 4000; ++k) {
    const Vec3 p = shear.position(
        {20.0 * (k % 17 + 0.3) / 17, 20.0 * (k % 19 + 0.6) / 19, 20.0 * (k % 23 + 0.1) / 23});
    positions.push_back({p.x, p.y, p.z, k % 3});
  }
  for (const std::string_view route : {"direct", "staged"}) {
    const auto selected = [&](double from, std::vector<char> narrow, const Vec3& margin) {
      // The first stage alone: no other sends what came before.
      HaloSelection selection(halo_route(route).plan(grid, 0, from)[0].segments, grid.region(0),
                              shear);
      selection.set_narrow_types(std::move(narrow), margin);
      selection.select(positions);
      std::map<int, std::multiset<std::uint32_t>> of_types;
      for (std::size_t s = 0; s < selection.segments().size(); ++s) {
        for (const std::uint32_t i : selection.of(s))
          of_types[static_cast<int>(positions[i].type)].insert(i);
      }
      return of_types;
    };
    const auto wide = selected(width, {}, {}), narrow = selected(narrow_width, {}, {});
    const auto both = selected(width, {0, 1, 0}, shear.extent(width) - shear.extent(narrow_width));
    CHECK(both.at(0) == wide.at(0));
    CHECK(both.at(1) == narrow.at(1));
    CHECK(both.at(2) == wide.at(2));
    CHECK(narrow.at(1).size() < wide.at(1).size());
  }
}
