#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "md/observe/observer.hpp"
#include "md/system/atom_group.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/sparse_exchange.hpp"

namespace sterna::md {

/// Mean square displacement of each type, or of each group, over all times of a run, and the diffusion coefficient,
/// D = MSD / (6 t) (Einstein). Displacements are taken over windows of 1 to 9 samples, of 10 to 90,
/// of 100 to 900 ..., of which only the last ten positions each are kept (order-n algorithm:
/// Frenkel and Smit, Understanding Molecular Simulation, 2002, section 4.4). Every particle's past
/// is kept by the rank that its id stands for, wherever it moves; each sample sends the positions
/// there. Memory for each particle: 240 bytes for each factor of ten in time. A resumed run begins
/// its windows again and keeps the averages.
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
  std::vector<double> common() const override { return {}; }
  void set_common(std::span<const double>) override {}
  ObserverReport report(std::span<const double> all_sums) const override;

 private:
  struct Item {
    std::int64_t id;
    Vec3 position;  ///< unwrapped
    std::int64_t type;
  };
  /// Positions of this rank's share of the ids, in the order of the ids, some samples back.
  struct Level {
    std::vector<std::vector<Vec3>> past;  ///< the newest first
  };
  static constexpr std::size_t windows = 9;
  static constexpr std::size_t most_levels = 8;

  std::size_t index(std::size_t column, std::size_t level, std::size_t window) const {
    return ((column * most_levels + level) * windows + window) * 4;
  }

  /// Columns of the result that an atom counts for, by its place among this rank's share.
  void find_columns();

  double sample_time_;
  std::vector<std::string> names_;  ///< of the groups, or of the types where there are none
  std::vector<AtomGroup> groups_;
  UnitSystem units_;
  int ranks_;
  comm::SparseExchange<Item> to_keepers_;
  std::vector<Item> incoming_;
  std::int64_t samples_ = 0;  ///< since the start or the resumption
  std::vector<Level> levels_;
  std::vector<std::size_t> columns_, first_column_;
  /// For each type or group, level and window: squares of x, y, z, and how many.
  std::vector<double> sums_;
};

}  // namespace sterna::md
