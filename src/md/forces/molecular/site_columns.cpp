#include "md/forces/molecular/site_columns.hpp"

#include <algorithm>

namespace sterna::md {

namespace {

std::uint32_t vector_column(std::size_t vector) {
  return first_vector_column + static_cast<std::uint32_t>(4 * vector);
}

}  // namespace

SiteColumns::SiteColumns(const Component& component, bool with_charges) {
  for (const auto& site : component.lennard_jones) {
    if (site.epsilon != 0.0) add_point(site.position);
  }
  for (const auto& site : component.charges) {
    if (with_charges && site.charge != 0.0) add_point(site.position);
  }
  for (const auto& site : component.dipoles) {
    add_point(site.position);
    dipole_direction.push_back(static_cast<std::uint32_t>(directions.size()));
    directions.push_back(site.moment);
  }
  for (const auto& site : component.quadrupoles) {
    add_point(site.position);
    quadrupole_direction.push_back(static_cast<std::uint32_t>(directions.size()));
    directions.push_back(site.axis);
  }
  // Directions come behind the points.
  for (auto* index : {&dipole_direction, &quadrupole_direction}) {
    for (std::uint32_t& k : *index) k = vector_column(points.size() + k);
  }
  vectors.emplace_back();
  for (const Vec3& point : points) add_vector(point);
  for (const Vec3& direction : directions) add_vector(direction);
  if (linear()) {
    const double whole = length(axes[0]);
    axes[0] = 1.0 / whole * axes[0];
    for (SiteVector& vector : vectors) vector.along[0] *= whole;
  }
}

SiteColumns SiteColumns::of_large_body() {
  SiteColumns columns({}, false);
  columns.axes = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  return columns;
}

std::uint32_t SiteColumns::point(const Vec3& position) const {
  if (position == Vec3{}) return 0;
  const auto found = std::find(points.begin(), points.end(), position);
  return vector_column(static_cast<std::size_t>(found - points.begin()));
}

double SiteColumns::extent() const {
  double farthest = 0.0;
  for (const Vec3& point : points) farthest = std::max(farthest, length(point));
  return farthest;
}

void SiteColumns::add_point(const Vec3& position) {
  if (position == Vec3{} || std::find(points.begin(), points.end(), position) != points.end()) {
    return;
  }
  points.push_back(position);
}

void SiteColumns::add_vector(const Vec3& vector) {
  constexpr double rounding = 1e-14, small = 0.1;
  double parts[most_axes] = {};
  Vec3 rest = vector;
  for (std::size_t r = 0; r < frame_.size(); ++r) {
    parts[r] = dot(rest, frame_[r]);
    rest -= parts[r] * frame_[r];
  }
  const double beyond = length(rest), whole = length(vector);
  const std::size_t count = axes.size();
  if (count < most_axes && beyond > rounding * whole) {
    // Axes with a small angle between them would give other vectors large coordinates.
    const bool itself = beyond > small * whole;
    axes.push_back(itself ? vector : rest);
    frame_.push_back(1.0 / beyond * rest);
    if (itself) std::copy_n(parts, count, axis_parts_[count]);
    axis_parts_[count][count] = parts[count] = beyond;
  }
  auto& along = vectors.emplace_back().along;
  for (std::size_t r = axes.size(); r-- > 0;) {
    along[r] = parts[r] / axis_parts_[r][r];
    for (std::size_t q = 0; q < r; ++q) parts[q] -= along[r] * axis_parts_[r][q];
  }
}

}  // namespace sterna::md
