#pragma once

#include <functional>
#include <optional>
#include <span>

namespace sterna::md {

/// A kind of pairs that a list of neighbors is to hold.
struct BufferedPairs {
  double density = 0.0;        ///< pairs per particle, for each unit of volume around
  double speed_squared = 0.0;  ///< of one component of their relative velocity, the mean
  double cutoff = 0.0;
  std::function<double(double)> energy;  ///< of a distance below the cutoff
};

/// The mean energy per particle of the pairs that have come within the cutoff although they were
/// farther apart than `list_radius` a time ago. See list_buffer.cpp.
double energy_of_missed_pairs(const BufferedPairs& pairs, double list_radius, double time);

/// A list that is rebuilt after a fixed number of steps.
struct ListBuffer {
  double skin = 0.0;
  int interval = 1;    ///< steps
  double drift = 0.0;  ///< estimate: energy per particle and time
};

/// The smallest skin beyond `range`, the longest cutoff, with which `kinds` of pairs let the energy
/// change by at most `tolerance` per particle and time; the interval is that which costs least, or
/// the one given. The skin is at most `most_skin`, whatever the drift is then.
ListBuffer choose_list_buffer(std::span<const BufferedPairs> kinds, double range, double timestep,
                              double tolerance, std::optional<int> interval, double most_skin);

}  // namespace sterna::md
