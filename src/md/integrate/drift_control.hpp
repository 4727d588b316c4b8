#pragma once

#include <span>
#include <vector>

#include "md/core/box.hpp"
#include "md/system/particle_store.hpp"
#include "md/system/selection.hpp"

namespace sterna::md {

/// Keeps the mean velocity of some molecules at a given value. Idea: momentum and mass of the
/// molecules of each slab are summed over several steps; then all of them get the missing mean
/// velocity. Source: the plugin DriftCtrl of ls1-MarDyn. Cost: one sum over the particles and one
/// reduction of four numbers per slab in each sampled step. Hazards: momentum is not conserved;
/// corrections at long intervals are jolts. Another wins: no correction, if a drift is wanted, or
/// without walls and fields, because then no drift arises.
class DriftControl {
 public:
  struct Zone {
    Selection where{};
    int slabs = 1;  ///< of equal width along y
    Vec3 velocity;  ///< to keep
  };

  /// `masses`: by type.
  DriftControl(const Zone& zone, std::span<const double> masses);

  /// Four numbers per slab for this rank's molecules, which are to be summed over the ranks and
  /// then given to `add`.
  std::span<double> measure(const ParticleStore& particles, const Box& box);
  /// Takes the sums of all ranks as a sample.
  void add(std::span<const double> sums);
  /// Corrects the velocities by the samples since the last correction, and clears the samples.
  /// Returns the energy that this rank's particles gained.
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
