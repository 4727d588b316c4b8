#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "md/forces/longrange/averaged_potential.hpp"

namespace sterna::md {

/// The correction beyond the Lennard-Jones cutoff for molecules whose density varies along one axis
/// only, the normal: slabs of liquid in vapor, films. The box is periodic along the normal; across
/// it the layers are infinite.
class PlanarCorrection {
 public:
  /// `pairs`: of all pairs of components. `length`: of the box along the normal, divided into
  /// `slabs` of equal width. Throws std::invalid_argument if there are no slabs or no length.
  PlanarCorrection(std::span<const AveragedPotential> pairs, double length, std::size_t slabs);

  std::size_t components() const { return components_; }

  std::size_t slabs() const { return slabs_; }
  /// `density`: molecules per volume, components x slabs; slab 0 begins at z = 0. Throws
  /// std::invalid_argument for another number of values.
  void set_profile(std::span<const double> density);

  /// The interactions of one molecule with all others beyond its cutoff. Energy and virial are
  /// shared with the partners, so half of their sum over molecules counts.
  struct Values {
    double energy = 0.0;
    double force = 0.0;              ///< along the normal
    double virial_normal = 0.0;      ///< sum of R_z F_z
    double virial_tangential = 0.0;  ///< sum of R_x F_x, equal to that of R_y F_y
  };
  /// The values at position `z` along the normal, in any image; linear between the middles of
  /// slabs.
  Values at(std::size_t component, double z) const;

 private:
  Values& value(std::size_t component, std::size_t slab) {
    return values_[component * slabs_ + slab];
  }
  const Values& value(std::size_t component, std::size_t slab) const {
    return values_[component * slabs_ + slab];
  }

  std::size_t components_, slabs_;
  double length_, width_;
  /// The effect of a slab of density 1 and its images on a molecule `offset` slabs above:
  /// components^2 x offsets.
  std::vector<Values> influence_;
  std::vector<double> density_;
  std::vector<Values> values_;  ///< components x slabs
};

}  // namespace sterna::md
