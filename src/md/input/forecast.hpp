#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "md/core/box.hpp"
#include "md/input/input.hpp"

namespace sterna::md {

/// Facts about a run beyond its input file. Advice uses the facts that are known.
struct SystemFacts {
  std::optional<std::int64_t> particles;
  std::optional<Box> box;
  std::vector<std::int64_t> particles_of_type;  ///< or of component; empty: not known
  std::optional<int> ranks;
  std::optional<double> memory_per_rank;  ///< bytes; limit of a rank
  std::string memory_limit = {};          ///< source of the limit, such as "ulimit -v"
};

/// The resources that a run will take, as far as they are known before it starts.
struct Forecast {
  double local_particles = 0.0;  ///< per rank, on average
  double ghost_particles = 0.0;  ///< per rank, estimated from the volume around a region
  double neighbors = 0.0;        ///< within cutoff + skin of a particle
  double cells = 0.0;            ///< of the list's grid, per rank
  double least_particles = 0.0;  ///< of a rank, with certain images; lower bound
  double memory_per_rank = 0.0;  ///< bytes, the program itself included
  /// Lower bound of the bytes that a rank takes, without the program. It holds for every system
  /// with this number of particles.
  double least_memory_per_rank = 0.0;
  double trajectory_bytes = 0.0;
  double checkpoint_bytes = 0.0;  ///< of one checkpoint; two are kept
  std::array<int, 3> grid{1, 1, 1};
  std::array<double, 3> region{0, 0, 0};  ///< smallest width of a region, per axis
  double halo = 0.0;                      ///< cutoff + skin
};
/// The forecast; nothing unless particles, box and ranks are known and a grid of so many ranks
/// exists.
std::optional<Forecast> forecast(const Input& input, const SystemFacts& facts);

/// The reason why a run with this forecast is impossible if a rank may take `memory_per_rank`
/// bytes, as `limit` says; empty if it may be possible.
std::string why_impossible(const Forecast& expected, double memory_per_rank,
                           const std::string& limit);

/// An estimate of the skin, if the program will choose it.
double likely_skin(const Input& input);
/// "1.5 GB".
std::string byte_text(double bytes);

}  // namespace sterna::md
