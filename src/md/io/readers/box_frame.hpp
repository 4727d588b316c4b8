#pragma once

#include <cmath>
#include <string_view>

#include "md/core/box.hpp"
#include "md/io/readers/line_reader.hpp"
#include "md/io/readers/start_file_reader.hpp"
#include "md/particles/particle_store.hpp"

namespace sterna::md {

/// From a file's coordinates to the program's: units, lower corner to the origin, wrapped.
class BoxFrame {
 public:
  /// `edges` and `lower` as in the file. Throws at the current line where an edge is not positive
  /// or the box is not the one that the input gives.
  static BoxFrame of_file(const LineReader& reader, const StartFileOptions& options,
                          const Vec3& edges, const Vec3& lower);
  /// The box of the input. Throws where it gives none; `hint` says how the file could have one.
  static BoxFrame of_input(const LineReader& reader, const StartFileOptions& options,
                           std::string_view hint);

  const Box& box() const { return box_; }
  /// Sets position and image of `record`, to whose image the crossings are added. Throws at the
  /// current line where the place is absurdly far away.
  void place(const LineReader& reader, const Vec3& file_position, ParticleRecord& record) const {
    Vec3 position;
    for (int axis = 0; axis < 3; ++axis) {
      position[axis] = (file_position[axis] - lower_[axis]) * length_unit_;
      // Written so that it catches what overflowed to infinity or NaN as well.
      if (!(std::abs(position[axis]) <= farthest * box_.length[axis])) {
        fail_far(reader, axis, file_position[axis]);
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

  /// Of images, in box lengths; the image flags of a file as well.
  static constexpr double farthest = 1e9;

 private:
  [[noreturn]] void fail_far(const LineReader& reader, int axis, double coordinate) const;

  Box box_;
  Vec3 lower_;
  double length_unit_ = 1.0;
};

}  // namespace sterna::md
