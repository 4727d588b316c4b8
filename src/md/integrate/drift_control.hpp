#pragma once

#include <span>
#include <vector>

#include "md/core/box.hpp"
#include "md/system/particle_store.hpp"
#include "md/system/selection.hpp"

namespace sterna::md {

/// Keeps the common velocity of some molecules. Idea: momentum and mass of the molecules of each
/// slab are summed over several steps; then all of them are accelerated by what their common
/// velocity lacks. Source: the plugin DriftCtrl of ls1-MarDyn. Cost: one sum over the particles and
/// one reduction of four numbers a slab in each step that is sampled. Hazards: momentum is not
/// kept; corrections at long intervals are jolts. Another wins: none where a drift is wanted;
/// without walls and fields no drift arises that one would have to take away.
class DriftControl {
 public:
  struct Zone {
    Selection where{};
    int slabs = 1;  ///< of equal width along y
    Vec3 velocity;  ///< to keep
  };

  /// `masses`: by type.
  DriftControl(const Zone& zone, std::span<const double> masses);

  /// Of this rank's molecules, four numbers a slab: to be summed over the ranks, then given to
  /// `add`.
  std::span<double> measure(const ParticleStore& particles, const Box& box);
  /// Takes the sums of all ranks as a sample.
  void add(std::span<const double> sums);
  /// Corrects the velocities by the samples since the last correction, and forgets them. Returns
  /// the energy that this rank's particles took up.
  double correct(ParticleStore& particles, const Box& box);

  /// The samples, for checkpoints; the same on all ranks.
  const std::vector<double>& samples() const { return samples_; }
  void set_samples(std::span<const double> samples);

 private:
  Zone zone_;
  std::vector<double> masses_;
  std::vector<double> sums_, samples_;  // mass and momentum of each slab
};

}  // namespace sterna::md
