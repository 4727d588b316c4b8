#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/axis.hpp"
#include "md/core/choice.hpp"
#include "md/core/units.hpp"
#include "md/input/check_box.hpp"
#include "md/input/input_schema.hpp"
#include "md/observe/frame.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// How an observer divides the box.
enum class CellShape { slices, map, sphere, cylinder };
template <>
inline constexpr auto choice_table<CellShape> = std::to_array<Choice<CellShape>>(
    {{"slices", CellShape::slices, "`\"slices\"`: across `axis`."},
     {"map", CellShape::map, "`\"map\"`: columns along `axis`, in a square grid of `bins` each."},
     {"sphere", CellShape::sphere, "`\"sphere\"`: shells about a point, as of a droplet."},
     {"cylinder", CellShape::cylinder,
      "`\"cylinder\"`: shells about a line along `axis`, as of a thread or a pore."}});

/// What lies in the middle of the cells.
enum class CellCenter { box, mass };
template <>
inline constexpr auto choice_table<CellCenter> = std::to_array<Choice<CellCenter>>(
    {{"box", CellCenter::box, "`\"box\"`: the middle of the box."},
     {"mass", CellCenter::mass, "`\"mass\"`: the center of mass of all particles."}});

struct CellOptions {
  CellShape shape = CellShape::slices;
  Axis axis = Axis::z;
  CellCenter center = CellCenter::box;
  double maximum = 0.0;  ///< of shells
  int bins = 50;
};

/// Slices, columns or shells of the box: where a particle is, and which of them a line crosses. The
/// box has right angles. Directions are x, y and z, or those of a shell: away from the middle,
/// around it and, of a cylinder, along it.
class SpaceCells {
 public:
  explicit SpaceCells(const CellOptions& options);

  std::size_t count() const { return shape_ == CellShape::map ? bins_ * bins_ : bins_; }
  /// Names of directions, for tensors. Of a sphere "tangential" is the mean of two.
  std::span<const std::string_view> tensor_directions() const;
  /// The same for vectors: around a sphere there is no one direction.
  std::span<const std::string_view> vector_directions() const;

  /// Collective. Cells lie in the box of this frame until the next call, and their volumes are
  /// summed up.
  void place(const comm::Context& context, const Frame& frame);

  struct Place {
    std::size_t cell;  ///< count(): none
    Vec3 from_middle;
  };
  Place place_of(const Vec3& position) const;
  /// The components of a vector at this place, and their squares as a tensor has them.
  Vec3 components(const Vec3& vector, const Place& place) const;
  Vec3 squares(const Vec3& vector, const Place& place) const;

  /// A part of a line in one cell: the integral of u_a^2 along it, divided by the length of the
  /// whole line, where u_a are components of the line's unit vector. All parts in all of space add
  /// up to a trace of 1.
  struct Part {
    std::size_t cell;
    Vec3 squares;
  };
  /// The parts of the line from `position` on that lie in cells, until the next call.
  std::span<const Part> cut(const Vec3& position, const Vec3& along);

  /// For a report: names and units of the columns that say where a cell is, and their values.
  std::string header(const UnitSystem& units) const;
  std::string row(std::size_t cell, const UnitSystem& units) const;
  /// Of a cell, summed over all samples.
  double volume(std::size_t cell) const;
  double samples() const { return sums_[0]; }
  /// What samples have summed up, for checkpoints.
  std::vector<double> state() const { return {sums_.begin(), sums_.end()}; }
  void set_state(std::span<const double> state);

 private:
  bool has_shells() const { return shape_ == CellShape::sphere || shape_ == CellShape::cylinder; }
  Vec3 across_axis(Vec3 vector) const;
  Vec3 nearest(Vec3 from_middle) const;
  void cut_at_planes(double from, double along, double first_plane, double spacing);
  void cut_at_shells(const Vec3& from, const Vec3& along, double begin, double end);
  Vec3 squares_of_part(const Vec3& from, const Vec3& along, double begin, double end) const;
  double width() const { return maximum_ / static_cast<double>(bins_); }

  CellShape shape_;
  int axis_, first_, second_;
  CellCenter center_;
  double maximum_;
  std::size_t bins_;
  Vec3 length_{}, middle_{};
  std::vector<double> cuts_;  ///< of a line, as parts of its length
  std::vector<Part> parts_;
  std::array<double, 5> sums_{};  ///< samples, edges of the box, its volume
};

/// The target of a key of the cells in a section whose options are `Options`.
template <class Options, auto member>
Target cell_option(Input& input, std::size_t) {
  CellOptions& cells = input.section<Options>();
  return target_of(cells.*member);
}

/// The section's keys, whose options are a CellOptions with an interval.
template <class Options>
std::vector<KeySchema> cell_keys(std::string_view section) {
  return {{.name = "shape",
           .target = cell_option<Options, &CellOptions::shape>,
           .description = "The shape of the cells.",
           .aliases = {"geometry"}},
          {.name = "axis",
           .target = cell_option<Options, &CellOptions::axis>,
           .description = "The axis of slices, a map or a cylinder.",
           .aliases = {"direction", "normal", "along"}},
          {.name = "center",
           .target = cell_option<Options, &CellOptions::center>,
           .description = "What lies in the middle of the cells.",
           .aliases = {"centered", "origin"}},
          {.name = "maximum",
           .target = cell_option<Options, &CellOptions::maximum>,
           .description = "The largest distance of shells, at most half of the box.",
           .need = Need::required,
           .dimension = Dimension::length,
           .range = {.minimum = 0.0, .exclusive_minimum = true},
           .condition = Condition{section, "shape", {"sphere", "cylinder"}, Severity::error},
           .aliases = {"rmax", "radius"}},
          {.name = "bins",
           .target = cell_option<Options, &CellOptions::bins>,
           .description = "Number of slices or shells, or of columns in each direction.",
           .range = {.minimum = 1.0, .maximum = 1000.0},
           .aliases = {"nbins", "cells"}}};
}

/// Whether the cells fit a box: errors at keys of `section`.
void check_cells_in_box(const CellOptions& options, const Input& input, const Box& box,
                        std::string_view section, const Report& report);

}  // namespace sterna::md
