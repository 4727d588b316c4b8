#pragma once

#include <string>
#include <vector>

#include "md/input/diagnostics.hpp"
#include "md/input/forecast.hpp"
#include "md/input/input.hpp"

namespace sterna::md {

/// The particles and box of a lattice or random start; for a start file, the box if [start] gives
/// it.
SystemFacts facts_of(const Input& input);

/// Advice on a valid input, as an experienced user would give it: time step, cutoff, density,
/// thermostat, regions of ranks, memory, sizes of files. Errors are reported only if the run is
/// impossible with these facts, such as a grid for another number of ranks.
std::vector<Diagnostic> physics_advice(const Input& input, const SystemFacts& facts);

}  // namespace sterna::md
