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

/// Charges of particles, read where the particles of a run have their positions. Each is a molecule
/// of its own, with the number of its particle.
struct ChargesInPlace {
  VectorView positions;             ///< of all particles
  std::span<const double> charges;  ///< of all particles; of others than such charges 0, or absent
  /// The particles, in ascending order, that are neither such a charge nor a molecule of listed charges.
  std::span<const std::uint32_t> absent = {};
};

/// Charges at points, which may also have point dipoles. Two charges of the same molecule do not
/// interact with each other, but with each other's periodic images.
///
/// Charges are listed in arrays of their own, or in place. Most charges of a run are atoms, which are
/// in place, and only the sites of rigid molecules are listed. Where there are charges in place, listed
/// charges have molecules, in ascending order: the numbers of their particles, or numbers beyond.
///
/// Listed charges are numbered from 0 on, and behind them come all particles of the charges in place,
/// those without a charge too. So the results at some numbers mean nothing; they are 0.
struct PointCharges {
  VectorView positions = {};
  std::span<const double> charges = {};
  /// The molecule of each listed charge; empty: each charge is a molecule of its own.
  std::span<const std::int32_t> molecules = {};
  /// For each listed charge the center of its molecule, in any image, if it is not the mean position
  /// of the molecule's charges; otherwise empty. It determines the cell and the rank, not forces.
  VectorView centers = {};
  /// For each listed charge (which may be 0) the dipole moment at its position; empty: there are none.
  std::span<const Vec3> dipoles = {};
  ChargesInPlace in_place = {};

  /// The number of listed charges.
  std::size_t listed() const { return charges.size(); }
  /// All numbers of charges are below this one.
  std::size_t size() const { return charges.size() + in_place.charges.size(); }
  Vec3 position(std::size_t number) const {
    return number < listed() ? positions[number] : in_place.positions[number - listed()];
  }
  double charge(std::size_t number) const {
    return number < listed() ? charges[number] : in_place.charges[number - listed()];
  }
  Vec3 dipole(std::size_t number) const {
    return number < dipoles.size() ? dipoles[number] : Vec3{};
  }
  std::int32_t molecule(std::size_t number) const {
    if (number >= listed()) return static_cast<std::int32_t>(number - listed());
    return molecules.empty() ? static_cast<std::int32_t>(number) : molecules[number];
  }
  /// Calls `function(first, end)` with the numbers of the charges of each molecule, in the order of
  /// molecules.
  template <class Function>
  void for_each_molecule(Function function) const {
    std::size_t next = 0;  // listed charge
    const auto call_listed = [&] {
      const std::size_t first = next;
      do ++next;
      while (next < listed() && molecule(next) == molecule(first));
      function(first, next);
    };
    auto absent = in_place.absent.begin();
    for (std::size_t i = 0; i < in_place.charges.size(); ++i) {
      if (next < listed() && static_cast<std::size_t>(molecules[next]) == i) {
        call_listed();
      } else if (absent != in_place.absent.end() && *absent == i) {
        ++absent;
      } else {
        function(listed() + i, listed() + i + 1);
      }
    }
    while (next < listed()) call_listed();
  }
};

/// The medium beyond the periodic images at infinity.
enum class Surroundings {
  conductor,  ///< tin foil: no dipole term
  vacuum      ///< a dipole D of the box costs 2 pi D^2 / (3 V)
};

/// Results in units of charge^2 / length; the energy counts each pair once. A charged periodic
/// system is neutralized by a homogeneous background. Arrays are by number of charge.
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
