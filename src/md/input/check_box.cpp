#include "md/input/check_box.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "md/input/cutoffs.hpp"
#include "md/input/observer_row.hpp"
#include "md/input/physics_row.hpp"

namespace sterna::md {
namespace {

/// Whether planes normal to the axis repeat after the box's length along it, because no other edge
/// leans along it.
bool has_planes_across(const Tilt& tilt, Axis axis) {
  if (axis == Axis::x) return tilt.xy == 0.0 && tilt.xz == 0.0;
  return axis == Axis::z || tilt.yz == 0.0;
}

/// Checks that the box is small enough for the precision. In mixed precision forces are computed
/// from positions on a grid of 2^-30 of a rank's region, in double precision from positions with 53
/// bits. A grid of this fraction of the cutoff gives errors of 1e-5 in the forces of neighbors.
void check_precision(const Input& input, const Box& box, const Report& report) {
  constexpr double coarsest = 2e-6;
  const bool mixed = input.run.precision == Precision::mixed;
  const int bits = mixed ? 30 : 53;
  const double edge = std::max({box.length.x, box.length.y, box.length.z});
  const double cutoff = longest_cutoff(input), step = std::ldexp(edge, -bits);
  if (!(cutoff > 0.0) || step <= coarsest * cutoff) return;
  const auto text = [&](double value) { return input.units.text(value, Dimension::length); };
  report(
      Severity::error, mixed ? "run.precision" : "start",
      fmt::format("in a box of {} {} precision rounds positions to {}, which is too coarse for a "
                  "cutoff of {}; expected {}a box of at most {}",
                  text(edge), mixed ? "mixed" : "double", text(step), text(cutoff),
                  mixed ? "precision = \"double\", or " : "",
                  text(std::ldexp(coarsest * cutoff, bits))));
}

}  // namespace

void check_planes(const Box& box, Axis axis, std::string_view place, std::string_view what,
                  const Report& report) {
  if (has_planes_across(box.tilt, axis)) return;
  report(
      Severity::error, place,
      fmt::format("{0} across {1} needs a box in which no other edge leans along {1}; here "
                  "{2}. Across z it is possible in every box",
                  what, name_of(axis), axis == Axis::x ? "xy and xz must be 0" : "yz must be 0"));
}

void check_box(const Input& input, const Box& at_start, const Report& report) {
  Box box = at_start;
  if (input.barostat.is_used() && input.barostat.coupling == Input::Coupling::triclinic) {
    // A triclinic barostat will tilt all edges, so they are checked as slightly tilted.
    for (double* tilt : {&box.tilt.xy, &box.tilt.xz, &box.tilt.yz}) {
      if (*tilt == 0.0) *tilt = 1e-9 * box.length.x;
    }
  }
  check_precision(input, box, report);
  for (const PhysicsRow& physics : physics_rows()) {
    if (physics.check_in_box != nullptr) physics.check_in_box(input, box, report);
  }
  for (const ObserverRow& section : observer_rows()) {
    if (section.check_in_box != nullptr && section.interval(input) > 0) {
      section.check_in_box(input, box, report);
    }
  }
  if (input.interaction.tail_correction == TailCorrection::planar) {
    check_planes(box, input.interaction.tail_normal, "interaction.tail_normal",
                 "a planar correction", report);
  }
}

}  // namespace sterna::md
