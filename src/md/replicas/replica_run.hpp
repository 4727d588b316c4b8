#pragma once

#include <cstddef>

#include "md/input/input.hpp"
#include "md/simulation/simulation.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Whether the input asks for replicas, which `Simulation` alone does not run.
bool has_replicas(const Input& input);
/// How many it asks for.
std::size_t replica_count(const Input& input);

/// Collective. Runs a replica in each state of the input up to its last step, on groups of ranks of
/// `world`, and several by turns on a group where there are fewer ranks than replicas. Bits depend
/// on the number of ranks of a replica, and not on how many replicas a group has. Throws as
/// `Simulation` does, on all ranks.
Outcome run_replicas(const comm::Context& world, const Input& input,
                     const SimulationOptions& options);

}  // namespace sterna::md
