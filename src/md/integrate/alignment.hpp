#pragma once

#include <array>
#include <span>
#include <vector>

#include "md/core/box.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// Brings the center of mass back to the middle of the box. Idea: all molecules are moved by a part
/// of what separates the center of mass of their places in the box from its middle, so that a
/// droplet or film stays where it is looked at. Source: the plugin COMaligner of ls1-MarDyn. Cost:
/// one reduction of four numbers, and a new neighbor list. Hazards: paths of molecules contain the
/// shifts; of a system without a denser middle the center of mass is noise. Another wins: a profile
/// that is counted from the center of mass, where only that is to be seen.
class Alignment {
 public:
  /// `masses`: by type. `axes`: along which it acts. `part`: of the way, above 0 and at most 1.
  /// `longest`: shift.
  Alignment(std::span<const double> masses, const std::array<bool, 3>& axes, double part,
            double longest)
      : masses_(masses.begin(), masses.end()), axes_(axes), part_(part), longest_(longest) {}

  /// Mass, and mass times place, of this rank's molecules: to be summed over the ranks.
  std::array<double, 4> measure(const ParticleStore& particles, const Box& box) const;
  /// By what all molecules move, from the sums over all ranks.
  Vec3 shift(const std::array<double, 4>& sums, const Box& box) const;

 private:
  std::vector<double> masses_;
  std::array<bool, 3> axes_;
  double part_;
  double longest_;
};

}  // namespace sterna::md
