#include "md/observe/orientation_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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
  report.suffix = "orientation_order.txt";
  report.text = fmt::format("# orientation towards {0}, {1:.0f} frames\n# {0}{2}", "xyz"[axis_],
                            frames_, label.empty() ? "" : "/" + label);
  for (const std::string& name : names_) report.text += fmt::format(" P1_{0} P2_{0}", name);
  report.text += "\n";
  for (int bin = 0; bin < bins_; ++bin) {
    const double place = frames_ > 0.0 ? (bin + 0.5) / bins_ * lengths_ / frames_ : 0.0;
    report.text += fmt::format("{:.8g}", units_.from_internal(place, Dimension::length));
    for (std::size_t component = 0; component < names_.size(); ++component) {
      const double* sum =
          all_sums.data() + (static_cast<std::size_t>(bin) * names_.size() + component) * 3;
      const double count = std::max(sum[0], 1.0);
      report.text += fmt::format(" {:.6g} {:.6g}", sum[1] / count, sum[2] / count);
    }
    report.text += "\n";
  }
  return report;
}

}  // namespace sterna::md
