#pragma once

#include <cstdint>
#include <vector>

#include "md/core/box.hpp"
#include "md/start/foreign/ls1/generator_config.hpp"
#include "md/start/foreign/ls1/lattice_fill.hpp"

namespace sterna::md::ls1 {

/// A start made by a generator of ls1: molecules in the box, without ids.
struct GeneratedStart {
  Box box;
  std::vector<Placed> molecules;
  std::vector<Diagnostic> warnings;
};

/// Runs the generator that the config.xml names. Random choices (velocities, empty sites,
/// displacements) are made as in ls1 but with Sterna's random numbers, so the start is
/// statistically like ls1's and not identical. Throws XmlError and StartFileError.
GeneratedStart generate_start(const GeneratorConfig& config, std::uint64_t seed);

}  // namespace sterna::md::ls1
