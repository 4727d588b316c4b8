#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "md/core/box.hpp"
#include "md/io/diagnostics.hpp"
#include "md/io/input.hpp"

namespace sterna::md {

/// What is known of a run beside its input file; advice is given on what is there.
struct SystemFacts {
  std::optional<std::int64_t> particles;
  std::optional<Box> box;
  std::vector<std::int64_t> particles_of_type;  ///< or of component; empty: not known
  std::optional<int> ranks;
  std::optional<double> memory_per_rank;  ///< bytes that a rank may take
};

/// Particles and box of a lattice or random start; the box of a file start where [start] gives it.
SystemFacts facts_of(const Input& input);

/// What a run will take, as far as it can be known before.
struct Forecast {
  double local_particles = 0.0;  ///< per rank, on average
  double ghost_particles = 0.0;  ///< per rank, estimated from the volume around a region
  double memory_per_rank = 0.0;  ///< bytes
  double trajectory_bytes = 0.0;
  double checkpoint_bytes = 0.0;  ///< one of them; two are kept
  std::array<int, 3> grid{1, 1, 1};
  std::array<double, 3> region{0, 0, 0};  ///< smallest width of a region per axis
  double halo = 0.0;                      ///< cutoff + skin
};
/// Nothing unless particles, box and ranks are known and a grid of so many ranks exists.
std::optional<Forecast> forecast(const Input& input, const SystemFacts& facts);

/// Looks at a valid input with the eyes of a person who has run many: time step, cutoff, density,
/// thermostat, regions of ranks, memory, sizes of files. Errors only where the run is impossible
/// with these facts, such as a grid of another number of ranks.
std::vector<Diagnostic> physics_advice(const Input& input, const SystemFacts& facts);

}  // namespace sterna::md
