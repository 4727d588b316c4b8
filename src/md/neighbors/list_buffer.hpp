#pragma once

#include <functional>
#include <optional>
#include <span>

namespace sterna::md {

/// The properties of one kind of pairs that determine how many of them a list misses.
struct BufferedPairs {
  double density = 0.0;        ///< pairs per particle and unit volume
  double speed_squared = 0.0;  ///< mean square of a component of the relative velocity
  double cutoff = 0.0;
  std::function<double(double)> energy;  ///< as a function of the distance, below the cutoff
};

/// The mean energy per particle of the pairs that are within the cutoff now, but were beyond
/// `list_radius` when the list was built, `time` ago. See list_buffer.cpp.
double energy_of_missed_pairs(const BufferedPairs& pairs, double list_radius, double time);

/// The parameters of a list that is rebuilt after a fixed number of steps.
struct ListBuffer {
  double skin = 0.0;
  int interval = 1;    ///< steps
  double drift = 0.0;  ///< estimated drift: energy per particle and time
};

/// The smallest skin beyond `range`, the longest cutoff, for which the energy drift from missed
/// pairs of all `kinds` is at most `tolerance`, per particle and time. The interval is the given
/// one, or the cheapest. The skin is at most `most_skin`, even if the drift is then larger.
ListBuffer choose_list_buffer(std::span<const BufferedPairs> kinds, double range, double timestep,
                              double tolerance, std::optional<int> interval, double most_skin);

}  // namespace sterna::md
