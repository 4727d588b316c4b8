// How long a neighbor list may be kept if some pairs may be missed.
//
// Idea:    a pair that is beyond the list's radius when the list is built, and within the cutoff
//          some steps later, is missed. Its energy is small, because it has only just come within
//          the cutoff. The mean energy of the missed pairs, over the time that the list is kept,
//          bounds the energy drift. The model: particles fly freely with thermal velocities, in a
//          fluid that fills the box.
// Source:  Pall, Hess, Comput. Phys. Commun. 184, 2641 (2013), section 2.3. Their expansion at the
//          cutoff is an integral here, so that it holds for any potential and any truncation.
// Cost:    nothing in a step, because no displacement is measured and no rank is asked. The skin is
//          far smaller, because few particles are as fast as the fastest one.
// Hazards: the density is the mean over the box, so layers and droplets miss more pairs. Bonds and
//          collisions slow particles down, so the drift is overestimated.
// Others:  the exact list, if energies or bits must be those of all pairs.

#include "md/neighbors/list_buffer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace sterna::md {
namespace {

/// Displacements are assumed to be at most this many standard deviations.
constexpr double farthest = 8.0;
/// The time to build a list, in units of the time of one force computation.
constexpr double cost_of_list = 3.0;

double drift_of(std::span<const BufferedPairs> kinds, double list_radius, int interval,
                double timestep) {
  // The time between the build and the last step that uses the list.
  const double time = static_cast<double>(interval - 1) * timestep;
  double energy = 0.0;
  for (const BufferedPairs& pairs : kinds) {
    energy += energy_of_missed_pairs(pairs, list_radius, time);
  }
  return energy / (static_cast<double>(interval) * timestep);
}

}  // namespace

double energy_of_missed_pairs(const BufferedPairs& pairs, double list_radius, double time) {
  const double width = std::sqrt(pairs.speed_squared) * time;
  const double begin = std::max(0.1 * pairs.cutoff, list_radius - farthest * width);
  if (!(begin < pairs.cutoff)) return 0.0;
  // A jump of the potential at the cutoff is not caused by the list, so it is subtracted.
  const double end_energy = pairs.energy(pairs.cutoff * (1.0 - 1e-12));
  // The integral by Simpson's rule.
  constexpr int intervals = 64;
  const double h = (pairs.cutoff - begin) / intervals;
  double sum = 0.0;
  for (int k = 0; k < intervals; ++k) {
    const double weight = k == 0 ? 1.0 : k % 2 == 1 ? 4.0 : 2.0;  // at the cutoff it is 0
    const double r = begin + k * h;
    const double arrived = 0.5 * std::erfc((list_radius - r) / (std::numbers::sqrt2 * width));
    sum += weight * std::abs(pairs.energy(r) - end_energy) * arrived;
  }
  if (sum == 0.0) return 0.0;
  const double from = list_radius + width;
  return pairs.density * 4.0 * std::numbers::pi * from * from * sum * h / 3.0;
}

ListBuffer choose_list_buffer(std::span<const BufferedPairs> kinds, double range, double timestep,
                              double tolerance, std::optional<int> interval, double most_skin) {
  const auto with_interval = [&](int steps) {
    const auto drift = [&](double skin) { return drift_of(kinds, range + skin, steps, timestep); };
    double lower = 0.0, upper = most_skin;
    if (drift(lower) <= tolerance) upper = lower;
    // Bisection to a thousandth of the longest skin.
    for (int k = 0; k < 10 && lower < upper; ++k) {
      const double middle = 0.5 * (lower + upper);
      (drift(middle) <= tolerance ? upper : lower) = middle;
    }
    return ListBuffer{upper, steps, drift(upper)};
  };
  if (interval) return with_interval(*interval);
  constexpr std::array<int, 8> intervals{5, 10, 15, 20, 25, 30, 40, 50};
  const auto cost = [&](const ListBuffer& buffer) {
    return std::pow(1.0 + buffer.skin / range, 3) + cost_of_list / buffer.interval;
  };
  ListBuffer best = with_interval(intervals.front());
  for (const int steps : intervals) {
    const ListBuffer trial = with_interval(steps);
    if (cost(trial) < cost(best)) best = trial;
  }
  return best;
}

}  // namespace sterna::md
