// Idea:    a site of a neighbor is turned into the frame of the large body, in which sites never
//          move. So they are sorted once, and no list of them grows old when the body turns.
// Cost:    memory grows with the sites, times the kinds of Lennard-Jones sites of all components.
// Hazards: a pair of two large bodies looks up every site of the smaller one.
// Others:  a neighbor list of sites, which a body that turns wears out the faster the larger it is.

#include "md/forces/molecular/large_bodies.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>

namespace sterna::md {

namespace {

/// Far beyond every cutoff; its square is a finite float.
constexpr double far_coordinate = 1e9;

/// The edge of cells: a third of the cutoff, or longer, so that there are no more than a few cells
/// for each site.
double edge_of_cells(const Vec3& size, std::size_t sites, double cutoff) {
  double edge = cutoff / 3.0;
  const auto count = [&](double length) { return std::floor(length / edge) + 1.0; };
  while (count(size.x) * count(size.y) * count(size.z) > 64.0 + 4.0 * static_cast<double>(sites)) {
    edge *= 1.25;
  }
  return edge;
}

}  // namespace

LargeBodies::LargeBodies(const MoleculeModel& model, bool with_charges)
    : with_charges_(with_charges) {
  const auto is_multipole = [](const Component& component) {
    return !component.dipoles.empty() || !component.quadrupoles.empty();
  };
  const bool multipoles = std::ranges::any_of(model.components, is_multipole);
  for (const Component& component : model.components) {
    std::vector<Point> points = points_of(component);
    double farthest = 0.0;
    for (const Point& point : points) farthest = std::max(farthest, length(point.position));
    extents_.push_back(farthest);
    // Multipoles, which also act on charges, have loops over all pairs of sites only.
    const bool charged =
        std::ranges::any_of(component.charges, [](const auto& site) { return site.charge != 0.0; });
    const bool is_large = model.cutoff_kind == MoleculeModel::Cutoff::site &&
                          points.size() >= fewest_points && !is_multipole(component) &&
                          !(charged && multipoles);
    bodies_.emplace_back();
    if (is_large) {
      add_body(model, component, std::move(points));
    } else {
      points_.push_back(std::move(points));
    }
  }
}

std::vector<LargeBodies::Point> LargeBodies::points_of(const Component& component) const {
  std::vector<Point> points;
  std::map<std::tuple<double, double, double>, std::size_t> places;
  const auto place = [&](const Vec3& position, int Point::*member, std::size_t index) {
    const auto [found, is_new] =
        places.try_emplace({position.x, position.y, position.z}, points.size());
    if (is_new || points[found->second].*member >= 0) {
      found->second = points.size();
      points.push_back({.position = position});
    }
    points[found->second].*member = static_cast<int>(index);
  };
  for (std::size_t k = 0; k < component.lennard_jones.size(); ++k) {
    const auto& site = component.lennard_jones[k];
    if (site.epsilon != 0.0) place(site.position, &Point::lennard_jones, k);
  }
  for (std::size_t k = 0; k < component.charges.size() && with_charges_; ++k) {
    const auto& site = component.charges[k];
    if (site.charge != 0.0) place(site.position, &Point::charge, k);
  }
  return points;
}

void LargeBodies::add_body(const MoleculeModel& model, const Component& component,
                           std::vector<Point> points) {
  LargeBody& body = bodies_.back();
  Vec3 low = points.front().position, high = low;
  for (const Point& point : points) {
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], point.position[axis]);
      high[axis] = std::max(high[axis], point.position[axis]);
    }
  }
  const Vec3 size = high - low;
  body.edge = edge_of_cells(size, points.size(), model.cutoff);
  for (int axis = 0; axis < 3; ++axis) {
    body.low[axis] = low[axis];
    body.count[axis] = static_cast<int>(size[axis] / body.edge) + 1;
  }
  const auto cell = [&](const Point& point, int axis) {
    const auto place = static_cast<int>((point.position[axis] - low[axis]) / body.edge);
    return std::min(place, body.count[axis] - 1);
  };
  // Cells with ascending x form rows, and each row begins on the boundary of a vector.
  const auto columns = static_cast<std::size_t>(body.count[0]);
  const auto row_count = static_cast<std::size_t>(body.count[1] * body.count[2]);
  std::vector<std::vector<Point>> cells(columns * row_count);
  for (const Point& point : points) {
    const auto row = static_cast<std::size_t>(cell(point, 2) * body.count[1] + cell(point, 1));
    cells[row * columns + static_cast<std::size_t>(cell(point, 0))].push_back(point);
  }
  std::vector<Point> sorted;
  body.cell_begin = cell_begin_.size();
  for (std::size_t row = 0; row < row_count; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      cell_begin_.push_back(static_cast<std::uint32_t>(sorted.size()));
      const auto& members = cells[row * columns + column];
      sorted.insert(sorted.end(), members.begin(), members.end());
    }
    cell_begin_.push_back(static_cast<std::uint32_t>(sorted.size()));
    const std::size_t whole = (sorted.size() + longest_vector - 1) / longest_vector;
    sorted.resize(whole * longest_vector,
                  {.position = {far_coordinate, far_coordinate, far_coordinate}});
  }
  body.stride = sorted.size();
  body.sites = numbers_.size();
  numbers_.resize(numbers_.size() + 4 * body.stride);
  double* const numbers = numbers_.data() + body.sites;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      numbers[axis * body.stride + k] = sorted[k].position[static_cast<int>(axis)];
    }
    const int charge = sorted[k].charge;
    numbers[3 * body.stride + k] =
        charge < 0 ? 0.0 : component.charges[static_cast<std::size_t>(charge)].charge;
  }
  points_.push_back(std::move(sorted));
}

