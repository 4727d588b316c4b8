#pragma once

#include <chrono>

namespace sterna::comm {

/// The time by which waits are measured: that of the machine or, in a build for SimGrid's SMPI
/// (benchmarks/simulate), of the simulated one. There all ranks share one process, and a wait of a
/// microsecond may take milliseconds here.
std::chrono::steady_clock::time_point now();

/// Lets at least this much of that time pass.
void sleep_for(std::chrono::microseconds time);

}  // namespace sterna::comm
