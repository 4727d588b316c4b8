#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "md/core/box.hpp"
#include "md/input/line_reader.hpp"
#include "md/start/readers/start_file_reader.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// Converts a file's coordinates to the program's: units, axes along the box, lower corner at the
/// origin, wrapped positions.
class BoxFrame {
 public:
  /// `box` and `lower` are as in the file. Throws at the current line if an edge is not positive or
  /// if the box differs from the input's.
  static BoxFrame of_file(const LineReader& reader, const StartFileOptions& options, const Box& box,
                          const Vec3& lower);
  /// As `of_file`, for any right-handed set of edges from the corner `lower`. Vectors are rotated
  /// so that the first edge lies along x and the second in the plane of x and y.
  static BoxFrame of_edges(const LineReader& reader, const StartFileOptions& options,
                           const std::array<Vec3, 3>& edges, const Vec3& lower);
  /// Uses the box of the input. Throws if it has none; `hint` says how the file could have one.
  static BoxFrame of_input(const LineReader& reader, const StartFileOptions& options,
                           std::string_view hint);

  const Box& box() const { return box_; }
  bool turns() const { return axes_.has_value(); }
  /// Sets the position of `record`, and adds to its image the number of boxes by which it was
  /// wrapped. Throws at the current line if the position is absurdly far away.
  void place(const LineReader& reader, const Vec3& file_position, ParticleRecord& record) const {
    Vec3 position = (file_position - lower_) * length_unit_;
    if (axes_) position = turned(position);
    const Vec3 unsheared = box_.shear().unsheared(position);
    for (int axis = 0; axis < 3; ++axis) {
      // The negated comparison also finds infinity and NaN.
      if (!(std::abs(unsheared[axis]) <= farthest * box_.length[axis])) {
        fail_far(reader, file_position);
      }
    }
    int crossings[3];
    position = box_.wrap(position, crossings);
    record.position.x = position.x;
    record.position.y = position.y;
    record.position.z = position.z;
    record.image.x += crossings[0];
    record.image.y += crossings[1];
    record.image.z += crossings[2];
  }
  /// Rotates velocity, orientation and angular momentum of `record` from the file's axes.
  void turn(ParticleRecord& record) const;

  /// Largest distance of images in boxes; also for image flags of files.
  static constexpr double farthest = 1e9;

 private:
  Vec3 turned(const Vec3& v) const {
    return {dot((*axes_)[0], v), dot((*axes_)[1], v), dot((*axes_)[2], v)};
  }
  [[noreturn]] void fail_far(const LineReader& reader, const Vec3& file_position) const;

  Box box_;
  Vec3 lower_;
  double length_unit_ = 1.0;
  std::optional<std::array<Vec3, 3>> axes_;  ///< the program's axes in the file's; nothing: the
                                             ///< same axes
};

}  // namespace sterna::md
