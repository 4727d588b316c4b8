#include "md/observe/orientation_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "md/forces/molecular/input/molecule_model_from_input.hpp"
#include "md/input/check_box.hpp"
#include "md/observe/observer_table.hpp"

namespace sterna::md {

OrientationOrder::OrientationOrder(std::int64_t interval, int axis, int bins,
                                   std::vector<std::string> names, std::vector<Vec3> body_axes,
                                   const UnitSystem& units)
    : Observer("orientation_order", interval),
      axis_(axis),
      bins_(bins),
      units_(units),
      names_(std::move(names)),
      body_axes_(std::move(body_axes)),
      sums_(static_cast<std::size_t>(bins) * names_.size() * 3, 0.0) {}

void OrientationOrder::sample(const Frame& frame) {
  const double length = frame.box.length[axis_];
  for (std::size_t i = 0; i < frame.particles.local_count(); ++i) {
    const Position& position = frame.particles.position[i];
    const double fraction = position.vector()[axis_] / length;
    const int bin =
        std::min(bins_ - 1, static_cast<int>((fraction - std::floor(fraction)) * bins_));
    const auto component = static_cast<std::size_t>(position.type);
    const double cosine = frame.particles.orientation[i].to_lab(body_axes_[component])[axis_];
    double* sum = sums_.data() + (static_cast<std::size_t>(bin) * names_.size() + component) * 3;
    sum[0] += 1.0;
    sum[1] += cosine;
    sum[2] += 1.5 * cosine * cosine - 0.5;
  }
  frames_ += 1.0;
  lengths_ += length;
}

void OrientationOrder::set_common(std::span<const double> values) {
  if (values.size() != 2) return;
  frames_ = values[0];
  lengths_ = values[1];
}

ObserverReport OrientationOrder::report(std::span<const double> all_sums) const {
  const std::string label(units_.label(Dimension::length));
  ObserverReport report;
  report.text = fmt::format("# orientation towards {0}, {1:.0f} frames\n# {0}{2}", "xyz"[axis_],
                            frames_, label.empty() ? "" : "/" + label);
  for (std::size_t component = 0; component < names_.size(); ++component) {
    if (body_axes_[component] == Vec3{}) continue;
    report.text += fmt::format(" P1_{0} P2_{0}", names_[component]);
  }
  report.text += "\n";
  for (int bin = 0; bin < bins_; ++bin) {
    const double place = frames_ > 0.0 ? (bin + 0.5) / bins_ * lengths_ / frames_ : 0.0;
    report.text += fmt::format("{:.8g}", units_.from_internal(place, Dimension::length));
    for (std::size_t component = 0; component < names_.size(); ++component) {
      if (body_axes_[component] == Vec3{}) continue;
      const double* sum =
          all_sums.data() + (static_cast<std::size_t>(bin) * names_.size() + component) * 3;
      const double count = std::max(sum[0], 1.0);
      report.text += fmt::format(" {:.6g} {:.6g}", sum[1] / count, sum[2] / count);
    }
    report.text += "\n";
  }
  return report;
}

namespace {

/// The axis that defines the orientation of a molecule: its dipole moment; without one, the
/// symmetry axis of a linear molecule, or the z axis of the body frame.
Vec3 body_axis(const Component& component) {
  const Vec3 moment = dipole_of(component);
  double largest = 0.0;  // largest possible moment, to tell a moment from rounding
  for (const auto& site : component.charges) {
    largest += std::abs(site.charge) * length(site.position);
  }
  for (const auto& site : component.dipoles) largest += length(site.moment);
  if (const double norm = length(moment); norm > 1e-10 * largest) return moment * (1.0 / norm);
  Vec3 axis;
  axis[component.inertia.x == 0.0 ? 0 : component.inertia.y == 0.0 ? 1 : 2] = 1.0;
  return axis;
}

std::unique_ptr<Observer> make_orientation_order(const ObserverRequest& request) {
  if (!request.rotating) return nullptr;
  const auto& options = request.input.section<OrientationOrderOptions>();
  std::vector<Vec3> axes;
  for (const Component& component : request.molecules.components) {
    // Atoms, which come first, have none.
    axes.push_back(axes.size() < request.molecules.atom_types ? Vec3{} : body_axis(component));
  }
  return std::make_unique<OrientationOrder>(options.interval, index_of(options.axis), options.bins,
                                            request.names, std::move(axes), request.input.units);
}

void check_orientation_order(const Input& input, const IsGood& is_good, const Report& report) {
  if (!input.components.empty() || !is_good("orientation_order.interval")) return;
  if (interval_of<OrientationOrderOptions>(input) == 0) return;
  report(Severity::error, "orientation_order",
         "[orientation_order] observes how [[component]]s are turned; particles of [[type]]s are "
         "not");
}

void check_orientation_order_in_box(const Input& input, const Box& box, const Report& report) {
  check_planes(box, input.section<OrientationOrderOptions>().axis, "orientation_order.axis",
               "a profile of the orientation", report);
}

}  // namespace

ObserverRow observer::orientation_order() {
  return {.schema = {.name = "orientation_order",
                     .description = "How molecules are turned towards an axis: averages of the "
                                    "first two Legendre polynomials.",
                     .aliases = {"order_parameter", "nematic_order", "orientation"}},
          .keys = {interval_key<OrientationOrderOptions>(),
                   {.name = "axis",
                    .target = option<&OrientationOrderOptions::axis>,
                    .description =
                        "Molecules are looked at relative to this axis, in slices across it.",
                    .aliases = {"direction", "director"}},
                   {.name = "bins",
                    .target = option<&OrientationOrderOptions::bins>,
                    .description = "Number of slices of equal thickness. 1: the whole box.",
                    .range = {.minimum = 1.0, .maximum = 1e6},
                    .aliases = {"nbins", "slices"}}},
          .interval = interval_of<OrientationOrderOptions>,
          .check = check_orientation_order,
          .check_in_box = check_orientation_order_in_box,
          .make = make_orientation_order};
}

}  // namespace sterna::md
