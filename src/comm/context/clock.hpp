#pragma once

#include <chrono>

namespace sterna::comm {

/// Whether this build is for SimGrid's SMPI.
#ifdef STERNA_SIMULATED
inline constexpr bool simulated = true;
#else
inline constexpr bool simulated = false;
#endif

/// The time by which waits are measured: that of the machine or, in a build for SimGrid's SMPI
/// (benchmarks/simulate), of the simulated one. There all ranks share one process, and a wait of a
/// microsecond may take milliseconds here.
std::chrono::steady_clock::time_point now();

/// Lets at least this much of that time pass.
void sleep_for(std::chrono::microseconds time);

}  // namespace sterna::comm
