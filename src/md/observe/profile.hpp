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
  bool centered = true;               ///< positions are relative to the center of mass along the
                                      ///< axis
  std::vector<std::string> groups{};  ///< none: types
};

/// Density of each type or group, and kinetic temperature, in slices across one axis, averaged over
/// frames. If `centered`, positions are relative to the center of mass along the axis, which lies
/// in the middle, so that a drifting slab keeps a sharp profile. In a periodic box the center of
/// mass is defined by the phase of the mass's first Fourier coefficient (Bai and Breen, J. Graphics
/// Tools 13, 53 (2008)).
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

  /// The number density of a type or group in a slice.
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
  std::vector<std::string> names_;  ///< of the groups, or of the types if there are none
  std::vector<AtomGroup> groups_;
  UnitSystem units_;
  double frames_ = 0.0;
  double lengths_ = 0.0, areas_ = 0.0;  ///< of the box along and across the axis, summed over
                                        ///< frames
  /// For each slice: particles of each type or group, all particles, sum of m v^2.
  std::vector<double> sums_;
};

}  // namespace sterna::md
