#include "md/neighbors/full_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sterna::md {

void FullRows::build(std::span<const Position> positions, std::size_t local_count, double radius,
                     int steps, std::span<const char> unlisted) {
  neighbors_.clear();
  centers_.clear();
  longest_ = 0;
  begin_.assign(positions.size(), 0);
  end_.assign(positions.size(), 0);
  if (local_count == 0) return;
  sort_into_cells(positions, radius);
  // Those that are left out are as those that have a row already: nobody takes them any more.
  std::vector<char> has_row(positions.size(), 0);
  for (std::uint32_t i = 0; i < positions.size() && !unlisted.empty(); ++i) {
    has_row[i] = unlisted[static_cast<std::size_t>(positions[i].type)];
  }
  left_out_ = has_row;
  for (std::uint32_t i = 0; i < local_count; ++i) {
    if (has_row[i] == 0) centers_.push_back(i);
    has_row[i] = 1;
  }
  std::size_t first = 0;
  for (int step = 0;; ++step) {
    const std::size_t last = centers_.size();
    for (std::size_t k = first; k < last; ++k) append_row(positions, centers_[k], radius);
    if (step == steps || first == last) break;
    for (std::size_t k = first; k < last; ++k) {
      for (const std::uint32_t j : row(centers_[k])) {
        if (has_row[j] != 0) continue;
        has_row[j] = 1;
        centers_.push_back(j);
      }
    }
    first = last;
  }
  std::ranges::sort(centers_);
}

void FullRows::sort_into_cells(std::span<const Position> positions, double radius) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  low_ = {infinity, infinity, infinity};
  Vec3 high{-infinity, -infinity, -infinity};
  for (const Position& p : positions) {
    low_ = {std::min(low_.x, p.x), std::min(low_.y, p.y), std::min(low_.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  // A sparse system would otherwise have more cells than particles.
  const double most = std::cbrt(static_cast<double>(positions.size())) + 1.0;
  for (int axis = 0; axis < 3; ++axis) {
    const double extent = high[axis] - low_[axis];
    const double count = std::clamp(std::floor(extent / radius), 1.0, most);
    cells_[axis] = static_cast<std::int64_t>(count);
    inverse_width_[axis] = extent > 0.0 ? count / extent : 0.0;
  }
  std::vector<std::uint32_t> cell_of;
  cell_of.reserve(positions.size());
  cell_begin_.assign(static_cast<std::size_t>(cells_[0] * cells_[1] * cells_[2]) + 1, 0);
  for (const Position& p : positions) {
    std::int64_t place[3];
    for (int axis = 0; axis < 3; ++axis) {
      const double along = (p.vector()[axis] - low_[axis]) * inverse_width_[axis];
      place[axis] = std::min(static_cast<std::int64_t>(along), cells_[axis] - 1);
    }
    const auto cell =
        static_cast<std::uint32_t>((place[0] * cells_[1] + place[1]) * cells_[2] + place[2]);
    cell_of.push_back(cell);
    ++cell_begin_[cell + 1];
  }
  for (std::size_t c = 1; c < cell_begin_.size(); ++c) cell_begin_[c] += cell_begin_[c - 1];
  std::vector<std::uint32_t> next(cell_begin_.begin(), cell_begin_.end() - 1);
  in_cells_.resize(positions.size());
  for (std::uint32_t i = 0; i < positions.size(); ++i) in_cells_[next[cell_of[i]]++] = i;
}

void FullRows::append_row(std::span<const Position> positions, std::uint32_t i, double radius) {
  const Vec3 center = positions[i].vector();
  std::int64_t from[3], to[3];
  for (int axis = 0; axis < 3; ++axis) {
    const double along = (center[axis] - low_[axis]) * inverse_width_[axis];
    const std::int64_t place = std::min(static_cast<std::int64_t>(along), cells_[axis] - 1);
    from[axis] = std::max<std::int64_t>(place - 1, 0);
    to[axis] = std::min(place + 1, cells_[axis] - 1);
  }
  begin_[i] = neighbors_.size();
  for (std::int64_t x = from[0]; x <= to[0]; ++x) {
    for (std::int64_t y = from[1]; y <= to[1]; ++y) {
      const auto row = static_cast<std::size_t>((x * cells_[1] + y) * cells_[2]);
      const std::uint32_t begin = cell_begin_[row + static_cast<std::size_t>(from[2])];
      const std::uint32_t end = cell_begin_[row + static_cast<std::size_t>(to[2]) + 1];
      for (std::uint32_t k = begin; k < end; ++k) {
        const std::uint32_t j = in_cells_[k];
        const Vec3 d = positions[j].vector() - center;
        if (j != i && dot(d, d) < radius * radius && left_out_[j] == 0) neighbors_.push_back(j);
      }
    }
  }
  end_[i] = neighbors_.size();
  longest_ = std::max(longest_, end_[i] - begin_[i]);
}

}  // namespace sterna::md
