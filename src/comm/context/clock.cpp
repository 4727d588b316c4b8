#include "comm/context/clock.hpp"

#include <time.h>

#include "sterna/comm/processor_time.hpp"

#ifdef STERNA_SIMULATED
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#else
#include <thread>
#endif

namespace sterna::comm {

#ifdef STERNA_SIMULATED

std::chrono::steady_clock::time_point now() {
  using std::chrono::steady_clock;
  const std::chrono::duration<double> seconds(simgrid_get_clock());
  return steady_clock::time_point(std::chrono::duration_cast<steady_clock::duration>(seconds));
}

void sleep_for(std::chrono::microseconds time) {
  sg_actor_sleep_for(std::chrono::duration<double>(time).count());
}

#else

std::chrono::steady_clock::time_point now() {
  return std::chrono::steady_clock::now();
}

void sleep_for(std::chrono::microseconds time) {
  std::this_thread::sleep_for(time);
}

#endif

double processor_seconds_now() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace sterna::comm
