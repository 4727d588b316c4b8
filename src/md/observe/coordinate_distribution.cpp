#include "md/observe/coordinate_distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "md/core/cross_product.hpp"

namespace sterna::md {
namespace {

constexpr double degrees = 180.0 / std::numbers::pi;

/// All paths of so many consecutive bonds in a molecule, each in one of its two directions.
std::vector<std::array<std::uint32_t, 4>> paths(const Topology::Molecule& molecule,
                                                std::size_t bonds) {
  const auto partners = bonded_atoms(molecule);
  std::vector<std::array<std::uint32_t, 4>> all;
  std::array<std::uint32_t, 4> path{};
  const auto extend = [&](const auto& self, std::size_t length) -> void {
    if (length == bonds + 1) {
      if (path[0] < path[bonds]) all.push_back(path);
      return;
    }
    for (const std::uint32_t next : partners[path[length - 1]]) {
      const auto end = path.begin() + static_cast<std::ptrdiff_t>(length);
      if (std::find(path.begin(), end, next) != end) continue;
      path[length] = next;
      self(self, length + 1);
    }
  };
  for (std::uint32_t first = 0; first < molecule.atoms.size(); ++first) {
    path[0] = first;
    extend(extend, 1);
  }
  return all;
}

double value_of(InternalCoordinate coordinate, const Vec3& a, const Vec3& b, const Vec3& c,
                const Vec3& d) {
  switch (coordinate) {
    case InternalCoordinate::bond:
      return length(b - a);
    case InternalCoordinate::angle:
      return degrees * std::atan2(length(cross(a - b, c - b)), dot(a - b, c - b));
    case InternalCoordinate::torsion:
      break;
  }
  const Vec3 along = c - b;
  const Vec3 first = cross(b - a, along), last = cross(along, d - c);
  return degrees * std::atan2(length(along) * dot(b - a, last), dot(first, last));
}

}  // namespace

CoordinateDistribution::CoordinateDistribution(std::string name, std::int64_t interval,
                                               const ObserverRequest& request,
                                               std::vector<AtomGroup> groups,
                                               InternalCoordinate coordinate, double minimum,
                                               double maximum, int bins)
    : Observer(std::move(name), interval),
      units_(request.input.units),
      groups_(std::move(groups)),
      coordinate_(coordinate),
      minimum_(minimum),
      maximum_(maximum),
      bins_(static_cast<std::size_t>(bins)),
      whole_(request.context, request.topology, groups_, this->name()),
      sums_(groups_.size() * stride(), 0.0) {
  for (const Topology::Molecule& molecule : request.topology.molecules()) {
    coordinates_.push_back(paths(molecule, static_cast<std::size_t>(coordinate) + 1));
  }
}

void CoordinateDistribution::sample(const Frame& frame) {
  const std::size_t size = static_cast<std::size_t>(coordinate_) + 2;
  std::vector<char> in_group;
  for (const WholeMolecules::Molecule& molecule : whole_.gather(frame)) {
    const auto& kind = whole_.topology().molecules()[molecule.kind];
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (!groups_[g].may_contain_molecule(molecule.kind)) continue;
      in_group.clear();
      for (std::size_t k = 0; k < kind.atoms.size(); ++k) {
        in_group.push_back(groups_[g].contains(molecule.first_id + static_cast<std::int64_t>(k),
                                               kind.atoms[k].type));
      }
      double* const bins = sums_.data() + g * stride();
      for (const Atoms& atoms : coordinates_[molecule.kind]) {
        const auto end = atoms.begin() + static_cast<std::ptrdiff_t>(size);
        if (!std::all_of(atoms.begin(), end, [&](std::uint32_t a) { return in_group[a] != 0; })) {
          continue;
        }
        const std::span<const Vec3> at = molecule.positions;
        const double value =
            value_of(coordinate_, at[atoms[0]], at[atoms[1]], at[atoms[2]], at[atoms[3]]);
        const double place =
            (value - minimum_) / (maximum_ - minimum_) * static_cast<double>(bins_);
        bins[bins_] += 1.0;
        // A value equal to the maximum belongs to the last bin.
        if (place < 0.0 || value > maximum_) continue;
        bins[std::min(bins_ - 1, static_cast<std::size_t>(place))] += 1.0;
      }
    }
  }
  frames_ += 1.0;
}

void CoordinateDistribution::set_common(std::span<const double> values) {
  if (values.size() == 1) frames_ = values[0];
}

ObserverReport CoordinateDistribution::report(std::span<const double> all_sums) const {
  const bool is_length = coordinate_ == InternalCoordinate::bond;
  const Dimension dimension = is_length ? Dimension::length : Dimension::none;
  const std::string label = is_length ? std::string(units_.label(dimension)) : "deg";
  const std::string unit = label.empty() ? "" : "/" + label;
  constexpr const char* names[] = {"length", "angle", "torsion"};
  std::string text = fmt::format("# distribution, {:.0f} frames\n# {}{}", frames_,
                                 names[static_cast<std::size_t>(coordinate_)], unit);
  for (const AtomGroup& group : groups_) text += " " + group.name();
  text += "\n";
  const double width =
      units_.from_internal((maximum_ - minimum_) / static_cast<double>(bins_), dimension);
  const double first = units_.from_internal(minimum_, dimension);
  for (std::size_t bin = 0; bin < bins_; ++bin) {
    text += fmt::format("{:.8g}", first + (static_cast<double>(bin) + 0.5) * width);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const double* const bins = all_sums.data() + g * stride();
      text += fmt::format(" {:.8g}", bins[bin] / (std::max(bins[bins_], 1.0) * width));
    }
    text += "\n";
  }
  return {.text = text};
}

}  // namespace sterna::md
