#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "md/forces/longrange/averaged_potential.hpp"

namespace sterna::md {

/// What molecules lack beyond the Lennard-Jones cutoff where the density changes along one axis
/// only, the normal: slabs of liquid in vapor, films. The box is periodic along the normal, without
/// end across it.
class PlanarCorrection {
 public:
  /// `pairs`: of all pairs of components. `length`: of the box along the normal, cut into `slabs`
  /// of equal width. Throws std::invalid_argument for no slabs or no length.
  PlanarCorrection(std::span<const AveragedPotential> pairs, double length, std::size_t slabs);

  std::size_t components() const { return components_; }

  std::size_t slabs() const { return slabs_; }
  /// `density`: molecules per volume, components x slabs, slab 0 from z = 0. Throws
  /// std::invalid_argument for another number of values.
  void set_profile(std::span<const double> density);

  /// Of one molecule, with all that is beyond its cutoff. Energy and virial are shared with the
  /// partners: summed over molecules, half of them counts.
  struct Values {
    double energy = 0.0;
    double force = 0.0;              ///< along the normal
    double virial_normal = 0.0;      ///< sum of R_z F_z
    double virial_tangential = 0.0;  ///< sum of R_x F_x, which equals that of R_y F_y
  };
  /// At place `z` along the normal, any image; linear between the middles of slabs.
  Values at(std::size_t component, double z) const;

  /// Of all molecules of the profile per area of the box across the normal.
  Values per_area() const;

 private:
  Values& value(std::size_t component, std::size_t slab) {
    return values_[component * slabs_ + slab];
  }
  const Values& value(std::size_t component, std::size_t slab) const {
    return values_[component * slabs_ + slab];
  }

  std::size_t components_, slabs_;
  double length_, width_;
  /// What a slab of density 1 and its images do to a molecule `offset` slabs above: components^2 x
  /// offsets.
  std::vector<Values> influence_;
  std::vector<double> density_;
  std::vector<Values> values_;  ///< components x slabs
};

}  // namespace sterna::md
