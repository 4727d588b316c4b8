#pragma once

// A block of whole molecules of one kind, one in each lane. Atoms are loaded once for all terms
// between them, and their forces are stored once.

#include <cstddef>
#include <cstdint>

#include "md/simd/transpose.hpp"
#include "md/system/molecule_batch.hpp"

namespace sterna::md {
namespace {

/// Loads x, y, z of a position, and 0 in the fourth lane.
[[gnu::always_inline]] inline void read(const Position& from, Four<double>& to) {
  constexpr Four<std::int64_t> place{-1, -1, -1, 0};
  to = reinterpret_cast<Four<double>>(*reinterpret_cast<const Four<std::int64_t>*>(&from) & place);
}

/// Adds with two stores, because one store of four numbers would overwrite the next particle's
/// force.
[[gnu::always_inline]] inline void add(const Four<double>& change, Vec3& force) {
  typedef double Two __attribute__((vector_size(16), aligned(8), may_alias));
  *reinterpret_cast<Two*>(&force.x) += Two{change[0], change[1]};
  force.z += change[2];
}

template <class Real>
class MoleculeBlock {
  using V = Vector<Real>;
  /// In single precision a position is the sum of two numbers, so that a difference of positions
  /// has the rounding error of the difference, not that of the positions.
  static constexpr std::size_t summands = sizeof(Real) == sizeof(float) ? 2 : 1;
  struct Atom {
    Rows<Real> position[summands], force;
  };
  static_assert(sizeof(Atom) <= sizeof(double) * MoleculeBatch::room_per_atom);

 public:
  static constexpr std::size_t width = lanes<Real>;

  explicit MoleculeBlock(const MoleculeBatch& molecules)
      : molecules_(molecules), atoms_(reinterpret_cast<Atom*>(molecules.room)) {}

  /// Loads the molecules from number `first` on. If fewer are left than lanes, the last molecule
  /// fills the other lanes. Forces are set to 0.
  void gather(std::size_t first) {
    const std::size_t left = molecules_.count - first;
    used_ = left < width ? left : width;
    places_ = molecules_.places + first * molecules_.atoms;
    Four<double> start[width];
    for (std::size_t lane = 0; lane < width; ++lane) {
      read(molecules_.position[places_[of(lane)]], start[lane]);
    }
    for (std::size_t k = 0; k < molecules_.atoms; ++k) {
      Atom& atom = atoms_[k];
      for (std::size_t lane = 0; lane < width; ++lane) {
        Four<double> position;
        read(molecules_.position[places_[of(lane) + k]], position);
        position -= start[lane];
        if constexpr (summands == 2) {
          const Four<float> rounded = __builtin_convertvector(position, Four<float>);
          position -= __builtin_convertvector(rounded, Four<double>);
          *reinterpret_cast<Four<float>*>(&atom.position[0].of[lane]) = rounded;
        }
        write(position, atom.position[summands - 1].of[lane]);
      }
    }
    // This loop is separate, because a load that spans several recent stores would wait for them.
    for (std::size_t k = 0; k < molecules_.atoms; ++k) {
      for (Rows<Real>& rows : atoms_[k].position) {
        V x, y, z, nothing;
        load(rows, x, y, z, nothing);
        rows.part(0) = x, rows.part(1) = y, rows.part(2) = z;
      }
      for (std::size_t n = 0; n < 4; ++n) atoms_[k].force.part(n) = V{};
    }
  }

  /// A component of the vector from one atom to another, for each molecule.
  [[gnu::always_inline]] V connection(std::size_t from, std::size_t to, std::size_t axis) const {
    const Atom &a = atoms_[from], &b = atoms_[to];
    V result = b.position[0].part(axis) - a.position[0].part(axis);
    if constexpr (summands == 2) {
      result += b.position[1].part(axis) - a.position[1].part(axis);
    }
    return result;
  }
  [[gnu::always_inline]] V& force(std::size_t atom, std::size_t axis) {
    return atoms_[atom].force.part(axis);
  }

  /// Adds the forces of the block to the forces of the particles.
  void scatter() {
    for (std::size_t k = 0; k < molecules_.atoms; ++k) {
      Rows<Real>& rows = atoms_[k].force;
      const V x = rows.part(0), y = rows.part(1), z = rows.part(2);
      store(x, y, z, V{}, rows);
    }
    for (std::size_t k = 0; k < molecules_.atoms; ++k) {
      for (std::size_t lane = 0; lane < used_; ++lane) {
        std::uint32_t target = places_[lane * molecules_.atoms + k];
        if (target >= molecules_.local_count) {
          target = molecules_.local_of_ghost[target - molecules_.local_count];
        }
        Four<double> change;
        read(atoms_[k].force.of[lane], change);
        add(change, molecules_.force[target]);
      }
    }
  }

  /// The sum over the molecules; lanes that repeat the last molecule do not count.
  double sum(const V& values) const {
    double result = 0.0;
    for (std::size_t lane = 0; lane < used_; ++lane) result += static_cast<double>(values[lane]);
    return result;
  }

 private:
  std::size_t of(std::size_t lane) const {
    return (lane < used_ ? lane : used_ - 1) * molecules_.atoms;
  }

  const MoleculeBatch& molecules_;
  Atom* atoms_;
  const std::uint32_t* places_ = nullptr;
  std::size_t used_ = 0;
};

}  // namespace
}  // namespace sterna::md
