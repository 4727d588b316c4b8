// Idea:    cells overlap, and a molecule near a face belongs to both cells. Its weights are smooth
//          and add up to 1, so the energy of the truncated expansions is smooth, too. Forces, with
//          the gradient of the weights, are its exact derivative.
// Paper:   Chartier, Darrigrand and Faou, BIT Numer. Math. 50, 23 (2010); of neutral molecules as a
//          whole: Shamshirgar, Yokota, Tornberg and Hess, J. Chem. Phys. 151, 234113 (2019).
// Cost:    (1 + overlap)^3 parts of a molecule on average; the number of near pairs grows with its
//          square.
// Hazards: the narrower the overlap, the larger the forces by which it replaces the jump of the
//          potential at a face; crossing a face should take some ten steps.
// Else:    no overlap and a higher order, if the accuracy is wanted anyway.

#include "md/forces/coulomb/fmm/leaf_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace sterna::md {

LeafParts::LeafParts(const Lattice& lattice, const FmmParameters& parameters,
                     const TreePartition& partition)
    : lattice_(lattice),
      reciprocal_(lattice.reciprocal()),
      periodic_(parameters.periodic),
      midplanes_(parameters.borders(lattice) == CellBorders::midplanes),
      overlap_(parameters.overlap),
      travel_(parameters.travel),
      grid_(partition.grid(partition.leaf_depth())),
      leaf_{lattice.a * (1.0 / grid_[0]), lattice.b * (1.0 / grid_[1]),
            lattice.c * (1.0 / grid_[2])},
      leaves_(partition.touched_leaves(partition.rank())) {}

Vec3 LeafParts::from_box_center(const Cells& leaf) const {
  const Cells cell = wrapped(leaf, grid_);
  Vec3 fraction;
  for (int axis = 0; axis < 3; ++axis) fraction[axis] = (cell[axis] + 0.5) / grid_[axis] - 0.5;
  return lattice_.position(fraction);
}

LeafParts::Molecule LeafParts::molecule_of(const PointCharges& charges, std::size_t first,
                                           std::size_t end) {
  const bool has_center = centers_given_ && first < charges.listed();
  const Vec3 about = has_center ? charges.centers[first] : charges.position(first);
  const std::size_t first_image = images_.size();
  Vec3 center;
  for (std::size_t i = first; i < end; ++i) {
    Vec3 image;  // boxes
    for (int axis = 0; axis < 3 && periodic_; ++axis) {
      image[axis] = -std::round(dot(reciprocal_[axis], charges.position(i) - about));
    }
    center += charges.position(i);
    if (image == Vec3{}) continue;
    images_.push_back({static_cast<std::uint32_t>(i), lattice_.position(image)});
    center += images_.back().by;
  }
  center *= 1.0 / static_cast<double>(end - first);
  if (has_center) center = about;
  const auto images = std::span(images_).subspan(first_image);
  for (int axis = 0; axis < 3; ++axis) {
    const double fraction = dot(reciprocal_[axis], center);
    if (!periodic_ && !(fraction >= 0.0 && fraction <= 1.0)) {
      throw std::invalid_argument(fmt::format("charge {} lies outside of the open box", first));
    }
    for (std::size_t i = first; i < end; ++i) {
      const Vec3 image = shift_of(static_cast<std::uint32_t>(i), images);
      const Vec3 arm = charges.position(i) + image - center;
      if (std::abs(dot(reciprocal_[axis], arm)) * grid_[axis] > 0.5) {
        throw std::invalid_argument(
            fmt::format("molecule {} reaches farther from its center than half a cell of the "
                        "multipole method; fewer levels have larger cells",
                        charges.molecule(i)));
      }
    }
  }
  return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end), center};
}

void LeafParts::rebuild(const PointCharges& charges) {
  centers_given_ = !charges.centers.empty();
  molecules_.clear();
  images_.clear();
  forget_parts();
  charges.for_each_molecule([&](std::size_t first, std::size_t end) {
    const Molecule molecule = molecule_of(charges, first, end);
    if (overlap_ > 0.0) molecules_.push_back(molecule);
    place(molecule);
  });
  sort_parts();
  if (overlap_ > 0.0) return;
  images_ = std::vector<Shift>();
  wholes_ = std::vector<Whole>();
  shifts_of_wholes_ = std::vector<Shift>();
}