std::size_t LargeBodies::add_table(const MoleculeModel& model, std::size_t a, std::size_t b,
                                   const Component::LennardJonesSite* site) {
  const std::size_t stride = bodies_[a].stride, begin = numbers_.size();
  numbers_.resize(begin + 3 * stride);
  double* const table = numbers_.data() + begin;
  std::fill(table, table + 3 * stride, 0.0);
  if (site == nullptr) return begin;
  const bool shifted = model.shifted[a * model.components.size() + b] != 0;
  const double r6 = std::pow(model.lennard_jones_cutoff, -6);
  for (std::size_t k = 0; k < stride; ++k) {
    const int index = points_[a][k].lennard_jones;
    if (index < 0) continue;
    const auto& own = model.components[a].lennard_jones[static_cast<std::size_t>(index)];
    const auto [epsilon, sigma] = model.mixed(a, own, b, *site);
    const double sigma6 = std::pow(sigma, 6);
    const double c6 = 4.0 * epsilon * sigma6;
    const double c12 = c6 * sigma6;
    table[k] = 12.0 * c12;
    table[stride + k] = 6.0 * c6;
    table[2 * stride + k] = shifted ? r6 * (c12 * r6 - c6) : 0.0;
  }
  return begin;
}

bool LargeBodies::add_pair(const MoleculeModel& model, std::size_t a, std::size_t b,
                           std::span<const SiteColumns> columns) {
  BodyPair& pair = pairs_.emplace_back();
  pair.probe_begin = pair.probe_end = probes_.size();
  if (model.are_atoms(a, b) || (!is_large(a) && !is_large(b))) return false;
  // Of two large bodies, the smaller one's sites are looked up in the cells of the other.
  pair.first_is_body = is_large(a) && (!is_large(b) || bodies_[a].stride >= bodies_[b].stride);
  const std::size_t body = pair.first_is_body ? a : b, other = pair.first_is_body ? b : a;
  std::map<std::pair<double, double>, std::size_t> tables;
  bool charged = false;
  for (const Point& point : points_[body]) charged = charged || point.charge >= 0;
  for (const Point& point : points_[other]) {
    if (point.lennard_jones < 0 && (point.charge < 0 || !charged)) continue;
    BodyProbe probe{};
    if (is_large(other)) {
      std::copy_n(&point.position.x, 3, probe.place.along);
    } else {
      const SiteColumns& of_other = columns[other];
      probe.place = of_other.vectors[slot_of(of_other.point(point.position))];
    }
    const Component& component = model.components[other];
    if (point.charge >= 0 && charged) {
      probe.charge = component.charges[static_cast<std::size_t>(point.charge)].charge;
      pair.with_charges = true;
    }
    const Component::LennardJonesSite* const site =
        point.lennard_jones < 0
            ? nullptr
            : &component.lennard_jones[static_cast<std::size_t>(point.lennard_jones)];
    const std::pair key =
        site == nullptr ? std::pair{-1.0, -1.0} : std::pair{site->epsilon, site->sigma};
    const auto [found, is_new] = tables.try_emplace(key, 0);
    if (is_new) found->second = add_table(model, body, other, site);
    probe.table = found->second;
    probes_.push_back(probe);
  }
  pair.probe_end = probes_.size();
  return pair.probe_end > pair.probe_begin;
}

void LargeBodies::round() {
  numbers_single_.resize(numbers_.size());
  std::ranges::transform(numbers_.span(), numbers_single_.begin(),
                         [](double number) { return static_cast<float>(number); });
}

void LargeBodies::put_into(MolecularWork& work) const {
  work.bodies = bodies_.data();
  work.body_cells = cell_begin_.data();
  work.body_pairs = pairs_.data();
  work.body_probes = probes_.data();
  work.body_numbers = numbers_.data();
  work.body_numbers_single = numbers_single_.data();
}

}  // namespace sterna::md
