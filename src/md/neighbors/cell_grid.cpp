#include "md/neighbors/cell_grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "md/neighbors/cell_counts.hpp"
#include "md/system/particle_fields.hpp"

namespace sterna::md {

namespace {

/// Moves item `source[i]` to place i, by way of `room`. Items are read in the order of their new
/// places; since particles are near their former places, many loads can be in flight. Items that
/// are larger than the room are moved in two halves.
template <class Array>
void permute(Array& items, std::span<const std::uint32_t> source, std::span<std::byte> room) {
  using T = std::remove_reference_t<decltype(*items.data())>;
  constexpr std::size_t parts = sizeof(T) <= CellGrid::sort_room ? 1 : 2;
  constexpr std::size_t size = sizeof(T) / parts;
  static_assert(size <= CellGrid::sort_room && size * parts == sizeof(T));
  if (source.empty()) return;  // empty arrays may be null, which memcpy does not allow
  for (std::size_t part = 0; part < parts; ++part) {
    std::byte* const begin = reinterpret_cast<std::byte*>(items.data()) + part * size;
    std::byte* next = room.data();
    for (const std::uint32_t from : source) {
      std::memcpy(next, begin + from * sizeof(T), size);
      next += size;
    }
    if constexpr (parts == 1) {
      std::memcpy(begin, room.data(), source.size() * size);
    } else {
      for (std::size_t i = 0; i < source.size(); ++i) {
        std::memcpy(begin + i * sizeof(T), room.data() + i * size, size);
      }
    }
  }
}

}  // namespace

void CellGrid::set_region(const Vec3& low, const Vec3& high, double list_radius,
                          const Shear& shear) {
  low_ = low;
  high_ = high;
  shear_ = shear;
  const Vec3 width = high - low;
  const std::array<int, 3> counts =
      cell_counts(width, shear.extent(list_radius), expected_particles_);
  for (int axis = 0; axis < 3; ++axis) {
    count_[axis] = counts[static_cast<std::size_t>(axis)];
    per_length_[axis] = count_[axis] / width[axis];
  }
  cells_.assign(static_cast<std::size_t>(count_[0] + 2) * static_cast<std::size_t>(count_[1] + 2) *
                    static_cast<std::size_t>(count_[2] + 2),
                CellRange{});
  cells_beyond_.clear();
}

std::uint32_t CellGrid::local_cell(const Position& position) const {
  const Vec3 p = shear_.unsheared(position.vector());
  int at[3];
  for (int axis = 0; axis < 3; ++axis) {
    const int cell = static_cast<int>((p[axis] - low_[axis]) * per_length_[axis]);
    at[axis] = 1 + std::clamp(cell, 0, count_[axis] - 1);
  }
  return index(at[0], at[1], at[2]);
}

std::uint32_t CellGrid::ghost_cell(const Position& position) const {
  const Vec3 p = shear_.unsheared(position.vector());
  int at[3];
  bool inside = true;
  for (int axis = 0; axis < 3; ++axis) {
    if (p[axis] < low_[axis]) {
      at[axis] = 0;
      inside = false;
    } else if (p[axis] >= high_[axis]) {
      at[axis] = count_[axis] + 1;
      inside = false;
    } else {
      const int cell = static_cast<int>((p[axis] - low_[axis]) * per_length_[axis]);
      at[axis] = 1 + std::clamp(cell, 0, count_[axis] - 1);
    }
  }
  if (inside) {
    // In a triclinic box, rounding of a lattice vector may move a ghost into the region. It is put
    // back through the nearest face.
    double least = HUGE_VAL;
    int face = 0;
    for (int axis = 0; axis < 3; ++axis) {
      for (const double distance : {p[axis] - low_[axis], high_[axis] - p[axis]}) {
        if (distance < least) least = distance, face = axis;
      }
    }
    at[face] = p[face] - low_[face] <= high_[face] - p[face] ? 0 : count_[face] + 1;
  }
  return index(at[0], at[1], at[2]);
}

void CellGrid::sort_local(ParticleStore& particles, std::span<std::uint32_t> cell_of,
                          std::span<std::uint32_t> source, std::span<std::byte> room) {
  const auto count = static_cast<std::uint32_t>(particles.local_count());
  particles.resize_local(count);
  // Counts for each cell: first its listed particles, behind all cells its other particles.
  const auto cell_count = static_cast<std::uint32_t>(cells_.size());
  std::vector<std::uint32_t> next(2 * cells_.size(), 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool listed = is_listed(particles.position[i]);
    cell_of[i] = local_cell(particles.position[i]) + (listed ? 0 : cell_count);
    ++next[cell_of[i]];
  }
  std::uint32_t begin = 0;
  for (std::size_t c = 0; c < next.size(); ++c) {
    if (c < cells_.size()) cells_[c] = {begin, next[c]};
    if (c == cells_.size()) listed_local_ = begin;
    begin += std::exchange(next[c], begin);
  }
  for (std::uint32_t i = 0; i < count; ++i) source[next[cell_of[i]]++] = i;
  for (const CellRange& cell : cells_) {
    sort_cell({source.data() + cell.begin, cell.count}, particles.position.span());
  }
  std::vector<std::uint32_t> rotors;
  for (std::uint32_t k = 0; k < count && particles.only_some_rotate(); ++k) {
    const std::size_t number = particles.rotor_number(source[k]);
    if (number != RotorPlaces::none) rotors.push_back(static_cast<std::uint32_t>(number));
  }
  for_each_array_of_particles(particles.kind_of_all(), [&](const auto& field) {
    permute(particles.*field.array, source, room);
  });
  if (particles.only_some_rotate()) particles.reorder_rotors(rotors, count);
  classify_cells();
}

void CellGrid::sort_cell(std::span<std::uint32_t> cell, std::span<const Position> positions) {
  by_x_.resize(cell.size());
  for (std::size_t k = 0; k < cell.size(); ++k) {
    const Vec3 p = positions[cell[k]].vector();
    by_x_[k] = {p.x - shear_.offset(p, 0), cell[k]};
  }
  // Insertion sort, because particles were sorted at the last rebuild and have moved little since.
  if (cell.size() <= 64) {
    for (std::size_t k = 1; k < by_x_.size(); ++k) {
      const auto moving = by_x_[k];
      std::size_t place = k;
      for (; place > 0 && moving < by_x_[place - 1]; --place) by_x_[place] = by_x_[place - 1];
      by_x_[place] = moving;
    }
  } else {
    std::sort(by_x_.begin(), by_x_.end());
  }
  for (std::size_t k = 0; k < cell.size(); ++k) cell[k] = by_x_[k].second;
}

void CellGrid::classify_cells() {
  interior_.clear();
  boundary_.clear();
  local_.clear();
  for (int z = 1; z <= count_[2]; ++z) {
    for (int y = 1; y <= count_[1]; ++y) {
      for (int x = 1; x <= count_[0]; ++x) {
        const std::uint32_t cell = index(x, y, z);
        if (cells_[cell].count == 0) continue;
        const bool interior =
            x > 1 && x < count_[0] && y > 1 && y < count_[1] && z > 1 && z < count_[2];
        (interior ? interior_ : boundary_).push_back(cell);
        local_.push_back(cell);
      }
    }
  }
}

void CellGrid::place_ghosts(std::span<const Position> ghosts, std::size_t local_count,
                            std::vector<std::uint32_t>& slots,
                            std::optional<std::span<const char>> half_shell) {
  slots.resize(ghosts.size());
  // Only cells of the outer layer hold ghosts, and all of them are refilled. Counts for each cell:
  // first its listed ghosts, then its ghosts beyond the half shell, then its ghosts of other types.
  const auto cell_count = static_cast<std::uint32_t>(cells_.size());
  std::vector<std::uint32_t> next(3 * cells_.size(), 0);
  for (std::size_t k = 0; k < ghosts.size(); ++k) {
    const std::uint32_t part = !is_listed(ghosts[k]) ? 2 : half_shell && !(*half_shell)[k] ? 1 : 0;
    slots[k] = ghost_cell(ghosts[k]) + part * cell_count;
    ++next[slots[k]];
  }
  std::uint32_t begin = 0;
  std::size_t cell = 0;
  for (int z = 0; z < count_[2] + 2; ++z) {
    for (int y = 0; y < count_[1] + 2; ++y) {
      for (int x = 0; x < count_[0] + 2; ++x, ++cell) {
        const bool local =
            x >= 1 && x <= count_[0] && y >= 1 && y <= count_[1] && z >= 1 && z <= count_[2];
        if (local) continue;
        cells_[cell] = {begin + static_cast<std::uint32_t>(local_count), next[cell]};
        begin += std::exchange(next[cell], begin);
      }
    }
  }
  listed_ghosts_ = begin;
  cells_beyond_.resize(half_shell ? cells_.size() : 0);
  for (; cell < next.size(); ++cell) {
    if (cell == 2 * cells_.size()) ghosts_of_listed_types_ = begin;
    if (half_shell && cell < 2 * cells_.size()) {
      cells_beyond_[cell - cells_.size()] = {begin + static_cast<std::uint32_t>(local_count),
                                             next[cell]};
    }
    begin += std::exchange(next[cell], begin);
  }
  // First find the ghost at each place, then sort each cell by x, then invert the order to `slots`.
  std::vector<std::uint32_t> source(ghosts.size());
  for (std::size_t k = 0; k < ghosts.size(); ++k) {
    source[next[slots[k]]++] = static_cast<std::uint32_t>(k);
  }
  for (const CellRange& range : cells_) {
    if (range.begin < local_count || range.count == 0) continue;
    sort_cell({source.data() + (range.begin - local_count), range.count}, ghosts);
  }
  for (std::size_t place = 0; place < source.size(); ++place) {
    slots[source[place]] = static_cast<std::uint32_t>(place);
  }
}

}  // namespace sterna::md
