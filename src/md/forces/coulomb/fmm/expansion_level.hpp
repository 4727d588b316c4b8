#pragma once

#include <cstddef>
#include <vector>

#include "md/forces/coulomb/fmm/cell_box.hpp"

namespace sterna::md {

/// The distance between coefficients of `cells` cells in memory: an odd number of cache lines, so
/// that the coefficients of a cell use all sets of the cache. A power of two would use a few sets
/// only.
template <class Real>
constexpr std::size_t coefficient_stride(std::size_t cells) {
  constexpr std::size_t line = 64 / sizeof(Real);
  return ((cells + line - 1) / line | 1) * line;
}

/// Expansions of a box of cells. Coefficient a of cell i lies at a * stride + i.
template <class Real>
class CellExpansions {
 public:
  CellExpansions() = default;
  CellExpansions(const CellBox& box, std::size_t coefficients)
      : box_(box),
        stride_(coefficient_stride<Real>(box.count())),
        values_(coefficients * stride_) {}

  const CellBox& box() const { return box_; }
  std::size_t stride() const { return stride_; }
  Real* at(const Cells& cell) { return values_.data() + box_.index(cell); }
  const Real* at(const Cells& cell) const { return values_.data() + box_.index(cell); }
  Real* data() { return values_.data(); }
  const Real* data() const { return values_.data(); }
  void clear() { std::fill(values_.begin(), values_.end(), Real(0)); }

  /// Copies the expansions of the cells of a block, coefficient by coefficient.
  void read(const CellBox& block, Real* out) const {
    for_each_row(block, [&](std::size_t begin, std::size_t count) {
      std::copy_n(values_.data() + begin, count, out);
      out += count;
    });
  }
  void add(const CellBox& block, const Real* in) {
    for_each_row(block, [&](std::size_t begin, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) values_[begin + i] += in[i];
      in += count;
    });
  }

 private:
  template <class Function>
  void for_each_row(const CellBox& block, Function function) const {
    const auto columns = static_cast<std::size_t>(block.extent(0));
    for (std::size_t row = 0; row < values_.size(); row += stride_) {
      for (int z = block.lower[2]; z < block.upper[2]; ++z)
        for (int y = block.lower[1]; y < block.upper[1]; ++y) {
          function(row + box_.index({block.lower[0], y, z}), columns);
        }
    }
  }

  CellBox box_;
  std::size_t stride_ = 0;
  std::vector<Real> values_;
};

/// The expansions of a level below the top. Cells in the same octant of their parents lie together,
/// in the order of the parents. So all pairs of cells with one relative vector are contiguous in
/// memory on both sides. Around the parents is a border of one cell: images, cells of other
/// ranks, or nothing.
template <class Real>
class ExpansionLevel {
 public:
  /// `parents`: the parents of the cells that this rank keeps. `targets`: those of them for whose
  /// children local expansions are computed.
  ExpansionLevel(const CellBox& parents, const CellBox& targets, std::size_t coefficients,
                 std::size_t lanes)
      : parents_(parents),
        targets_(targets),
        stored_(parents.grown(1)),
        coefficients_(coefficients),
        // The last vector may extend beyond the last parent.
        stride_(stored_.empty() ? 0 : coefficient_stride<Real>(stored_.count() + 2 * lanes)),
        multipoles_(8 * coefficients * stride_),
        locals_(multipoles_.size()),
        all_(segments_of(parents, lanes)),
        wanted_(segments_of(targets, lanes)) {}

  const CellBox& parents() const { return parents_; }
  const CellBox& targets() const { return targets_; }
  std::size_t stride() const { return stride_; }
  /// The size of the array of multipoles, and of that of local expansions.
  std::size_t size() const { return locals_.size(); }
  std::size_t index(const Cells& parent) const { return stored_.index(parent); }
  /// The distance in memory from a parent to the parent at this relative position.
  std::ptrdiff_t distance(const Cells& by) const {
    const auto width = static_cast<std::ptrdiff_t>(stored_.extent(0));
    return (by[2] * static_cast<std::ptrdiff_t>(stored_.extent(1)) + by[1]) * width + by[0];
  }
  /// Release the memory after the last computation.
  void forget_multipoles() { multipoles_ = std::vector<Real>(); }
  void forget_locals() { locals_ = std::vector<Real>(); }
  Real* multipoles(int octant) { return octant_of(multipoles_, octant); }
  Real* locals(int octant) { return octant_of(locals_, octant); }
  void clear() {
    std::fill(multipoles_.begin(), multipoles_.end(), Real(0));
    std::fill(locals_.begin(), locals_.end(), Real(0));
  }

  /// Ranges of memory that cover parents (and parts of the border, which does no harm), in groups
  /// that fit into the cache.
  struct Segment {
    std::size_t begin, count;
  };
  using Segments = std::vector<std::vector<Segment>>;
  const Segments& segments() const { return all_; }
  const Segments& target_segments() const { return wanted_; }

  /// The place of the first coefficient of a cell of this level, relative to octant 0. The parent
  /// must be in `parents` or in the border.
  std::size_t place(const Cells& cell) const {
    const auto octant =
        static_cast<std::size_t>((cell[0] & 1) + 2 * (cell[1] & 1) + 4 * (cell[2] & 1));
    return octant * coefficients_ * stride_ +
           stored_.index({half(cell[0]), half(cell[1]), half(cell[2])});
  }
  void read_locals(const CellBox& block, Real* out) const {
    std::vector<std::size_t> places;
    places.reserve(block.count());
    block.for_each([&](const Cells& cell) { places.push_back(place(cell)); });
    for (std::size_t a = 0; a < coefficients_; ++a, out += places.size()) {
      const Real* from = locals_.data() + a * stride_;
      for (std::size_t i = 0; i < places.size(); ++i) out[i] = from[places[i]];
    }
  }

 private:
  Real* octant_of(std::vector<Real>& values, int octant) {
    return values.data() + static_cast<std::size_t>(octant) * coefficients_ * stride_;
  }

  /// Half of a coordinate, rounded down. Border cells may have negative coordinates.
  static int half(int i) { return (i + 4) / 2 - 2; }

  Segments segments_of(const CellBox& box, std::size_t lanes) const {
    Segments groups;
    if (box.empty()) return groups;
    const auto columns = static_cast<std::size_t>(box.extent(0));
    const std::size_t whole = (columns + lanes - 1) / lanes * lanes;
    // If rows need few more than their columns, a row's last vector extends into the border and not
    // into the next row.
    if (whole <= columns + 2 && box.extent(0) == parents_.extent(0)) {
      for (int z = box.lower[2]; z < box.upper[2]; ++z) {
        groups.emplace_back();
        for (int y = box.lower[1]; y < box.upper[1]; ++y) {
          groups.back().push_back({index({box.lower[0], y, z}), whole});
        }
      }
      return groups;
    }
    const std::size_t end = index({box.upper[0] - 1, box.upper[1] - 1, box.upper[2] - 1}) + 1;
    constexpr std::size_t vectors = 32;
    for (std::size_t begin = index(box.lower); begin < end; begin += vectors * lanes) {
      const std::size_t left = (end - begin + lanes - 1) / lanes;
      groups.push_back({{begin, std::min(left, vectors) * lanes}});
    }
    return groups;
  }

  CellBox parents_, targets_, stored_;
  std::size_t coefficients_, stride_;
  std::vector<Real> multipoles_, locals_;
  Segments all_, wanted_;
};

}  // namespace sterna::md
