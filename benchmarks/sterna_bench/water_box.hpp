#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "md/core/vector.hpp"

namespace sterna::bench {

/// A periodic cube of molecules of the shape and charges of SPC/E at the density of water (33.3 per
/// nm^3), disordered: no sites of two molecules are closer than in liquid water, where its pair
/// distributions begin (oxygens 2.5 angstrom, oxygen and hydrogen 1.5, hydrogens 1.6; Soper, Chem.
/// Phys. 258, 121 (2000)), all else is as likely as it comes. Lengths in angstrom, charges in e.
/// The same on all ranks.
class WaterBox {
 public:
  /// Oxygen, then hydrogens.
  using Molecule = std::array<md::Vec3, 3>;
  static constexpr std::array<double, 3> site_charges{-0.8476, 0.4238, 0.4238};

  /// About as many charges as asked for: three times a cube.
  explicit WaterBox(std::size_t charges);

  double length() const { return spacing * along_; }
  std::size_t charges() const { return 3 * molecules_.size(); }
  /// Whole, oxygens inside the box.
  const std::vector<Molecule>& molecules() const { return molecules_; }

 private:
  static constexpr double spacing = 3.108;  ///< of as many molecules on a simple cubic lattice
  int along_;
  std::vector<Molecule> molecules_;
};

}  // namespace sterna::bench
