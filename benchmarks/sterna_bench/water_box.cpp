// Idea:    hard bodies moved and turned at random, a move kept where nothing overlaps, so that a
//          lattice of molecules all alike melts.
// Paper:   Metropolis, Rosenbluth, Rosenbluth, Teller, Teller, J. Chem. Phys. 21, 1087 (1953).
// Cost:    about 0.6 us a molecule and sweep, on each rank for the whole box.
// Hazards: hydrogen bonds are missing, so that neighbors are not turned towards each other.
// Else:    molecular dynamics, where structure matters and not only where charges lie.

#include "water_box.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

#include "md/core/random.hpp"

namespace sterna::bench {
namespace {

using md::Vec3;
using Molecule = WaterBox::Molecule;

/// Of the order of the lattice (the square of its first Fourier coefficient) 1e-5 is left.
constexpr int sweeps = 80;
constexpr double largest_move = 1.0;  ///< along each axis
constexpr double largest_turn = 1.0;  ///< radians

Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// 1 angstrom, 109.47 degrees.
Molecule molecule_along_axes(const Vec3& at) {
  const double u = std::sqrt(1.0 / 3.0);
  return {at, at + Vec3{u, u, u}, at + Vec3{u, -u, -u}};
}

class MeltingLattice {
 public:
  MeltingLattice(int along, double spacing)
      : length_(spacing * along),
        bins_(static_cast<int>(length_ / range)),
        first_(static_cast<std::size_t>(bins_) * static_cast<std::size_t>(bins_) *
                   static_cast<std::size_t>(bins_),
               none) {
    for (int z = 0; z < along; ++z)
      for (int y = 0; y < along; ++y)
        for (int x = 0; x < along; ++x) {
          molecules_.push_back(molecule_along_axes(spacing * Vec3{x + 0.5, y + 0.5, z + 0.5}));
        }
    next_.resize(molecules_.size());
    for (std::size_t i = 0; i < molecules_.size(); ++i) insert(i);
  }

  void sweep(int number) {
    const md::RandomStream stream(1, md::RandomPurpose::displacement);
    for (std::size_t i = 0; i < molecules_.size(); ++i) {
      auto random = stream.sequence(i, static_cast<std::uint64_t>(number));
      const Molecule moved = moved_at_random(molecules_[i], random);
      if (overlaps(moved, i)) continue;
      remove(i);
      molecules_[i] = moved;
      insert(i);
    }
  }

  std::vector<Molecule> take() { return std::move(molecules_); }

 private:
  /// Of oxygens: farther apart no sites are too close.
  static constexpr double range = 1.6 + 2.0;
  static constexpr std::int32_t none = -1;

  Molecule moved_at_random(const Molecule& molecule, md::RandomSequence& random) const {
    Vec3 move;
    for (int axis = 0; axis < 3; ++axis) move[axis] = largest_move * (2.0 * random.uniform() - 1.0);
    const double height = 2.0 * random.uniform() - 1.0;
    const double angle = 2.0 * std::numbers::pi * random.uniform();
    const double radius = std::sqrt(1.0 - height * height);
    const Vec3 about{radius * std::cos(angle), radius * std::sin(angle), height};
    const double turn = largest_turn * (2.0 * random.uniform() - 1.0);
    const double cosine = std::cos(turn), sine = std::sin(turn);
    Molecule moved;
    moved[0] = molecule[0] + move;
    for (int axis = 0; axis < 3; ++axis) {
      moved[0][axis] -= length_ * std::floor(moved[0][axis] / length_);
    }
    for (std::size_t site = 1; site < 3; ++site) {
      const Vec3 bond = molecule[site] - molecule[0];
      const Vec3 turned =
          cosine * bond + sine * cross(about, bond) + ((1.0 - cosine) * dot(about, bond)) * about;
      moved[site] = moved[0] + (1.0 / std::sqrt(dot(turned, turned))) * turned;
    }
    return moved;
  }

  static bool too_close(const Molecule& a, const Molecule& b, const Vec3& shift) {
    constexpr double least[2][2] = {{2.5 * 2.5, 1.5 * 1.5}, {1.5 * 1.5, 1.6 * 1.6}};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        const Vec3 d = a[i] - b[j] - shift;
        if (dot(d, d) < least[i > 0][j > 0]) return true;
      }
    return false;
  }

  bool overlaps(const Molecule& molecule, std::size_t self) const {
    int bin[3];
    for (int axis = 0; axis < 3; ++axis) bin[axis] = bin_along(molecule[0][axis]);
    for (int z = -1; z <= 1; ++z)
      for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x) {
          const int at[3] = {bin[0] + x, bin[1] + y, bin[2] + z};
          for (std::int32_t j = first_[index(at)]; j != none;
               j = next_[static_cast<std::size_t>(j)]) {
            const auto other = static_cast<std::size_t>(j);
            if (other == self) continue;
            const Vec3 d = molecule[0] - molecules_[other][0];
            const Vec3 shift{length_ * std::round(d.x / length_),
                             length_ * std::round(d.y / length_),
                             length_ * std::round(d.z / length_)};
            const Vec3 nearest = d - shift;
            if (dot(nearest, nearest) >= range * range) continue;
            if (too_close(molecule, molecules_[other], shift)) return true;
          }
        }
    return false;
  }

  int bin_along(double position) const {
    return std::min(bins_ - 1, static_cast<int>(position / length_ * bins_));
  }
  std::size_t index(const int (&at)[3]) const {
    const auto along = [&](int axis) {
      return static_cast<std::size_t>((at[axis] + bins_) % bins_);
    };
    const auto bins = static_cast<std::size_t>(bins_);
    return (along(2) * bins + along(1)) * bins + along(0);
  }
  std::int32_t& first_of(std::size_t molecule) {
    const Vec3& oxygen = molecules_[molecule][0];
    return first_[index({bin_along(oxygen.x), bin_along(oxygen.y), bin_along(oxygen.z)})];
  }
  void insert(std::size_t molecule) {
    std::int32_t& first = first_of(molecule);
    next_[molecule] = first;
    first = static_cast<std::int32_t>(molecule);
  }
  void remove(std::size_t molecule) {
    std::int32_t* link = &first_of(molecule);
    while (*link != static_cast<std::int32_t>(molecule))
      link = &next_[static_cast<std::size_t>(*link)];
    *link = next_[molecule];
  }

  double length_;
  int bins_;
  std::vector<std::int32_t> first_, next_;  ///< of the molecules of each bin, one after the other
  std::vector<Molecule> molecules_;
};

}  // namespace

WaterBox::WaterBox(std::size_t charges)
    : along_(static_cast<int>(std::lround(std::cbrt(static_cast<double>(charges) / 3.0)))) {
  MeltingLattice lattice(along_, spacing);
  for (int number = 0; number < sweeps; ++number) lattice.sweep(number);
  molecules_ = lattice.take();
}

}  // namespace sterna::bench
