#include "md/observe/space_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "md/observe/cell_averages.hpp"

namespace sterna::md {

namespace {
constexpr std::array<std::string_view, 3> of_box{"x", "y", "z"};
constexpr std::array<std::string_view, 2> of_sphere{"radial", "tangential"};
constexpr std::array<std::string_view, 3> of_cylinder{"radial", "angular", "axial"};
}  // namespace

SpaceCells::SpaceCells(const CellOptions& options)
    : shape_(options.shape),
      axis_(index_of(options.axis)),
      first_(axis_ == 0 ? 1 : 0),
      second_(axis_ == 2 ? 1 : 2),
      center_(options.center),
      maximum_(options.maximum),
      bins_(static_cast<std::size_t>(options.bins)) {}

std::span<const std::string_view> SpaceCells::tensor_directions() const {
  if (shape_ == CellShape::sphere) return of_sphere;
  if (shape_ == CellShape::cylinder) return of_cylinder;
  return of_box;
}

std::span<const std::string_view> SpaceCells::vector_directions() const {
  return shape_ == CellShape::sphere ? tensor_directions().first(1) : tensor_directions();
}

void SpaceCells::place(const comm::Context& context, const Frame& frame) {
  length_ = frame.box.length;
  middle_ =
      center_ == CellCenter::mass ? center_of_mass_in_box(context, frame) : 0.5 * frame.box.length;
  sums_[0] += 1.0;
  sums_[1] += length_.x;
  sums_[2] += length_.y;
  sums_[3] += length_.z;
  sums_[4] += frame.box.volume();
}

/// Of a cylinder without its part along the axis.
Vec3 SpaceCells::across_axis(Vec3 vector) const {
  if (shape_ == CellShape::cylinder) vector[axis_] = 0.0;
  return vector;
}

Vec3 SpaceCells::nearest(Vec3 from_middle) const {
  for (int a = 0; a < 3; ++a)
    from_middle[a] -= length_[a] * std::round(from_middle[a] / length_[a]);
  return from_middle;
}

SpaceCells::Place SpaceCells::place_of(const Vec3& position) const {
  const Vec3 from = nearest(position - middle_);
  const auto bin = [&](int a) {
    const double in_cells = (from[a] / length_[a] + 0.5) * static_cast<double>(bins_);
    return std::min(bins_ - 1, static_cast<std::size_t>(std::max(in_cells, 0.0)));
  };
  if (shape_ == CellShape::slices) return {bin(axis_), from};
  if (shape_ == CellShape::map) return {bin(first_) * bins_ + bin(second_), from};
  const Vec3 across = across_axis(from);
  const double shell = std::sqrt(dot(across, across)) / width();
  return {shell < static_cast<double>(bins_) ? static_cast<std::size_t>(shell) : bins_, from};
}

Vec3 SpaceCells::components(const Vec3& vector, const Place& place) const {
  if (!has_shells()) return vector;
  Vec3 outwards = across_axis(place.from_middle);
  const double distance = std::sqrt(dot(outwards, outwards));
  if (distance > 0.0) outwards = (1.0 / distance) * outwards;
  Vec3 found{};
  found.x = dot(vector, outwards);
  if (shape_ == CellShape::cylinder) {
    // The axis, outwards and around are a right-handed system.
    const int next = (axis_ + 1) % 3, after = (axis_ + 2) % 3;
    found.y = outwards[next] * vector[after] - outwards[after] * vector[next];
    found.z = vector[axis_];
  }
  return found;
}

Vec3 SpaceCells::squares(const Vec3& vector, const Place& place) const {
  const Vec3 along = components(vector, place);
  Vec3 found{along.x * along.x, along.y * along.y, along.z * along.z};
  if (shape_ == CellShape::sphere) found.y = 0.5 * (dot(vector, vector) - found.x);
  return found;
}

/// Planes at first_plane + k * spacing.
void SpaceCells::cut_at_planes(double from, double along, double first_plane, double spacing) {
  if (along == 0.0) return;
  const double begin = (from - first_plane) / spacing, end = (from + along - first_plane) / spacing;
  const double last = std::floor(std::max(begin, end));
  for (double k = std::ceil(std::min(begin, end)); k <= last; k += 1.0) {
    const double cut = (k - begin) / (end - begin);
    if (cut > 0.0 && cut < 1.0) cuts_.push_back(cut);
  }
}

/// Of the part of a line from `begin` to `end`, which is in one image of the box.
void SpaceCells::cut_at_shells(const Vec3& from, const Vec3& along, double begin, double end) {
  const Vec3 start = across_axis(from), step = across_axis(along);
  const double length = std::sqrt(dot(step, step));
  if (length == 0.0) return;
  const double nearest_at = -dot(start, step) / (length * length);
  const Vec3 nearest_point = start + nearest_at * step;
  const double closest = dot(nearest_point, nearest_point);
  const double farthest_from_it =
      std::max(std::abs(begin - nearest_at), std::abs(end - nearest_at));
  const double farthest = std::sqrt(closest + std::pow(farthest_from_it * length, 2));
  const auto last = static_cast<std::size_t>(std::min(farthest / width(), double(bins_)));
  for (auto shell = static_cast<std::size_t>(std::sqrt(closest) / width()); shell <= last;
       ++shell) {
    const double radius = static_cast<double>(shell) * width();
    if (radius * radius <= closest) continue;
    const double half = std::sqrt(radius * radius - closest) / length;
    for (const double cut : {nearest_at - half, nearest_at + half}) {
      if (cut > begin && cut < end) cuts_.push_back(cut);
    }
  }
}

/// In shells the component outwards changes along the line: with the distance s from the point of
/// the line that is nearest to the middle, b away from it, its square is s^2 / (s^2 + b^2).
Vec3 SpaceCells::squares_of_part(const Vec3& from, const Vec3& along, double begin,
                                 double end) const {
  const double length_squared = dot(along, along), part = end - begin;
  Vec3 found{};
  if (!has_shells()) {
    for (int a = 0; a < 3; ++a) found[a] = part * along[a] * along[a] / length_squared;
    return found;
  }
  const Vec3 start = across_axis(from), step = across_axis(along);
  const double across = std::sqrt(dot(step, step));
  double around = 0.0, all = part * across * across / length_squared;
  if (across > 0.0) {
    const double first = dot(start, step) / across;
    const double nearest = std::sqrt(std::max(0.0, dot(start, start) - first * first));
    if (nearest > 0.0) {
      around = across / length_squared * nearest *
               (std::atan((first + end * across) / nearest) -
                std::atan((first + begin * across) / nearest));
    }
  }
  found.x = all - around;
  found.y = shape_ == CellShape::sphere ? 0.5 * around : around;
  if (shape_ == CellShape::cylinder) found.z = part * along[axis_] * along[axis_] / length_squared;
  return found;
}

std::span<const SpaceCells::Part> SpaceCells::cut(const Vec3& position, const Vec3& along) {
  parts_.clear();
  if (dot(along, along) == 0.0) return parts_;
  const Vec3 from = position - middle_;
  const auto cells = static_cast<double>(bins_);
  cuts_.assign({0.0, 1.0});
  for (int a = 0; a < 3; ++a) {
    const bool has_slices = shape_ == CellShape::map ? a != axis_ : a == axis_;
    if (!has_shells() && !has_slices) continue;
    const double spacing = has_shells() ? length_[a] : length_[a] / cells;
    cut_at_planes(from[a], along[a], 0.5 * length_[a], spacing);
  }
  std::ranges::sort(cuts_);
  // Each part between faces of the box has shells of its own image.
  const auto image_of = [&](double begin, double end) {
    const Vec3 middle = from + 0.5 * (begin + end) * along;
    return from + (nearest(middle) - middle);
  };
  if (has_shells()) {
    const std::vector<double> faces = cuts_;
    for (std::size_t k = 0; k + 1 < faces.size(); ++k) {
      cut_at_shells(image_of(faces[k], faces[k + 1]), along, faces[k], faces[k + 1]);
    }
    std::ranges::sort(cuts_);
  }
  for (std::size_t k = 0; k + 1 < cuts_.size(); ++k) {
    const double begin = cuts_[k], end = cuts_[k + 1];
    if (!(end > begin)) continue;
    const std::size_t cell = place_of(position + 0.5 * (begin + end) * along).cell;
    if (cell >= count()) continue;
    parts_.push_back({cell, squares_of_part(image_of(begin, end), along, begin, end)});
  }
  return parts_;
}

std::string SpaceCells::header(const UnitSystem& units) const {
  const std::string label(units.label(Dimension::length));
  const std::string unit = label.empty() ? "" : "/" + label;
  if (has_shells()) return "r" + unit;
  if (shape_ == CellShape::slices) return fmt::format("{}{}", "xyz"[axis_], unit);
  return fmt::format("{}{} {}{}", "xyz"[first_], unit, "xyz"[second_], unit);
}

std::string SpaceCells::row(std::size_t cell, const UnitSystem& units) const {
  const auto text = [&](double length) {
    return fmt::format("{:.8g}", units.from_internal(length, Dimension::length));
  };
  if (has_shells()) return text((static_cast<double>(cell) + 0.5) * width());
  const auto place = [&](std::size_t bin, int axis) {
    const double edge = sums_[1 + static_cast<std::size_t>(axis)] / std::max(sums_[0], 1.0);
    return text((static_cast<double>(bin) + 0.5) / static_cast<double>(bins_) * edge);
  };
  if (shape_ == CellShape::slices) return place(cell, axis_);
  return place(cell / bins_, first_) + " " + place(cell % bins_, second_);
}

double SpaceCells::volume(std::size_t cell) const {
  if (!has_shells()) return sums_[4] / static_cast<double>(count());
  const double inner = static_cast<double>(cell) * width(), outer = inner + width();
  if (shape_ == CellShape::sphere) {
    return 4.0 / 3.0 * std::numbers::pi * (std::pow(outer, 3) - std::pow(inner, 3)) * sums_[0];
  }
  return std::numbers::pi * (outer * outer - inner * inner) *
         sums_[1 + static_cast<std::size_t>(axis_)];
}

void SpaceCells::set_state(std::span<const double> state) {
  if (state.size() == sums_.size()) std::ranges::copy(state, sums_.begin());
}

void check_cells_in_box(const CellOptions& options, const Input& input, const Box& box,
                        std::string_view section, const Report& report) {
  check_right_angles(box, fmt::format("{}.interval", section), fmt::format("[{}]", section),
                     report);
  const bool is_cylinder = options.shape == CellShape::cylinder;
  if (!is_cylinder && options.shape != CellShape::sphere) return;
  double half = 0.5 * std::max({box.length.x, box.length.y, box.length.z});
  for (int axis = 0; axis < 3; ++axis) {
    if (is_cylinder && axis == index_of(options.axis)) continue;
    half = std::min(half, 0.5 * box.length[axis]);
  }
  if (options.maximum <= half * (1.0 + 1e-9)) return;
  report(Severity::error, fmt::format("{}.maximum", section),
         fmt::format("shells reach beyond half of the box; expected at most {}",
                     input.units.text(half, Dimension::length)));
}

}  // namespace sterna::md
