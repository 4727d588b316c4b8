#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "md/core/box.hpp"
#include "md/input/input.hpp"

namespace sterna::md {

/// What is known of a run beside its input file; advice is given on what is there.
struct SystemFacts {
  std::optional<std::int64_t> particles;
  std::optional<Box> box;
  std::vector<std::int64_t> particles_of_type;  ///< or of component; empty: not known
  std::optional<int> ranks;
  std::optional<double> memory_per_rank;  ///< bytes that a rank may take
  std::string memory_limit = {};          ///< what says so: "ulimit -v"
};

/// What a run will take, as far as it can be known before.
struct Forecast {
  double local_particles = 0.0;  ///< per rank, on average
  double ghost_particles = 0.0;  ///< per rank, estimated from the volume around a region
  double neighbors = 0.0;        ///< of a particle within cutoff + skin
  double cells = 0.0;            ///< of the list, per rank
  double least_particles = 0.0;  ///< of a rank, with those images that are there in any case
  double memory_per_rank = 0.0;  ///< bytes, the program itself included
  /// Bytes that a rank takes at least, without the program: no estimate is in it that a system of
  /// the same number of particles could remain below.
  double least_memory_per_rank = 0.0;
  double trajectory_bytes = 0.0;
  double checkpoint_bytes = 0.0;  ///< one of them; two are kept
  std::array<int, 3> grid{1, 1, 1};
  std::array<double, 3> region{0, 0, 0};  ///< smallest width of a region per axis
  double halo = 0.0;                      ///< cutoff + skin
};
/// Nothing unless particles, box and ranks are known and a grid of so many ranks exists.
std::optional<Forecast> forecast(const Input& input, const SystemFacts& facts);

/// Why a run is impossible that takes so much where a rank may take `memory_per_rank` bytes, as
/// `limit` says; empty where it may be possible.
std::string why_impossible(const Forecast& expected, double memory_per_rank,
                           const std::string& limit);

/// Of a skin that the program will choose, what it will be about.
double likely_skin(const Input& input);
/// "1.5 GB".
std::string byte_text(double bytes);

}  // namespace sterna::md
