#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "md/core/box.hpp"
#include "md/core/cross_product.hpp"
#include "md/core/vector.hpp"
#include "md/core/vector_view.hpp"

namespace sterna::md {

/// The three edge vectors of a box, of any directions; right-handed. Length unit of the caller.
struct Lattice {
  Vec3 a, b, c;

  static Lattice orthorhombic(const Vec3& lengths) {
    return {{lengths.x, 0, 0}, {0, lengths.y, 0}, {0, 0, lengths.z}};
  }
  static Lattice of(const Box& box) {
    const auto edges = box.edges();
    return {edges[0], edges[1], edges[2]};
  }
  double volume() const { return dot(a, cross(b, c)); }
  /// The rows that turn a position into fractions of the edges: fraction i = dot(reciprocal i,
  /// position). 2 pi times them are the edges of the reciprocal lattice.
  Lattice reciprocal() const;
  Vec3 position(const Vec3& fraction) const {
    return a * fraction.x + b * fraction.y + c * fraction.z;
  }
  /// Distance of the two faces that edge `axis` leads through: the box's width along that normal.
  double width(int axis) const;
  const Vec3& operator[](int axis) const { return (&a)[axis]; }
};

/// Charges at points, perhaps with point dipoles at them too. Two charges of the same molecule do
/// not interact with each other, but with each other's periodic images they do.
struct PointCharges {
  VectorView positions;
  std::span<const double> charges;
  /// An index for each charge, or empty: each is a molecule of its own.
  std::span<const std::int32_t> molecules;
  /// For each charge the center of its molecule, in any image, where that is not the mean position
  /// of the molecule's charges; otherwise empty. It decides on the cell and the rank, not on
  /// forces.
  VectorView centers = {};
  /// For each charge (which may be 0) the dipole moment at its position, or empty: none has one.
  std::span<const Vec3> dipoles = {};

  std::size_t size() const { return positions.size(); }
  std::int32_t molecule(std::size_t charge) const {
    return molecules.empty() ? static_cast<std::int32_t>(charge) : molecules[charge];
  }
};

/// What lies beyond the periodic images at infinity.
enum class Surroundings {
  conductor,  ///< tin foil: no dipole term
  vacuum      ///< the dipole of the box costs 2 pi D^2 / (3 V)
};

/// In units of charge^2 / length, potential energy of all pairs once. A charged periodic system is
/// neutralized by a homogeneous background.
struct CoulombResult {
  double energy = 0.0;
  std::vector<double> potentials;  ///< at each charge
  std::vector<Vec3> forces;        ///< on each charge and its dipole
  /// On the center of each charge's molecule, besides, where leaves overlap and centers were given
  /// (otherwise `forces` have it): minus the gradient, over the center, of the charge's energy by
  /// its weights in the leaves.
  std::vector<Vec3> center_forces;
  std::vector<Vec3> fields;  ///< at each charge, where there are dipoles; otherwise empty
  /// Symmetric part of the sum over pairs of connection times force: xx yy zz xy xz yz; minus the
  /// derivative of the energy when the box and all positions in it are strained.
  std::array<double, 6> virial{};
};

/// Element 3 a + b: sum of r_a f_b.
using VirialProducts = std::array<double, 9>;
inline void add_product(VirialProducts& sum, const Vec3& r, const Vec3& f) {
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) {
      sum[3 * a + b] += r[static_cast<int>(a)] * f[static_cast<int>(b)];
    }
}
/// xx yy zz xy xz yz.
std::array<double, 6> symmetric_part(const VirialProducts& products);

}  // namespace sterna::md
