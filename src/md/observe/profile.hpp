#pragma once

#include <string>
#include <vector>

#include "md/core/axis.hpp"
#include "md/observe/observer.hpp"
#include "md/system/atom_group.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

struct ProfileOptions {       ///< [profile]
  std::int64_t interval = 0;  ///< 0: none
  Axis axis = Axis::z;
  int bins = 200;
  bool centered = true;               ///< counted from the center of mass along the axis
  std::vector<std::string> groups{};  ///< none: types
};

/// Density of each type, or of each group, and kinetic temperature in slices across one axis, averaged over frames.
/// Centered, slices are counted from the center of mass along the axis (found through the phase of
/// the mass's first Fourier coefficient, which a periodic box allows: Bai and Breen, J. Graphics
/// Tools 13, 53 (2008)), so that a slab that drifts keeps a sharp profile; it lies in the middle.
class Profile : public Observer {
 public:
  Profile(const comm::Context& context, std::int64_t interval, int axis, int bins, bool centered,
          std::vector<std::string> type_names, const UnitSystem& units,
          std::vector<AtomGroup> groups = {});

  void sample(const Frame& frame) override;
  std::span<double> sums() override { return sums_; }
  std::vector<double> common() const override { return {frames_, lengths_, areas_}; }
  void set_common(std::span<const double> values) override;
  ObserverReport report(std::span<const double> all_sums) const override;

  /// Number density of a type or group in a slice.
  double density(std::span<const double> all_sums, std::size_t column, int bin) const;

 protected:
  bool adds_up() const override { return true; }

 private:
  double center(const Frame& frame) const;
  std::size_t stride() const { return names_.size() + 2; }

  comm::Context context_;
  int axis_;
  int bins_;
  bool centered_;
  std::vector<std::string> names_;  ///< of the groups, or of the types where there are none
  std::vector<AtomGroup> groups_;
  UnitSystem units_;
  double frames_ = 0.0;
  double lengths_ = 0.0, areas_ = 0.0;  ///< of the box along and across, summed over the frames
  /// For each slice: particles of each type or group, all particles, sum of m v^2.
  std::vector<double> sums_;
};

}  // namespace sterna::md
