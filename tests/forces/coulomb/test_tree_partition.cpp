#include "md/forces/coulomb/fmm/tree_partition.hpp"

#include <doctest/doctest.h>

#include <map>
#include <tuple>

using namespace sterna::md;

namespace {

/// Cuts of a box that no cell follows: two parts along x, one of them cut along y and z.
std::vector<TreePartition::FractionRegion> uneven_regions() {
  return {{{0, 0, 0}, {0.37, 1, 1}},
          {{0.37, 0, 0}, {1, 0.11, 1}},
          {{0.37, 0.11, 0}, {1, 1, 0.92}},
          {{0.37, 0.11, 0.92}, {1, 1, 1}}};
}

}  // namespace

TEST_CASE("every cell of every depth has one owner, and leaves with charges are touched") {
  const TreePartition partition({2, 2, 3}, 3, true, uneven_regions(), 0, 64);
  for (int depth = 0; depth <= 3; ++depth) {
    std::map<Cells, int> owners;
    for (int rank = 0; rank < 4; ++rank) {
      partition.owned(depth, rank).for_each([&](const Cells& cell) { ++owners[cell]; });
    }
    CHECK(owners.size() == CellBox::grid(partition.grid(depth)).count());
    for (const auto& [cell, count] : owners) CHECK(count == 1);
  }
  const auto regions = uneven_regions();
  for (int rank = 0; rank < 4; ++rank) {
    const CellBox leaves = partition.touched_leaves(rank);
    const Cells grid = partition.grid(3);
    for (int axis = 0; axis < 3; ++axis) {
      const auto& region = regions[static_cast<std::size_t>(rank)];
      CHECK(leaves.lower[axis] <= region.lower[axis] * grid[axis]);
      CHECK(leaves.upper[axis] >= region.upper[axis] * grid[axis]);
      CHECK(leaves.lower[axis] + 1 > region.lower[axis] * grid[axis]);
      CHECK(leaves.upper[axis] - 1 < region.upper[axis] * grid[axis]);
    }
  }
}

TEST_CASE("levels of few cells are those of all ranks") {
  std::vector<TreePartition::FractionRegion> slices;
  for (int k = 0; k < 1000; ++k) slices.push_back({{0.001 * k, 0, 0}, {0.001 * (k + 1), 1, 1}});
  const auto of_ranks = [&](const Cells& top, std::size_t ranks) {
    const std::vector regions(slices.begin(), slices.begin() + static_cast<std::ptrdiff_t>(ranks));
    return TreePartition(top, 3, true, regions, 0, 64);
  };
  // 8, 64, 512 and 4096 cells.
  CHECK(of_ranks({2, 2, 2}, 1).first_distributed_depth() == 0);
  CHECK(of_ranks({2, 2, 2}, 7).first_distributed_depth() == 0);
  CHECK(of_ranks({2, 2, 2}, 7).top_distributed());
  CHECK(of_ranks({2, 2, 2}, 8).first_distributed_depth() == 1);
  CHECK(of_ranks({2, 2, 2}, 63).first_distributed_depth() == 1);
  CHECK(of_ranks({2, 2, 2}, 64).first_distributed_depth() == 2);
  CHECK(of_ranks({2, 2, 2}, 1000).first_distributed_depth() == 2);
  CHECK(!of_ranks({2, 2, 2}, 1000).top_distributed());
  CHECK(of_ranks({5, 5, 5}, 1000).top_distributed());
}

TEST_CASE("what one rank sends is what the other receives, and all that is wanted comes once") {
  const TreePartition partition({2, 2, 2}, 3, true, uneven_regions(), 0, 64);
  const int depth = 3;
  const Cells grid = partition.grid(depth);
  const auto provides = [&](int rank) { return partition.owned(depth, rank); };
  const auto wants = [&](int rank) { return partition.owned(depth - 1, rank).grown(1).children(); };
  std::vector<CellTransfers> plans;
  for (int rank = 0; rank < 4; ++rank) {
    plans.push_back(CellTransfers::plan(rank, 4, grid, true, provides, wants));
  }
  for (int from = 0; from < 4; ++from) {
    for (int to = 0; to < 4; ++to) {
      std::vector<CellBlock> sent, received;
      for (const auto& b : plans[static_cast<std::size_t>(from)].sends) {
        if (b.rank == to) sent.push_back(b);
      }
      for (const auto& b : plans[static_cast<std::size_t>(to)].receives) {
        if (b.rank == from) received.push_back(b);
      }
      REQUIRE(sent.size() == received.size());
      for (std::size_t k = 0; k < sent.size(); ++k) {
        CHECK(sent[k].source == received[k].source);
        CHECK(sent[k].shift == received[k].shift);
      }
    }
  }
  for (int rank = 0; rank < 4; ++rank) {
    std::map<Cells, int> arrivals;
    for (const auto& block : plans[static_cast<std::size_t>(rank)].receives) {
      block.target().for_each([&](const Cells& cell) { ++arrivals[cell]; });
    }
    CHECK(arrivals.size() == wants(rank).count());
    for (const auto& [cell, count] : arrivals) CHECK(count == 1);
  }
}
