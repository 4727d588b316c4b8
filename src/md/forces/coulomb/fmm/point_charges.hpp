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

/// The three edge vectors of a box in any directions; right-handed, in the caller's unit of length.
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
  /// The vectors that give a position in fractions of the edges: fraction i = dot(reciprocal i,
  /// position). Times 2 pi they are the edges of the reciprocal lattice.
  Lattice reciprocal() const;
  Vec3 position(const Vec3& fraction) const {
    return a * fraction.x + b * fraction.y + c * fraction.z;
  }
  /// The distance of the two faces that edge `axis` connects: the box's width along their normal.
  double width(int axis) const;
  const Vec3& operator[](int axis) const { return (&a)[axis]; }
};

/// Charges at points, which may also have point dipoles. Two charges of the same molecule do not
/// interact with each other, but with each other's periodic images.
struct PointCharges {
  VectorView positions;
  std::span<const double> charges;
  /// The molecule of each charge; empty: each charge is a molecule of its own.
  std::span<const std::int32_t> molecules;
  /// For each charge the center of its molecule, in any image, if it is not the mean position of
  /// the molecule's charges; otherwise empty. It determines the cell and the rank, not forces.
  VectorView centers = {};
  /// For each charge (which may be 0) the dipole moment at its position; empty: there are none.
  std::span<const Vec3> dipoles = {};

  std::size_t size() const { return positions.size(); }
  std::int32_t molecule(std::size_t charge) const {
    return molecules.empty() ? static_cast<std::int32_t>(charge) : molecules[charge];
  }
};

/// The medium beyond the periodic images at infinity.
enum class Surroundings {
  conductor,  ///< tin foil: no dipole term
  vacuum      ///< a dipole D of the box costs 2 pi D^2 / (3 V)
};

/// Results in units of charge^2 / length; the energy counts each pair once. A charged periodic
/// system is neutralized by a homogeneous background.
struct CoulombResult {
  double energy = 0.0;
  std::vector<double> potentials;  ///< at each charge
  std::vector<Vec3> forces;        ///< on each charge and its dipole
  /// If leaves overlap and centers were given: the additional force on the center of each charge's
  /// molecule, which is minus the gradient of the charge's energy by its weights in the leaves.
  /// (Otherwise it is included in `forces`.)
  std::vector<Vec3> center_forces;
  std::vector<Vec3> fields;  ///< at each charge if there are dipoles, or if they are asked for
  /// The symmetric part of the sum over pairs of connection times force, xx yy zz xy xz yz: minus
  /// the derivative of the energy when the box and all positions in it are strained.
  std::array<double, 6> virial{};
};

/// The sum of r_a f_b as element 3 a + b.
using VirialProducts = std::array<double, 9>;
inline void add_product(VirialProducts& sum, const Vec3& r, const Vec3& f) {
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) {
      sum[3 * a + b] += r[static_cast<int>(a)] * f[static_cast<int>(b)];
    }
}
/// The symmetric part as xx yy zz xy xz yz.
std::array<double, 6> symmetric_part(const VirialProducts& products);

}  // namespace sterna::md
