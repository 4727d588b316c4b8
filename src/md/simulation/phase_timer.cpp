#include "md/simulation/phase_timer.hpp"

#include <time.h>

#include <algorithm>

namespace sterna::md {

double processor_seconds_now() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double processor_clock_resolution() {
  double least = 1.0;
  for (int k = 0; k < 10; ++k) {
    const double start = processor_seconds_now();
    double now = start;
    while (now == start) now = processor_seconds_now();
    least = std::min(least, now - start);
  }
  return least;
}

PhaseInfo phase_info(Phase phase) {
  switch (phase) {
    case Phase::forces:
      return {"forces", false};
    case Phase::images:
      return {"periodic images", false};
    case Phase::halo:
      return {"halo exchange", true};
    case Phase::rebuild_decision:
      return {"rebuild decision", true};
    case Phase::migration:
      return {"migration", true};
    case Phase::sorting:
      return {"sorting", false};
    case Phase::halo_selection:
      return {"halo selection", false};
    case Phase::halo_lists:
      return {"halo lists", true};
    case Phase::pair_list:
      return {"pair list", false};
    case Phase::balance:
      return {"load balance", true};
    case Phase::displacements:
      return {"displacements", false};
    case Phase::integration:
      return {"integration", false};
    case Phase::thermostat:
      return {"thermostat", false};
    case Phase::observers:
      return {"observers", false};
    case Phase::output:
      return {"output", false};
    case Phase::checkpoint:
      return {"checkpoint", false};
    case Phase::electrostatics:
      return {"electrostatics", false};
  }
  return {"", false};
}

}  // namespace sterna::md
