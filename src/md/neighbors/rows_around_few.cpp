// Idea:    a few particles with far neighbors, such as bodies of a thousand sites, have rows in a grid
//          whose cells are as wide as the short range of all others. Each of the few looks at as
//          many cells as its radius covers, and at no particle that has nothing to do with it.
// Cost:    at each rebuild a distance for each particle around each of the few.
// Hazards: the cells of ghosts hold everything beyond the region, so a wide halo is looked at whole.
// Others:  cells as wide as the longest range, in which all other particles find far too many
//          candidates.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <utility>

#include "md/neighbors/pair_list.hpp"

namespace sterna::md {

namespace {

/// The cells that contain all listed particles within a distance of a position.
struct CellsAround {
  int first[3], last[3];

  CellsAround(const CellGrid& grid, const Vec3& position, double distance) {
    const Vec3 place = grid.shear().unsheared(position);
    // A little more, because rounding may have moved a ghost into the region.
    const Vec3 extent = grid.shear().extent((1.0 + 1e-6) * distance);
    const int counts[3] = {grid.nx(), grid.ny(), grid.nz()};
    for (int axis = 0; axis < 3; ++axis) {
      const double low = grid.low()[axis];
      const double per_length = counts[axis] / (grid.high()[axis] - low);
      const auto cell = [&](double coordinate) {
        const double number = std::floor((coordinate - low) * per_length) + 1.0;
        return static_cast<int>(std::clamp(number, 0.0, counts[axis] + 1.0));
      };
      first[axis] = cell(place[axis] - extent[axis]);
      last[axis] = cell(place[axis] + extent[axis]);
    }
  }
};

}  // namespace

void PairList::build_rows_around(const ParticleStore& particles, const Few& few) {
  if (group_ != 1) throw std::logic_error("rows around few particles are those of one particle");
  around_few_ = true;
  masked_ = use_compressed_ = false;
  const std::size_t types = few.is_one.size();
  const auto local = static_cast<std::uint32_t>(listed_->local_count);
  const auto type_of = [&](std::uint32_t i) {
    return static_cast<std::size_t>(particles.position[i].type);
  };
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;  // the particle of the row first
  // The first of the two particles is one of the few, and at least one is local.
  const auto add_pair = [&](std::uint32_t i, std::uint32_t j) {
    const double radius = few.radius[type_of(i) * types + type_of(j)];
    const Vec3 d = particles.position[j].vector() - particles.position[i].vector();
    if (!(dot(d, d) < radius * radius)) return;
    if (i < local) pairs.emplace_back(i, j);
    if (j < local && (i >= local || !half_)) pairs.emplace_back(j, i);
  };
  const CellGrid& grid = listed_->grid;
  for (const std::uint32_t i : few.places) {
    const double* const radii = few.radius.data() + type_of(i) * types;
    for (const std::uint32_t j : few.places) {
      if (i < j && i < local) add_pair(i, j);
    }
    double farthest = 0.0;
    for (std::size_t type = 0; type < types; ++type) {
      if (few.is_one[type] == 0) farthest = std::max(farthest, radii[type]);
    }
    const CellsAround around(grid, particles.position[i].vector(), farthest);
    for (int z = around.first[2]; z <= around.last[2]; ++z) {
      for (int y = around.first[1]; y <= around.last[1]; ++y) {
        for (int x = around.first[0]; x <= around.last[0]; ++x) {
          const CellRange cell = grid.cells()[static_cast<std::size_t>(
              (z * (grid.ny() + 2) + y) * (grid.nx() + 2) + x)];
          for (std::uint32_t j = cell.begin; j < cell.begin + cell.count; ++j) {
            if (few.is_one[type_of(j)] != 0 || (i >= local && j >= local)) continue;
            add_pair(i, j);
          }
        }
      }
    }
  }
  std::ranges::sort(pairs);
  if (pairs.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw std::length_error("more than 4294967295 neighbors on one rank: use more ranks");
  }
  runs_.clear();
  run_numbers_.clear();
  // Only the begins of rows in runs are written, and only these are read.
  row_begin_.renew(listed_->local_count + 1);
  plain_.renew(pairs.size());
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const std::uint32_t i = pairs[k].first;
    plain_[k] = pairs[k].second;
    if (k == 0 || i != pairs[k - 1].first) {
      row_begin_[i] = static_cast<std::uint32_t>(k);
      if (runs_.empty() || runs_.back().begin + runs_.back().count != i) {
        run_numbers_.push_back(static_cast<std::uint32_t>(runs_.size()));
        runs_.push_back({i, 0});
      }
      ++runs_.back().count;
    }
    row_begin_[i + 1] = static_cast<std::uint32_t>(k + 1);
  }
  entries_built_ = entries_used_ = pairs.size();
}

}  // namespace sterna::md
