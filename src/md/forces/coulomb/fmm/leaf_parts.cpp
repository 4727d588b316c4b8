// Idea:    cells that overlap: a molecule near a face belongs to both cells, with weights that are
//          smooth and add up to 1, so that the energy of the truncated expansions is smooth too and
//          forces, with the gradient of the weights, are its exact derivative.
// Paper:   Chartier, Darrigrand and Faou, BIT Numer. Math. 50, 23 (2010); of neutral molecules as a
//          whole: Shamshirgar, Yokota, Tornberg and Hess, J. Chem. Phys. 151, 234113 (2019).
// Cost:    (1 + overlap)^3 parts of a molecule on average; near pairs grow with the square of that.
// Hazards: the narrower the overlap, the larger the forces that the jump of the potential at a face
//          is turned into; a face should take some ten steps to cross.
// Else:    no overlap and a higher order, where the accuracy is wanted anyway.

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

void LeafParts::rebuild(const PointCharges& charges) {
  const std::size_t count = charges.size();
  centers_given_ = !charges.centers.empty();
  molecules_.clear();
  images_.resize(count);
  for (std::size_t first = 0, end = 0; first < count; first = end) {
    while (end < count && charges.molecules[end] == charges.molecules[first]) ++end;
    const Vec3 about = centers_given_ ? charges.centers[first] : charges.positions[first];
    Vec3 center;
    for (std::size_t i = first; i < end; ++i) {
      Vec3 image;  // boxes
      for (int axis = 0; axis < 3 && periodic_; ++axis) {
        image[axis] = -std::round(dot(reciprocal_[axis], charges.positions[i] - about));
      }
      images_[i] = lattice_.position(image);
      center += charges.positions[i] + images_[i];
    }
    center *= 1.0 / static_cast<double>(end - first);
    if (centers_given_) center = about;
    molecules_.push_back({first, end, center});
    for (int axis = 0; axis < 3; ++axis) {
      const double fraction = dot(reciprocal_[axis], center);
      if (!periodic_ && !(fraction >= 0.0 && fraction <= 1.0)) {
        throw std::invalid_argument(fmt::format("charge {} lies outside of the open box", first));
      }
      for (std::size_t i = first; i < end; ++i) {
        const Vec3 arm = charges.positions[i] + images_[i] - center;
        if (std::abs(dot(reciprocal_[axis], arm)) * grid_[axis] > 0.5) {
          throw std::invalid_argument(
              fmt::format("molecule {} reaches farther from its center than half a cell of the "
                          "multipole method; fewer levels have larger cells",
                          charges.molecules[i]));
        }
      }
    }
  }
  place_molecules();
  if (overlap_ == 0.0) {
    images_ = std::vector<Vec3>();
    wholes_ = std::vector<Whole>();
  }
  set_offsets(charges.positions);
}

void LeafParts::move(std::span<const Vec3> positions, std::span<const Vec3> centers) {
  if (overlap_ > 0.0) {
    for (Molecule& molecule : molecules_) {
      if (centers_given_) {
        molecule.center = centers[molecule.first];
        continue;
      }
      molecule.center = {};
      for (std::size_t i = molecule.first; i < molecule.end; ++i) {
        molecule.center += positions[i] + images_[i];
      }
      molecule.center *= 1.0 / static_cast<double>(molecule.end - molecule.first);
    }
    place_molecules();
  }
  set_offsets(positions);
}

Vec3 LeafParts::place_of(const Molecule& molecule) const {
  Vec3 place;
  for (int axis = 0; axis < 3; ++axis) {
    const int n = grid_[axis];
    double fraction = dot(reciprocal_[axis], molecule.center);
    if (periodic_) {
      const double middle = 0.5 * (leaves_.lower[axis] + leaves_.upper[axis]) / n;
      fraction -= std::round(fraction - middle);
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
  const int face = static_cast<int>(std::lround(place));  // the nearest one, below leaf `face`
  const double from_lower = (place - face) / overlap_ + 0.5;
  if (!periodic_ && (face <= 0 || face >= grid_[axis])) {
    return {1, {std::clamp(cell, 0, grid_[axis] - 1)}, {1.0}, {0.0}};
  }
  if (from_lower <= 0.0 || from_lower >= 1.0) return {1, {cell}, {1.0}, {0.0}};
  // The polynomial of fifth degree from 0 to 1 whose first two derivatives vanish at both ends.
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

void LeafParts::place_molecules() {
  wholes_.clear();
  wholes_.reserve(molecules_.size());
  begins_.assign(leaves_.count() + 1, 0);
  for (std::size_t m = 0; m < molecules_.size(); ++m) {
    const Molecule& molecule = molecules_[m];
    const Vec3 place = place_of(molecule);
    const std::array<Along, 3> axes = leaves_of(place);
    const CellBox choices = CellBox::grid({axes[0].count, axes[1].count, axes[2].count});
    choices.for_each([&](const Cells& choice) {
      Cells cell;
      Vec3 weight, slope, from_center;
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
        from_center[axis] = (cell[axis] + 0.5 - place[axis]) / grid_[axis];
      }
      const std::size_t leaf = leaves_.index(cell);
      begins_[leaf + 1] += molecule.end - molecule.first;
      const Vec3 gradient = (slope.x * weight.y * weight.z * grid_[0]) * reciprocal_.a +
                            (weight.x * slope.y * weight.z * grid_[1]) * reciprocal_.b +
                            (weight.x * weight.y * slope.z * grid_[2]) * reciprocal_.c;
      wholes_.push_back({m, leaf, weight.x * weight.y * weight.z, gradient,
                         molecule.center + lattice_.position(from_center)});
    });
  }
  for (std::size_t leaf = 0; leaf < leaves_.count(); ++leaf) begins_[leaf + 1] += begins_[leaf];
  parts_.resize(begins_.back());
  origins_.resize(begins_.back());
  slopes_.resize(overlap_ > 0.0 ? begins_.back() : 0);
  std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
  for (const Whole& whole : wholes_) {
    const Molecule& molecule = molecules_[whole.molecule];
    for (std::size_t i = molecule.first; i < molecule.end; ++i) {
      const std::size_t at = next[whole.leaf]++;
      parts_[at] = {i, whole.weight};
      origins_[at] = whole.origin - images_[i];
      if (!slopes_.empty()) slopes_[at] = whole.slope;
    }
  }
}

void LeafParts::set_offsets(std::span<const Vec3> positions) {
  offsets_.resize(parts_.size());
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    offsets_[p] = positions[parts_[p].charge] - origins_[p];
  }
}

std::vector<std::size_t> LeafParts::most_parts() const {
  std::vector<std::size_t> most(leaves_.count(), 0);
  for (const Molecule& molecule : molecules_) {
    const Vec3 place = place_of(molecule);
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
