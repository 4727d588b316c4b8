#pragma once

#include <string>
#include <vector>

#include "md/core/axis.hpp"
#include "md/observe/observer.hpp"

namespace sterna::md {

struct OrientationOrderOptions {  ///< [orientation_order]
  std::int64_t interval = 0;      ///< 0: none
  Axis axis = Axis::z;
  int bins = 1;
};

/// The orientation of molecules relative to an axis of the box, in slices across it. Theta is the
/// angle between this axis and an axis of the molecule. The averages are those of P1 = cos(theta)
/// and P2 = (3 cos^2(theta) - 1) / 2.
class OrientationOrder : public Observer {
 public:
  /// `body_axes`: a unit vector for each type in its body frame.
  OrientationOrder(std::int64_t interval, int axis, int bins, std::vector<std::string> names,
                   std::vector<Vec3> body_axes, const UnitSystem& units);

  void sample(const Frame& frame) override;
  std::span<double> sums() override { return sums_; }
  std::vector<double> common() const override { return {frames_, lengths_}; }
  void set_common(std::span<const double> values) override;
  ObserverReport report(std::span<const double> all_sums) const override;

 protected:
  bool adds_up() const override { return true; }

 private:
  int axis_;
  int bins_;
  UnitSystem units_;
  std::vector<std::string> names_;
  std::vector<Vec3> body_axes_;  ///< of each component, unit vectors
  double frames_ = 0.0;
  double lengths_ = 0.0;  ///< of the box along the axis, summed over the frames
  /// For each slice and component: the number of molecules, the sum of P1, the sum of P2.
  std::vector<double> sums_;
};

}  // namespace sterna::md
