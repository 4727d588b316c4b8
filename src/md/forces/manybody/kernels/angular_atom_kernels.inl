// Idea:    the energy of an atom depends on sums over its neighbors alone, so an atom takes two walks
//          along them: one for the sums, one for forces, on both ends of a bond. Lanes are the four
//          functions of a distance, whose coefficients are side by side.
// Paper:   Y. Mishin, M. J. Mehl, D. A. Papaconstantopoulos, Acta Mater. 53, 4029 (2005).
// Cost:    two cache lines of coefficients a neighbor; each bond is computed from both of its ends.
// Hazards: neighbors also get forces, so ghosts collect forces that must be returned. An atom without
//          neighbors may have an energy, too.
// Others:  half lists and an exchange of ten numbers of each ghost between two passes, as densities
//          have: three messages in place of one.

// Included by one file for each instruction set, which defines STERNA_KERNEL_NAME.

#include <cmath>

#include "md/forces/manybody/angular_atom_work.hpp"

namespace sterna::md {
namespace {

/// The four functions of a distance: density, r times the pair energy, dipole, quadrupole.
using Functions [[gnu::vector_size(32)]] = double;

struct AngularBond {
  Functions value, slope;
  double x, y, z, r;
  std::uint32_t neighbor;
};

/// Sets the functions and their derivatives.
inline void look_up(const AngularAtomWork& work, const double* table, AngularBond& bond) {
  const double place = bond.r * work.per_distance;
  std::uint32_t bin = static_cast<std::uint32_t>(place);
  bin = bin < work.last_bin ? bin : work.last_bin;
  double x = place - bin;
  x = x < 1.0 ? x : 1.0;
  const auto* const c =
      reinterpret_cast<const Functions*>(table + std::size_t{bin} * angular_atom_line);
  bond.value = ((c[3] * x + c[2]) * x + c[1]) * x + c[0];
  bond.slope = ((3.0 * c[3] * x + 2.0 * c[2]) * x + c[1]) * work.per_distance;
}

inline void add(PaddedForce& force, double x, double y, double z) {
  force.x += x;
  force.y += y;
  force.z += z;
}

inline void compute_atom(AngularAtomWork& work, std::uint32_t atom) {
  auto* const bonds = static_cast<AngularBond*>(work.rows.scratch);
  const Position center = work.rows.position[atom];
  const std::size_t first_pair =
      static_cast<std::size_t>(center.type) * static_cast<std::size_t>(work.rows.type_count);
  const double* const cutoffs = work.rows.bond_cutoff_squared + first_pair;
  if (cutoffs[center.type] == 0.0) return;  // another type's particle in the cell
  const std::size_t table_size = (std::size_t{work.last_bin} + 1) * angular_atom_line;

  std::uint32_t count = 0;
  double density = 0.0, pairs = 0.0;
  double mx = 0.0, my = 0.0, mz = 0.0;                                // the dipole
  double xx = 0.0, yy = 0.0, zz = 0.0, xy = 0.0, xz = 0.0, yz = 0.0;  // the quadrupole
  const RowRange row = work.rows.rows[atom];
  for (std::uint32_t k = row.begin; k < row.begin + row.count; ++k) {
    AngularBond& bond = bonds[count];
    bond.neighbor = work.rows.neighbors[k];
    const Position& other = work.rows.position[bond.neighbor];
    bond.x = other.x - center.x;
    bond.y = other.y - center.y;
    bond.z = other.z - center.z;
    const double squared = bond.x * bond.x + bond.y * bond.y + bond.z * bond.z;
    if (squared >= cutoffs[other.type]) continue;
    ++count;
    bond.r = std::sqrt(squared);
    look_up(work,
            static_cast<const double*>(work.rows.tables) +
                (first_pair + static_cast<std::size_t>(other.type)) * table_size,
            bond);
    density += bond.value[0];
    const double inverse = 1.0 / bond.r, pair = bond.value[1] * inverse;
    pairs += pair;
    bond.value[1] = pair;
    bond.slope[1] = (bond.slope[1] - pair) * inverse;
    const double u = bond.value[2], w = bond.value[3];
    mx += u * bond.x;
    my += u * bond.y;
    mz += u * bond.z;
    xx += w * bond.x * bond.x;
    yy += w * bond.y * bond.y;
    zz += w * bond.z * bond.z;
    xy += w * bond.x * bond.y;
    xz += w * bond.x * bond.z;
    yz += w * bond.y * bond.z;
  }

  double by_density = 0.0;
  const double embedded =
      work.embed(work.potential, static_cast<int>(center.type), density, by_density);
  const double trace = xx + yy + zz;
  work.rows.energy += embedded + 0.5 * pairs + 0.5 * (mx * mx + my * my + mz * mz) +
                      0.5 * (xx * xx + yy * yy + zz * zz) + xy * xy + xz * xz + yz * yz -
                      trace * trace / 6.0;
  // The energy's derivative by the quadrupole is its part without a trace.
  xx -= trace / 3.0;
  yy -= trace / 3.0;
  zz -= trace / 3.0;

  double fx = 0.0, fy = 0.0, fz = 0.0;
  for (std::uint32_t s = 0; s < count; ++s) {
    const AngularBond& bond = bonds[s];
    const double lx = xx * bond.x + xy * bond.y + xz * bond.z;
    const double ly = xy * bond.x + yy * bond.y + yz * bond.z;
    const double lz = xz * bond.x + yz * bond.y + zz * bond.z;
    const double dipole = mx * bond.x + my * bond.y + mz * bond.z;
    const double quadrupole = lx * bond.x + ly * bond.y + lz * bond.z;
    const double along = (by_density * bond.slope[0] + 0.5 * bond.slope[1] +
                          dipole * bond.slope[2] + quadrupole * bond.slope[3]) /
                         bond.r;
    const double u = bond.value[2], w = 2.0 * bond.value[3];
    const double gx = along * bond.x + u * mx + w * lx;
    const double gy = along * bond.y + u * my + w * ly;
    const double gz = along * bond.z + u * mz + w * lz;
    fx += gx;
    fy += gy;
    fz += gz;
    add(work.rows.force[bond.neighbor], -gx, -gy, -gz);
    work.rows.virial[0] -= gx * bond.x;
    work.rows.virial[1] -= gy * bond.y;
    work.rows.virial[2] -= gz * bond.z;
    work.rows.virial[3] -= gy * bond.x;
    work.rows.virial[4] -= gz * bond.x;
    work.rows.virial[5] -= gz * bond.y;
  }
  add(work.rows.force[atom], fx, fy, fz);
}

void compute(AngularAtomWork& work, const std::uint32_t* cells, std::size_t cell_count) {
  for (std::size_t c = 0; c < cell_count; ++c) {
    const CellRange cell = work.rows.cells[cells[c]];
    for (std::uint32_t i = cell.begin; i < cell.begin + cell.count; ++i) compute_atom(work, i);
  }
}

std::size_t scratch_bytes(std::uint32_t longest_row) {
  return (std::size_t{longest_row} + 1) * sizeof(AngularBond);
}

const AngularAtomKernels kernels{STERNA_KERNEL_NAME, scratch_bytes, compute};

}  // namespace
}  // namespace sterna::md
