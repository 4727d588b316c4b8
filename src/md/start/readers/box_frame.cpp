#include "md/start/readers/box_frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "md/core/cross_product.hpp"
#include "md/core/display_text.hpp"

namespace sterna::md {
namespace {

std::string text_of(const Box& box, const UnitSystem& units) {
  const auto in_unit = [&](double length) {
    return units.from_internal(length, Dimension::length);
  };
  const std::string_view label = units.label(Dimension::length);
  std::string text =
      fmt::format("{:.10g} x {:.10g} x {:.10g}{}{}", in_unit(box.length.x), in_unit(box.length.y),
                  in_unit(box.length.z), label.empty() ? "" : " ", label);
  if (!box.tilt.none()) {
    text += fmt::format(" with tilt [{:.10g}, {:.10g}, {:.10g}]", in_unit(box.tilt.xy),
                        in_unit(box.tilt.xz), in_unit(box.tilt.yz));
  }
  return text;
}

/// Whether two boxes agree up to the rounding of about nine digits in a file.
bool equal(const Box& a, const Box& b) {
  for (int axis = 0; axis < 3; ++axis) {
    if (!(std::abs(a.length[axis] - b.length[axis]) <= 1e-9 * a.length[axis])) return false;
  }
  const double largest = std::max({a.length.x, a.length.y, a.length.z});
  return std::abs(a.tilt.xy - b.tilt.xy) <= 1e-9 * largest &&
         std::abs(a.tilt.xz - b.tilt.xz) <= 1e-9 * largest &&
         std::abs(a.tilt.yz - b.tilt.yz) <= 1e-9 * largest;
}

Vec3 unit_vector(const Vec3& v) {
  return v * (1.0 / std::sqrt(dot(v, v)));
}

/// The rotation whose matrix has these rows (Shepperd, J. Guid. Control 1, 223 (1978)).
Quaternion quaternion_of(const std::array<Vec3, 3>& rows) {
  const double xx = rows[0].x, yy = rows[1].y, zz = rows[2].z;
  const Quaternion q{1.0 + xx + yy + zz, 1.0 + xx - yy - zz, 1.0 - xx + yy - zz,
                     1.0 - xx - yy + zz};
  const double largest = std::max({q.w, q.x, q.y, q.z});
  const double wx = rows[2].y - rows[1].z, wy = rows[0].z - rows[2].x, wz = rows[1].x - rows[0].y;
  const double xy = rows[1].x + rows[0].y, xz = rows[0].z + rows[2].x, yz = rows[2].y + rows[1].z;
  if (largest == q.w) return Quaternion{q.w, wx, wy, wz}.normalized();
  if (largest == q.x) return Quaternion{wx, q.x, xy, xz}.normalized();
  if (largest == q.y) return Quaternion{wy, xy, q.y, yz}.normalized();
  return Quaternion{wz, xz, yz, q.z}.normalized();
}

}  // namespace

BoxFrame BoxFrame::of_file(const LineReader& reader, const StartFileOptions& options,
                           const Box& box, const Vec3& lower) {
  BoxFrame frame;
  frame.lower_ = lower;
  frame.length_unit_ = options.units.to_internal(1.0, Dimension::length);
  frame.box_ = box;
  frame.box_.scale(frame.length_unit_);
  for (int axis = 0; axis < 3; ++axis) {
    if (!(frame.box_.length[axis] > 0.0) || !std::isfinite(frame.box_.length[axis])) {
      reader.fail(fmt::format("the {} edge of the box must be positive and finite, not {}",
                              "xyz"[axis], box.length[axis]));
    }
  }
  if (options.box && !equal(frame.box_, {*options.box, options.tilt})) {
    const std::string message =
        fmt::format("the input's box is {}, but that of the start file {} is {}",
                    text_of({*options.box, options.tilt}, options.units), quote_path(reader.path()),
                    text_of(frame.box_, options.units));
    if (!options.box_place) reader.fail(message);
    Diagnostic diagnostic = *options.box_place;
    diagnostic.severity = Severity::error;
    diagnostic.message = message;
    throw StartFileError(std::move(diagnostic));
  }
  return frame;
}

BoxFrame BoxFrame::of_edges(const LineReader& reader, const StartFileOptions& options,
                            const std::array<Vec3, 3>& edges, const Vec3& lower) {
  const auto& [a, b, c] = edges;
  double largest = 0.0;
  for (const Vec3& edge : edges) largest = std::max(largest, std::sqrt(dot(edge, edge)));
  // Components as small as rounding count as 0, because programs that rotate cells leave them.
  const auto zero = [&](double component) { return std::abs(component) <= 1e-12 * largest; };
  const auto tilt = [&](double component) { return zero(component) ? 0.0 : component; };
  if (!(dot(cross(a, b), c) > 1e-12 * largest * largest * largest)) {
    reader.fail("the vectors a, b, c of the cell must be a right-handed set that spans a volume");
  }
  if (zero(a.y) && zero(a.z) && zero(b.z) && a.x > 0.0 && b.y > 0.0) {
    return of_file(reader, options, {{a.x, b.y, c.z}, {tilt(b.x), tilt(c.x), tilt(c.y)}}, lower);
  }
  const Vec3 x = unit_vector(a), z = unit_vector(cross(a, b)), y = cross(z, x);
  BoxFrame frame = of_file(
      reader, options,
      {{dot(a, x), dot(b, y), dot(c, z)}, {tilt(dot(b, x)), tilt(dot(c, x)), tilt(dot(c, y))}},
      lower);
  frame.axes_ = {x, y, z};
  return frame;
}

BoxFrame BoxFrame::of_input(const LineReader& reader, const StartFileOptions& options,
                            std::string_view hint) {
  if (!options.box) {
    reader.fail(fmt::format("the file has no box; {}, or set `box` in [start]", hint));
  }
  BoxFrame frame;
  frame.box_ = {*options.box, options.tilt};
  frame.length_unit_ = options.units.to_internal(1.0, Dimension::length);
  return frame;
}

void BoxFrame::turn(ParticleRecord& record) const {
  if (!axes_) return;
  record.velocity = turned(record.velocity);
  record.angular_momentum = turned(record.angular_momentum);
  record.orientation = (quaternion_of(*axes_) * record.orientation).normalized();
}

void BoxFrame::fail_far(const LineReader& reader, const Vec3& position) const {
  int axis = 0;
  for (int k = 1; k < 3; ++k) {
    // The negated comparison also finds NaN.
    if (!(std::abs(position[k] - lower_[k]) <= std::abs(position[axis] - lower_[axis]))) axis = k;
  }
  reader.fail(fmt::format("the {} coordinate {:g} is more than {:g} box lengths away", "xyz"[axis],
                          position[axis], farthest));
}

}  // namespace sterna::md
