#include <doctest/doctest.h>

#include <algorithm>

#include "md/neighbors/cell_counts.hpp"

using namespace sterna::md;

namespace {

constexpr double many = 1e9;  // particles

double product(const std::array<int, 3>& counts) {
  return static_cast<double>(counts[0]) * counts[1] * counts[2];
}

}  // namespace

TEST_CASE("cells are as narrow as the least width allows, where they are not too many") {
  CHECK(cell_counts({28.1, 5.5, 1.0}, {2.8, 2.8, 2.8}, many) == std::array<int, 3>{10, 1, 1});
  CHECK(product(cell_counts({280.1, 280.1, 140.1}, {2.8, 2.8, 2.8}, many)) == 100 * 100 * 50);
}

TEST_CASE("an almost empty region has some millions of cells, none narrower than the least width") {
  for (const Vec3 width : {Vec3{2000.0, 2000.0, 2000.0}, Vec3{1e9, 1e9, 1e9},
                           Vec3{1e300, 1e300, 1e300}, Vec3{1e12, 30.0, 3.0}}) {
    const auto counts = cell_counts(width, {2.8, 2.8, 2.8}, many);
    CHECK(product(counts) <= 4194304.0);
    CHECK(product(counts) > 1e5);
    for (int axis = 0; axis < 3; ++axis) {
      const int count = counts[static_cast<std::size_t>(axis)];
      CHECK((count == 1 || width[axis] / count >= 2.8));
    }
  }
  // The axis with few cells keeps them.
  CHECK(cell_counts({1e12, 30.0, 3.0}, {2.8, 2.8, 2.8}, many)[1] == 10);
}

TEST_CASE("a few particles in a huge box have a few cells") {
  for (const double edge : {1e3, 1e6, 1e15, 1e300}) {
    for (const double particles : {0.0, 2.0, 1e3, 1e5}) {
      const auto counts = cell_counts({edge, edge, edge}, {2.8, 2.8, 2.8}, particles);
      CHECK(product(counts) <= std::max(4096.0, 64.0 * particles));
      CHECK(product(counts) > 1000.0);
    }
  }
  // A droplet in a thousand times its volume: 18 particles in a cell of the liquid.
  CHECK(product(cell_counts({280.1, 280.1, 280.1}, {2.8, 2.8, 2.8}, 18e3)) == 1e6);
}
