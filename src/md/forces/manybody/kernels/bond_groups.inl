// Idea:    lanes are atoms of one coordination, so the bonds of all lanes are computed in step,
//          without masks.
// Cost:    a pass over the rows that filters the bonds, and one over a block's atoms for each
//          coordination that occurs in it.
// Hazards: lanes without an atom repeat the first one; their results must be ignored.

// Included by the kernels of potentials of bonds.

#include "md/forces/manybody/bond_rows.hpp"
#include "md/simd/elementary.hpp"

namespace sterna::md {
namespace {

/// The bonds of a block's atoms, one after the other, in the order of the filter; and memory for a
/// group of them.
template <class Real>
struct BondScratch {
  Real *dx, *dy, *dz;
  std::uint32_t *neighbor, *type;
  // The bonds of a group of atoms, a vector for each:
  Real* bond;
  std::uint32_t* bond_neighbor;
  std::uint32_t* bond_type;

  /// Sets the arrays for atoms of at most `longest` bonds; returns the bytes used.
  std::size_t lay_out(void* memory, std::uint32_t longest, std::size_t bond_vectors) {
    constexpr std::size_t width = lanes<Real>;
    char* next = static_cast<char*>(memory);
    const auto take = [&next](auto*& array, std::size_t count) {
      array = reinterpret_cast<std::remove_reference_t<decltype(array)>>(next);
      next += (count * sizeof(*array) + 63) / 64 * 64;
    };
    const std::size_t capacity = std::size_t{atoms_of_block} * longest + 16;
    take(dx, capacity);
    take(dy, capacity);
    take(dz, capacity);
    take(neighbor, capacity);
    take(type, capacity);
    take(bond, bond_vectors * width * longest);
    take(bond_neighbor, width * longest);
    take(bond_type, width * longest);
    return static_cast<std::size_t>(next - static_cast<char*>(memory));
  }
};

/// The atoms of a group. Lanes from `lane_count` on repeat the first atom.
template <class Real>
struct BondGroup {
  static constexpr auto width = static_cast<std::uint32_t>(lanes<Real>);
  alignas(64) std::uint32_t atom[width];
  alignas(64) std::uint32_t first_bond[width];  ///< in the scratch memory
  std::uint32_t lane_count = 0;
  std::uint32_t bonds = 0;  ///< of each atom
};

/// Values of each lane's triple of types.
template <class Real, class Table, bool single>
struct TripleValues {
  const Real* tables;
  std::size_t stride;  ///< size of a table: types^3
  const std::uint32_t* triple;
  Vector<Real> operator()(Table which) const {
    const Real* const table = tables + static_cast<std::size_t>(which) * stride;
    if constexpr (single) {
      return table[0] - Vector<Real>{};
    } else {
      return gather(table, triple);
    }
  }
};

/// Adds the first lanes of a vector to the forces of particles.
template <class Real>
inline void add_to_particles(PaddedForce* force, const std::uint32_t* particle,
                             std::uint32_t lane_count, Vector<Real> x, Vector<Real> y,
                             Vector<Real> z) {
  alignas(64) Real xs[lanes<Real>], ys[lanes<Real>], zs[lanes<Real>];
  *reinterpret_cast<Vector<Real>*>(xs) = x;
  *reinterpret_cast<Vector<Real>*>(ys) = y;
  *reinterpret_cast<Vector<Real>*>(zs) = z;
  for (std::uint32_t lane = 0; lane < lane_count; ++lane) {
    PaddedForce& f = force[particle[lane]];
    f.x += static_cast<double>(xs[lane]);
    f.y += static_cast<double>(ys[lane]);
    f.z += static_cast<double>(zs[lane]);
  }
}

/// Where the bonds of each of a block's atoms are in the scratch memory.
struct BondsOfBlock {
  std::uint32_t first[atoms_of_block], count[atoms_of_block];
  std::uint32_t most = 0;  ///< of an atom
};

/// Filters the bonds of a block's atoms from the rows into the scratch memory.
template <class Real, bool single>
void filter_bonds(const BondRows& work, const BondScratch<Real>& scratch,
                  const std::uint32_t* atoms, std::uint32_t atom_count, BondsOfBlock& of) {
  std::uint32_t bonds = 0;
  of.most = 0;
  for (std::uint32_t a = 0; a < atom_count; ++a) {
    const Position center = work.position[atoms[a]];
    const double* const cutoffs =
        work.bond_cutoff_squared + (single ? 0 : center.type * work.type_count);
    of.first[a] = bonds;
    const RowRange row = work.rows[atoms[a]];
    for (std::uint32_t k = row.begin; k < row.begin + row.count; ++k) {
      // Every neighbor is written, and kept only by advancing the index if it is a bond, because a
      // branch could not be predicted.
      const std::uint32_t neighbor = work.neighbors[k];
      const Position& other = work.position[neighbor];
      const double x = other.x - center.x, y = other.y - center.y, z = other.z - center.z;
      scratch.dx[bonds] = static_cast<Real>(x);
      scratch.dy[bonds] = static_cast<Real>(y);
      scratch.dz[bonds] = static_cast<Real>(z);
      scratch.neighbor[bonds] = neighbor;
      if constexpr (!single) scratch.type[bonds] = static_cast<std::uint32_t>(other.type);
      bonds += x * x + y * y + z * z < cutoffs[single ? 0 : other.type] ? 1u : 0u;
    }
    of.count[a] = bonds - of.first[a];
    of.most = of.count[a] > of.most ? of.count[a] : of.most;
  }
}

/// Calls `compute` for groups of a block's atoms that have equally many bonds, one at least.
template <class Real, bool single, class Compute>
void for_groups_of_block(const BondRows& work, const BondScratch<Real>& scratch,
                         const std::uint32_t* atoms, std::uint32_t atom_count,
                         const Compute& compute) {
  BondsOfBlock bonds;
  filter_bonds<Real, single>(work, scratch, atoms, atom_count, bonds);
  BondGroup<Real> group;
  for (group.bonds = 1; group.bonds <= bonds.most; ++group.bonds) {
    const auto flush = [&] {
      if (group.lane_count == 0) return;
      for (std::uint32_t k = group.lane_count; k < group.width; ++k) {
        group.atom[k] = group.atom[0];
        group.first_bond[k] = group.first_bond[0];
      }
      compute(group);
      group.lane_count = 0;
    };
    for (std::uint32_t a = 0; a < atom_count; ++a) {
      if (bonds.count[a] != group.bonds) continue;
      group.atom[group.lane_count] = atoms[a];
      group.first_bond[group.lane_count] = bonds.first[a];
      if (++group.lane_count == group.width) flush();
    }
    flush();
  }
}

/// Calls `compute(atoms, count)` for blocks of the cells' atoms for which `is_center(atom)`.
template <class IsCenter, class Compute>
void for_blocks_of_cells(const BondRows& work, const std::uint32_t* cells, std::size_t cell_count,
                         const IsCenter& is_center, const Compute& compute) {
  std::uint32_t atoms[atoms_of_block];
  std::uint32_t count = 0;
  for (std::size_t c = 0; c < cell_count; ++c) {
    const CellRange cell = work.cells[cells[c]];
    for (std::uint32_t i = cell.begin; i < cell.begin + cell.count; ++i) {
      if (!is_center(i)) continue;
      atoms[count++] = i;
      if (count < atoms_of_block) continue;
      compute(atoms, count);
      count = 0;
    }
  }
  compute(atoms, count);
}

/// Calls `compute` for all atoms of the cells that have bonds, in groups.
template <class Real, bool single, class Compute>
void for_groups_of_cells(const BondRows& work, const BondScratch<Real>& scratch,
                         const std::uint32_t* cells, std::size_t cell_count,
                         const Compute& compute) {
  for_blocks_of_cells(
      work, cells, cell_count, [](std::uint32_t) { return true; },
      [&](const std::uint32_t* atoms, std::uint32_t count) {
        for_groups_of_block<Real, single>(work, scratch, atoms, count, compute);
      });
}

/// Subtracts minus the virial of a group: the sums over its bonds of products of r and dE/dr, in the
/// order xx yy zz xy xz yz.
template <class Real>
inline void subtract_virial(BondRows& work, const Vector<Real> (&components)[6]) {
  for (int k = 0; k < 6; ++k) work.virial[k] -= sum<Real>(components[k]);
}

}  // namespace
}  // namespace sterna::md
