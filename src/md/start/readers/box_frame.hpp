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

/// From a file's coordinates to the program's: units, axes along the box, lower corner to the
/// origin, wrapped.
class BoxFrame {
 public:
  /// `box` and `lower` as in the file. Throws at the current line where an edge is not positive
  /// or the box is not the one that the input gives.
  static BoxFrame of_file(const LineReader& reader, const StartFileOptions& options, const Box& box,
                          const Vec3& lower);
  /// The same for any three edges from the corner `lower`, a right-handed set: what has directions
  /// is turned so that the first lies along x and the second in the plane of x and y.
  static BoxFrame of_edges(const LineReader& reader, const StartFileOptions& options,
                           const std::array<Vec3, 3>& edges, const Vec3& lower);
  /// The box of the input. Throws where it gives none; `hint` says how the file could have one.
  static BoxFrame of_input(const LineReader& reader, const StartFileOptions& options,
                           std::string_view hint);

  const Box& box() const { return box_; }
  bool turns() const { return axes_.has_value(); }
  /// Sets position and image of `record`, to whose image the crossings are added. Throws at the
  /// current line where the place is absurdly far away.
  void place(const LineReader& reader, const Vec3& file_position, ParticleRecord& record) const {
    Vec3 position = (file_position - lower_) * length_unit_;
    if (axes_) position = turned(position);
    const Vec3 unsheared = box_.shear().unsheared(position);
    for (int axis = 0; axis < 3; ++axis) {
      // Written so that it catches what overflowed to infinity or NaN as well.
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
  /// Velocity, orientation and angular momentum of `record`, from the file's axes.
  void turn(ParticleRecord& record) const;

  /// Of images, in boxes; the image flags of a file as well.
  static constexpr double farthest = 1e9;

 private:
  Vec3 turned(const Vec3& v) const {
    return {dot((*axes_)[0], v), dot((*axes_)[1], v), dot((*axes_)[2], v)};
  }
  [[noreturn]] void fail_far(const LineReader& reader, const Vec3& file_position) const;

  Box box_;
  Vec3 lower_;
  double length_unit_ = 1.0;
  std::optional<std::array<Vec3, 3>> axes_;  ///< the program's, in the file's; none: the same
};

}  // namespace sterna::md