void LeafParts::move(const PointCharges& charges) {
  if (overlap_ == 0.0) return;
  forget_parts();
  for (Molecule& molecule : molecules_) {
    if (centers_given_ && molecule.first < charges.listed()) {
      molecule.center = charges.centers[molecule.first];
    } else {
      molecule.center = {};
      for (std::uint32_t i = molecule.first; i < molecule.end; ++i) {
        molecule.center += charges.position(i) + shift_of(i, images_);
      }
      molecule.center *= 1.0 / static_cast<double>(molecule.end - molecule.first);
    }
    place(molecule);
  }
  sort_parts();
}

Vec3 LeafParts::shift_of(std::uint32_t of, std::span<const Shift> shifts) {
  if (shifts.empty()) return {};
  const auto found = std::ranges::lower_bound(shifts, of, {}, &Shift::of);
  return found != shifts.end() && found->of == of ? found->by : Vec3{};
}

Vec3 LeafParts::place_of(const Vec3& center, Vec3& boxes) const {
  Vec3 place;
  for (int axis = 0; axis < 3; ++axis) {
    const int n = grid_[axis];
    double fraction = dot(reciprocal_[axis], center);
    if (periodic_) {
      const double middle = 0.5 * (leaves_.lower[axis] + leaves_.upper[axis]) / n;
      boxes[axis] = std::round(fraction - middle);
      fraction -= boxes[axis];
    }
    place[axis] = fraction * n;
  }
  return place;
}

LeafParts::Along LeafParts::along(int axis, double place) const {
  const int cell = static_cast<int>(std::floor(place));
  if (overlap_ == 0.0) {
    return {1, {std::clamp(cell, leaves_.lower[axis], leaves_.upper[axis] - 1)}, {1.0}, {0.0}};
  }
  const int face = static_cast<int>(std::lround(place));  // the nearest face; it is below leaf
                                                          // `face`
  const double from_lower = (place - face) / overlap_ + 0.5;
  if (!periodic_ && (face <= 0 || face >= grid_[axis])) {
    return {1, {std::clamp(cell, 0, grid_[axis] - 1)}, {1.0}, {0.0}};
  }
  if (from_lower <= 0.0 || from_lower >= 1.0) return {1, {cell}, {1.0}, {0.0}};
  // The weight is the polynomial of fifth degree from 0 to 1 whose first two derivatives vanish at
  // both ends.
  const double t = from_lower, rest = 1.0 - t;
  const double upper = t * t * t * (10.0 + t * (6.0 * t - 15.0));
  const double slope = 30.0 * t * t * rest * rest / overlap_;
  return {2, {face - 1, face}, {1.0 - upper, upper}, {-slope, slope}};
}

std::array<LeafParts::Along, 3> LeafParts::leaves_of(const Vec3& place) const {
  if (!midplanes_) return {along(0, place.x), along(1, place.y), along(2, place.z)};
  const Cells leaf = CellShape::nearest(leaf_, place, leaves_);
  const auto whole = [&](int axis) { return Along{1, {leaf[axis]}, {1.0}, {0.0}}; };
  return {whole(0), whole(1), whole(2)};
}

void LeafParts::forget_parts() {
  wholes_.clear();
  weights_of_wholes_.clear();
  shifts_of_wholes_.clear();
  begins_.assign(leaves_.count() + 1, 0);
}

