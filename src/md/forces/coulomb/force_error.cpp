#include "md/forces/coulomb/force_error.hpp"

#include <algorithm>
#include <cmath>

namespace sterna::md {

void ForceError::add(std::span<const Vec3> forces, std::span<const Vec3> reference,
                     const PointCharges& charges, std::span<const Vec3> other_forces) {
  charges.for_each_molecule([&](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      const Vec3 difference = forces[i] - reference[i];
      sums_[0] += dot(difference, difference);
      sums_[5] += dot(reference[i], reference[i]);
      Vec3 whole = reference[i];
      if (!other_forces.empty()) whole += other_forces[i];
      sums_[1] += dot(whole, whole);
      sums_[2] += charges.charge(i) * charges.charge(i);
      sums_[3] += dot(charges.dipole(i), charges.dipole(i));
    }
    sums_[4] += static_cast<double>(end - first);
  });
}

double ForceError::size(double volume) const {
  const double count = sums_[4];
  if (count == 0.0) return 0.0;
  const double density = count / volume;
  const double of_charges = sums_[2] / count * std::pow(density, 2.0 / 3.0);
  const double of_dipoles = sums_[3] / count * std::pow(density, 4.0 / 3.0);
  const double least = 0.1 * (of_charges + of_dipoles);
  return std::max(sums_[1], count * least * least);
}

double ForceError::relative(double volume) const {
  const double size = this->size(volume);
  return size > 0.0 ? std::sqrt(sums_[0] / size) : 0.0;
}

double ForceError::rounding(double volume, double leaf_edge) const {
  // Errors by arithmetic, and by positions for each edge of a leaf, measured against double
  // precision with random charges in a box and with vapor of TIP3P water.
  constexpr double of_arithmetic = 5e-7, of_positions = 4e-8;
  const double size = this->size(volume);
  if (size == 0.0 || sums_[5] == 0.0) return 0.0;
  const double force = std::sqrt(sums_[5] / sums_[4]);
  // The distance at which two charges, or dipoles, have a force of this size.
  const double distance =
      std::max(std::sqrt(sums_[2] / sums_[4] / force), std::pow(sums_[3] / sums_[4] / force, 0.25));
  return (of_arithmetic + of_positions * leaf_edge / distance) * std::sqrt(sums_[5] / size);
}

}  // namespace sterna::md
