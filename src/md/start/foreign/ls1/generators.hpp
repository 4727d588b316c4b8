#pragma once

#include <cstdint>
#include <vector>

#include "md/core/box.hpp"
#include "md/start/foreign/ls1/generator_config.hpp"
#include "md/start/foreign/ls1/lattice_fill.hpp"

namespace sterna::md::ls1 {

/// A start made by a generator of ls1's: molecules in the box, without ids.
struct GeneratedStart {
  Box box;
  std::vector<Placed> molecules;
  std::vector<Diagnostic> warnings;
};

/// The generator that the config.xml names. Where ls1 draws random numbers (velocities, empty
/// sites, displacements) so does this, by Sterna's own numbers: the start is like ls1's, not the
/// same. Throws XmlError and StartFileError.
GeneratedStart generate_start(const GeneratorConfig& config, std::uint64_t seed);

}  // namespace sterna::md::ls1