void LeafParts::place(const Molecule& molecule) {
  Vec3 boxes;
  const Vec3 place = place_of(molecule.center, boxes);
  const std::array<Along, 3> axes = leaves_of(place);
  const CellBox choices = CellBox::grid({axes[0].count, axes[1].count, axes[2].count});
  choices.for_each([&](const Cells& choice) {
    Cells cell;
    Vec3 weight, slope;
    for (int axis = 0; axis < 3; ++axis) {
      const Along& a = axes[static_cast<std::size_t>(axis)];
      const auto k = static_cast<std::size_t>(choice[axis]);
      cell[axis] = a.leaf[k];
      weight[axis] = a.weight[k], slope[axis] = a.slope[k];
      if (cell[axis] < leaves_.lower[axis] || cell[axis] >= leaves_.upper[axis]) {
        throw std::runtime_error(
            fmt::format("a molecule moved farther than {} after the cells of the multipole "
                        "method were filled",
                        travel_));
      }
    }
    const std::size_t leaf = leaves_.index(cell);
    begins_[leaf + 1] += molecule.end - molecule.first;
    if (boxes != Vec3{}) {
      shifts_of_wholes_.push_back(
          {static_cast<std::uint32_t>(wholes_.size()), -1.0 * lattice_.position(boxes)});
    }
    wholes_.push_back({molecule.first, molecule.end, static_cast<std::uint32_t>(leaf)});
    if (overlap_ == 0.0) return;
    const Vec3 gradient = (slope.x * weight.y * weight.z * grid_[0]) * reciprocal_.a +
                          (weight.x * slope.y * weight.z * grid_[1]) * reciprocal_.b +
                          (weight.x * weight.y * slope.z * grid_[2]) * reciprocal_.c;
    weights_of_wholes_.push_back({weight.x * weight.y * weight.z, gradient});
  });
}

void LeafParts::sort_parts() {
  for (std::size_t leaf = 0; leaf < leaves_.count(); ++leaf) begins_[leaf + 1] += begins_[leaf];
  charges_.resize(begins_.back());
  weights_.resize(overlap_ > 0.0 ? begins_.back() : 0);
  slopes_.resize(weights_.size());
  shifts_.clear();
  std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
  for (std::uint32_t w = 0; w < wholes_.size(); ++w) {
    const Whole& whole = wholes_[w];
    const Vec3 shift = shift_of(w, shifts_of_wholes_);
    for (std::uint32_t i = whole.first; i < whole.end; ++i) {
      const std::size_t at = next[whole.leaf]++;
      charges_[at] = i;
      if (overlap_ > 0.0) {
        weights_[at] = weights_of_wholes_[w].weight;
        slopes_[at] = weights_of_wholes_[w].slope;
      }
      const Vec3 by = shift + shift_of(i, images_);
      if (by != Vec3{}) shifts_.push_back({static_cast<std::uint32_t>(at), by});
    }
  }
  std::ranges::sort(shifts_, {}, &Shift::of);
}

void LeafParts::offsets(std::size_t leaf, const PointCharges& charges,
                        std::vector<Vec3>& offsets) const {
  const Cells cell = leaves_.cell(leaf);
  const Vec3 center = lattice_.position(
      {(cell[0] + 0.5) / grid_[0], (cell[1] + 0.5) / grid_[1], (cell[2] + 0.5) / grid_[2]});
  const std::size_t begin = begins_[leaf], end = begins_[leaf + 1];
  offsets.resize(end - begin);
  for (std::size_t p = begin; p < end; ++p) {
    offsets[p - begin] = charges.position(charges_[p]) - center;
  }
  auto shift = std::ranges::lower_bound(shifts_, begin, {}, &Shift::of);
  for (; shift != shifts_.end() && shift->of < end; ++shift) {
    offsets[shift->of - begin] += shift->by;
  }
}

std::vector<std::size_t> LeafParts::most_parts() const {
  std::vector<std::size_t> most(leaves_.count(), 0);
  for (const Molecule& molecule : molecules_) {
    Vec3 boxes;
    const Vec3 place = place_of(molecule.center, boxes);
    CellBox reached;
    for (int axis = 0; axis < 3; ++axis) {
      const double reach = 0.5 * overlap_ + travel_ * grid_[axis] / lattice_.width(axis);
      reached.lower[axis] = static_cast<int>(std::floor(place[axis] - reach));
      reached.upper[axis] = static_cast<int>(std::floor(place[axis] + reach)) + 1;
    }
    intersection(reached, leaves_).for_each([&](const Cells& cell) {
      most[leaves_.index(cell)] += molecule.end - molecule.first;
    });
  }
  return most;
}

}  // namespace sterna::md
