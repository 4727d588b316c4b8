#include "md/observe/cell_averages.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

CellAverages::CellAverages(std::vector<std::string> names, std::vector<AtomGroup> groups,
                           const UnitSystem& units, std::size_t cells)
    : names_(std::move(names)), groups_(std::move(groups)), units_(units) {
  if (!groups_.empty()) {
    names_.clear();
    for (const AtomGroup& group : groups_) names_.push_back(group.name());
  }
  sums_.assign(stride() * cells, 0.0);
}

void CellAverages::add(const Frame& frame, std::size_t particle, std::size_t cell) {
  double* const sums = sums_.data() + cell * stride();
  const Position& position = frame.particles.position[particle];
  const auto type = static_cast<std::size_t>(position.type);
  if (groups_.empty()) sums[type] += 1.0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (groups_[g].contains(frame.particles.id[particle], position, frame.box)) sums[g] += 1.0;
  }
  // Virtual sites have no temperature.
  const double mass = frame.masses[type];
  const Vec3& velocity = frame.particles.velocity[particle];
  if (mass > 0.0) sums[names_.size()] += 1.0;
  sums[names_.size() + 1] += mass * dot(velocity, velocity);
}

std::string CellAverages::header() const {
  const auto unit = [&](Dimension dimension) {
    const std::string label(units_.label(dimension));
    return label.empty() ? "" : "/" + label;
  };
  std::string text;
  for (const std::string& name : names_) {
    text += fmt::format(" density_{}{}", name, unit(Dimension::number_density));
  }
  return text + fmt::format(" temperature{}", unit(Dimension::temperature));
}

std::string CellAverages::row(std::span<const double> all_sums, std::size_t cell,
                              double volume) const {
  const auto sums = all_sums.subspan(cell * stride(), stride());
  std::string text;
  for (std::size_t column = 0; column < names_.size(); ++column) {
    const double density = volume > 0.0 ? sums[column] / volume : 0.0;
    text += fmt::format(" {:.8g}", units_.from_internal(density, Dimension::number_density));
  }
  const double particles = sums[names_.size()];
  const double temperature =
      particles > 0.0 ? sums[names_.size() + 1] / (3.0 * particles * units_.boltzmann()) : 0.0;
  return text + fmt::format(" {:.8g}", units_.from_internal(temperature, Dimension::temperature));
}

Vec3 center_of_mass_in_box(const comm::Context& context, const Frame& frame) {
  std::array<double, 6> sums{};
  const Vec3 length = frame.box.length;
  for (std::size_t i = 0; i < frame.particles.local_count(); ++i) {
    const Position& position = frame.particles.position[i];
    const double mass = frame.masses[static_cast<std::size_t>(position.type)];
    for (int axis = 0; axis < 3; ++axis) {
      const double angle = 2.0 * std::numbers::pi * position.vector()[axis] / length[axis];
      sums[2 * static_cast<std::size_t>(axis)] += mass * std::cos(angle);
      sums[2 * static_cast<std::size_t>(axis) + 1] += mass * std::sin(angle);
    }
  }
  comm::ReductionBatch batch(context, "center of mass", comm::ReductionOrder::fixed);
  batch.sum(sums.data(), sums.size()).run();
  Vec3 center;
  for (int axis = 0; axis < 3; ++axis) {
    const auto k = 2 * static_cast<std::size_t>(axis);
    center[axis] = std::atan2(sums[k + 1], sums[k]) * length[axis] / (2.0 * std::numbers::pi);
  }
  return center;
}

void check_right_angles(const Box& box, std::string_view place, std::string_view what,
                        const Report& report) {
  if (box.tilt.none()) return;
  report(Severity::error, place, fmt::format("{} needs a box with right angles", what));
}

}  // namespace sterna::md
