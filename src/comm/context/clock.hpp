#pragma once

#include <chrono>

namespace sterna::comm {

/// True in a build for SimGrid's SMPI.
#ifdef STERNA_SIMULATED
inline constexpr bool simulated = true;
#else
inline constexpr bool simulated = false;
#endif

/// The clock that measures waits: that of the machine or, in a build for SimGrid's SMPI
/// (benchmarks/simulate), the simulated one. In a simulation all ranks share one process, and a
/// wait of a microsecond may take milliseconds of real time.
std::chrono::steady_clock::time_point now();

/// Returns after at least this time on that clock.
void sleep_for(std::chrono::microseconds time);

}  // namespace sterna::comm
