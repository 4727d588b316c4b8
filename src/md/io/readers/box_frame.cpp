#include "md/io/readers/box_frame.hpp"

#include <fmt/format.h>

#include <cmath>

#include "md/core/display_text.hpp"

namespace sterna::md {
namespace {

std::string text_of(const Vec3& edges, const UnitSystem& units) {
  const std::string_view label = units.label(Dimension::length);
  return fmt::format(
      "{:.10g} x {:.10g} x {:.10g}{}{}", units.from_internal(edges.x, Dimension::length),
      units.from_internal(edges.y, Dimension::length),
      units.from_internal(edges.z, Dimension::length), label.empty() ? "" : " ", label);
}

}  // namespace

BoxFrame BoxFrame::of_file(const LineReader& reader, const StartFileOptions& options,
                           const Vec3& edges, const Vec3& lower) {
  BoxFrame frame;
  frame.lower_ = lower;
  frame.length_unit_ = options.units.to_internal(1.0, Dimension::length);
  for (int axis = 0; axis < 3; ++axis) {
    frame.box_.length[axis] = edges[axis] * frame.length_unit_;
    if (!(frame.box_.length[axis] > 0.0) || !std::isfinite(frame.box_.length[axis])) {
      reader.fail(fmt::format("the {} edge of the box must be positive and finite, not {}",
                              "xyz"[axis], edges[axis]));
    }
  }
  if (options.box) {
    for (int axis = 0; axis < 3; ++axis) {
      const double file = frame.box_.length[axis], input = (*options.box)[axis];
      if (std::abs(file - input) <= 1e-9 * file) continue;
      const std::string message =
          fmt::format("the input's box is {}, but that of the start file {} is {}",
                      text_of(*options.box, options.units), quote(reader.path()),
                      text_of(frame.box_.length, options.units));
      if (!options.box_place) reader.fail(message);
      Diagnostic diagnostic = *options.box_place;
      diagnostic.severity = Severity::error;
      diagnostic.message = message;
      throw StartFileError(std::move(diagnostic));
    }
  }
  return frame;
}

BoxFrame BoxFrame::of_input(const LineReader& reader, const StartFileOptions& options,
                            std::string_view hint) {
  if (!options.box) {
    reader.fail(fmt::format("the file has no box; {}, or set `box` in [start]", hint));
  }
  BoxFrame frame;
  frame.box_.length = *options.box;
  frame.length_unit_ = options.units.to_internal(1.0, Dimension::length);
  return frame;
}

void BoxFrame::fail_far(const LineReader& reader, int axis, double coordinate) const {
  reader.fail(fmt::format("the {} coordinate {:g} is more than {:g} box lengths away", "xyz"[axis],
                          coordinate, farthest));
}

}  // namespace sterna::md
