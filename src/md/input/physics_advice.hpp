#pragma once

#include <string>
#include <vector>

#include "md/input/diagnostics.hpp"
#include "md/input/forecast.hpp"
#include "md/input/input.hpp"

namespace sterna::md {

/// Particles and box of a lattice or random start; the box of a file start where [start] gives it.
SystemFacts facts_of(const Input& input);

/// Looks at a valid input with the eyes of a person who has run many: time step, cutoff, density,
/// thermostat, regions of ranks, memory, sizes of files. Errors only where the run is impossible
/// with these facts, such as a grid of another number of ranks.
std::vector<Diagnostic> physics_advice(const Input& input, const SystemFacts& facts);

}  // namespace sterna::md
