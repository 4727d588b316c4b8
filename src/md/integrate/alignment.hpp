#pragma once

#include <array>
#include <span>
#include <vector>

#include "md/core/box.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// Brings the center of mass back to the middle of the box. Idea: all molecules are shifted by a
/// part of the distance from the center of mass, of positions wrapped into the box, to the middle
/// of the box. So a droplet or film stays in the middle. Source: the plugin COMaligner of
/// ls1-MarDyn. Cost: one reduction of four numbers, and a new neighbor list. Hazards: paths of
/// molecules contain the shifts; without a denser middle the center of mass is noise. Another wins:
/// a profile counted from the center of mass, if only the profile is wanted.
class Alignment {
 public:
  /// `masses`: by type. `axes`: the axes along which it shifts. `part`: the part of the distance by
  /// which it shifts, above 0 and at most 1. `longest`: the longest shift.
  Alignment(std::span<const double> masses, const std::array<bool, 3>& axes, double part,
            double longest)
      : masses_(masses.begin(), masses.end()), axes_(axes), part_(part), longest_(longest) {}

  /// Mass, and mass times wrapped position, of this rank's molecules; to be summed over the ranks.
  std::array<double, 4> measure(const ParticleStore& particles, const Box& box) const;
  /// The shift of all molecules, from the sums over all ranks.
  Vec3 shift(const std::array<double, 4>& sums, const Box& box) const;

 private:
  std::vector<double> masses_;
  std::array<bool, 3> axes_;
  double part_;
  double longest_;
};

}  // namespace sterna::md
