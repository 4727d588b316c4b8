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

TEST_CASE("the few that turn keep their orientations when all are sorted") {
  ParticleStore particles;
  particles.set_turning_types({0, 1});
  constexpr std::size_t count = 150;
  particles.resize_local(count);
  const auto turn_of = [](std::int64_t id) {
    return Quaternion{1.0, static_cast<double>(id), 0.0, 0.0};
  };
  for (std::size_t i = 0; i < count; ++i) {
    const auto id = static_cast<std::int64_t>(i);
    const double place = static_cast<double>(i * 67 % count);
    set_particle(particles, i,
                 {.position = {0.025 * place, 0.02 * place, 3.9 - 0.02 * place, i % 7 == 3 ? 1 : 0},
                  .velocity = {},
                  .id = id,
                  .image = {},
                  .orientation = turn_of(id),
                  .angular_momentum = {0.0, static_cast<double>(id), 0.0}});
  }
  CellGrid grid;
  grid.set_region({0.0, 0.0, 0.0}, {4.0, 4.0, 4.0}, 1.0);
  std::vector<std::uint32_t> cell_of(count), source(count);
  std::vector<std::byte> room(count * CellGrid::sort_room);
  grid.sort_local(particles, cell_of, source, room);
  std::size_t turning = 0, moved = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t id = particles.id[i];
    moved += id != static_cast<std::int64_t>(i) ? 1 : 0;
    const bool turns = id % 7 == 3;
    REQUIRE(particles.turns(i) == turns);
    turning += turns ? 1 : 0;
    CHECK(particles.orientation[i] == (turns ? turn_of(id) : Quaternion{}));
    CHECK(particles.angular_momentum[i].y == (turns ? static_cast<double>(id) : 0.0));
  }
  CHECK(moved > count / 2);
  CHECK(particles.local_rotors() == turning);
}
