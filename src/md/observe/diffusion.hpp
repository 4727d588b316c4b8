#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "md/observe/observer.hpp"
#include "md/observe/particle_keepers.hpp"
#include "md/system/atom_group.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Mean square displacement of each type, or of each group, over all times of a run, and the
/// diffusion coefficient, D = MSD / (6 t) (Einstein). Displacements are taken over windows of 1 to
/// 9 samples, of 10 to 90, of 100 to 900 ..., of which only the last nine positions each are kept
/// (order-n algorithm: Frenkel and Smit, Understanding Molecular Simulation, 2002, section 4.4). A
/// particle's past is kept by a rank that follows from its id, wherever the particle moves; each
/// sample sends the positions there. The past of a particle takes 216 bytes for each factor of ten
/// in time, in memory and in each checkpoint.
///
/// The average named "diffusion_TYPE" is the slope between a tenth and a half of the longest time,
/// with the standard error of the three axes.
class Diffusion : public Observer {
 public:
  Diffusion(const comm::Context& context, std::int64_t interval, double timestep,
            std::vector<std::string> type_names, const UnitSystem& units,
            std::vector<AtomGroup> groups = {});

  void sample(const Frame& frame) override;
  std::span<double> sums() override { return sums_; }
  std::vector<double> common() const override { return blocks_.state(); }
  void set_common(std::span<const double> values) override;
  std::vector<std::span<const std::byte>> history() const override;
  void set_history(std::span<History> parts) override;
  ObserverReport report(std::span<const double> all_sums) const override;

  /// Bytes that one particle's past takes after so many samples.
  static double bytes_per_particle(std::int64_t samples);

 private:
  struct Item {
    std::int64_t id;
    Vec3 position;  ///< unwrapped
    std::int64_t type;
  };
  /// Former positions of the particles whose ids this rank keeps, in the order of the ids.
  struct Level {
    std::vector<std::vector<Vec3>> past;  ///< the newest first
  };
  static constexpr std::size_t windows = 9;
  static constexpr std::size_t most_levels = 8;

  std::size_t index(std::size_t column, std::size_t level, std::size_t window) const {
    return ((column * most_levels + level) * windows + window) * 4;
  }

  /// The numbers of a block in `sums_`.
  std::size_t stride() const { return names_.size() * most_levels * windows * 4; }

  /// The number of positions that a particle has on this level after so many samples.
  static std::size_t kept_on_level(std::int64_t samples, std::size_t level);

  /// Columns of the result that an atom counts for, by its place among this rank's share.
  void find_columns();

  comm::Context context_;
  double sample_time_;
  std::vector<std::string> names_;  ///< of the groups, or of the types if there are none
  std::vector<AtomGroup> groups_;
  UnitSystem units_;
  ParticleKeepers<Item> keepers_;
  SampleBlocks blocks_;            ///< of displacements, by their beginnings
  std::vector<std::int64_t> ids_;  ///< of this rank's share, ascending; of all samples
  std::vector<Level> levels_;
  std::vector<std::size_t> columns_, first_column_;
  /// For each block, type or group, level and window: the sums of x^2, y^2, z^2, and their number.
  std::vector<double> sums_;
};

}  // namespace sterna::md
