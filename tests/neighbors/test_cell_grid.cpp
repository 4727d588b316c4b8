#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "md/neighbors/cell_grid.hpp"

using namespace sterna::md;

namespace {

/// Sorts a store of these positions, with ids 0, 1, ..., into cells of a box of edge 4.
CellGrid sorted(ParticleStore& particles, const std::vector<Vec3>& positions) {
  particles.resize_local(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    particles.position[i] = Position{positions[i].x, positions[i].y, positions[i].z, 0};
    particles.id[i] = static_cast<std::int64_t>(i);
    particles.velocity[i] = {};
    particles.image[i] = {};
    if (!particles.rotating()) continue;
    particles.orientation[i] = Quaternion{};
    particles.angular_momentum[i] = {};
  }
  CellGrid grid;
  grid.set_region({0.0, 0.0, 0.0}, {4.0, 4.0, 4.0}, 1.0);
  std::vector<std::uint32_t> cell_of(positions.size()), source(positions.size());
  std::vector<std::byte> room(positions.size() * CellGrid::sort_room);
  grid.sort_local(particles, cell_of, source, room);
  return grid;
}

}  // namespace

// A rank may have no particle: its arrays have no memory then, which the sanitizers of `./dev
// sanitize` look at.
TEST_CASE("a region without particles has no cells to visit") {
  for (const bool rotating : {false, true}) {
    ParticleStore particles;
    particles.set_rotating(rotating);
    CellGrid grid = sorted(particles, {});
    CHECK(grid.local_cells().empty());
    std::vector<std::uint32_t> slots;
    grid.place_ghosts({}, 0, slots);
    CHECK(slots.empty());
  }
}

TEST_CASE("particles are sorted by cell and, within a cell, by x") {
  ParticleStore particles;
  const CellGrid grid =
      sorted(particles, {{3.5, 3.5, 3.5}, {1.9, 1.5, 1.5}, {1.1, 1.5, 1.5}, {0.5, 0.5, 0.5}});
  const std::vector<std::int64_t> ids(particles.id.begin(), particles.id.end());
  CHECK(ids == std::vector<std::int64_t>{3, 2, 1, 0});
  CHECK(grid.local_cells().size() == 3);
  CHECK(grid.interior_cells().size() == 1);
  CHECK(grid.boundary_cells().size() == 2);
}
