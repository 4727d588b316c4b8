// Idea:    an atom's neighbors within the cutoff are written side by side first, so that the loops
//          over them, in which all lookups are, have no branches.
// Paper:   M. S. Daw, M. I. Baskes, Phys. Rev. B 29, 6443 (1984).
// Cost:    each pair is computed at both of its atoms, in both passes.
// Hazards: where ghosts are many, so are pairs; no force on a ghost travels back, though.
// Another wins: half lists, where the densities of ghosts return before the second pass.

// Included by one file for each instruction set, which defines STERNA_KERNEL_NAME.

#include <cmath>

#include "md/forces/manybody/embedded_atom_work.hpp"

namespace sterna::md {
namespace {

/// The neighbors of one atom that are within the cutoff.
struct Near {
  double *r2, *x, *y, *z, *slope;  ///< slope: dF/drho of the neighbor
  std::uint32_t* type;
};

constexpr std::size_t rounded_up(std::size_t count) {
  return (count + 15) / 16 * 16;
}

std::size_t scratch_bytes(std::uint32_t longest_row) {
  return rounded_up(longest_row) * (5 * sizeof(double) + sizeof(std::uint32_t));
}

Near lay_out(void* memory, std::uint32_t longest) {
  const std::size_t room = rounded_up(longest);
  auto* const numbers = static_cast<double*>(memory);
  auto* const integers = reinterpret_cast<std::uint32_t*>(numbers + 5 * room);
  return {numbers, numbers + room, numbers + 2 * room, numbers + 3 * room, numbers + 4 * room,
          integers};
}

/// Writes the neighbors of atom i that are within the cutoff to `near`; returns how many they are.
template <bool with_slopes>
std::uint32_t find_near(const EmbeddedAtomWork& work, std::uint32_t i, const Near& near) {
  const Position center = work.position[i];
  const RowRange row = work.rows[i];
  std::uint32_t count = 0;
  for (std::uint32_t k = row.begin; k < row.begin + row.count; ++k) {
    const std::uint32_t j = work.neighbors[k];
    const Position& other = work.position[j];
    const double x = center.x - other.x, y = center.y - other.y, z = center.z - other.z;
    const double r2 = x * x + y * y + z * z;
    near.r2[count] = r2;
    near.type[count] = static_cast<std::uint32_t>(other.type);
    if constexpr (with_slopes) {
      near.x[count] = x;
      near.y[count] = y;
      near.z[count] = z;
      near.slope[count] = work.value[j];
    }
    count += r2 < work.cutoff_squared ? 1u : 0u;
  }
  return count;
}

struct Place {
  std::uint32_t bin;
  double part;
};

inline Place place_of(const EmbeddedAtomWork& work, double r) {
  const double x = r * work.per_distance;
  const auto last = static_cast<std::int32_t>(work.last_bin);
  auto bin = static_cast<std::int32_t>(x);
  bin = bin < last ? bin : last;
  const double part = x - static_cast<double>(bin);
  return {static_cast<std::uint32_t>(bin), part < 1.0 ? part : 1.0};
}

void add_up_densities(EmbeddedAtomWork& work, const std::uint32_t* cells, std::size_t cell_count) {
  const std::uint32_t bins = work.last_bin + 1;
  const auto types = static_cast<std::uint32_t>(work.type_count);
  const Near near = lay_out(work.scratch, work.longest_row);
  for (std::size_t c = 0; c < cell_count; ++c) {
    const CellRange cell = work.cells[cells[c]];
    for (std::uint32_t i = cell.begin; i < cell.begin + cell.count; ++i) {
      const std::uint32_t count = find_near<false>(work, i, near);
      const auto type = static_cast<std::uint32_t>(work.position[i].type);
      const EmbeddedAtomCubic::Bin* const functions = work.density + type * types * bins;
      double density = 0.0;
      for (std::uint32_t k = 0; k < count; ++k) {
        const Place at = place_of(work, std::sqrt(near.r2[k]));
        const double* const f = functions[near.type[k] * bins + at.bin].c;
        density += ((f[3] * at.part + f[2]) * at.part + f[1]) * at.part + f[0];
      }
      work.value[i] = density;
    }
  }
}

template <bool with_sums>
void compute_cells(EmbeddedAtomWork& work, const std::uint32_t* cells, std::size_t cell_count) {
  const std::uint32_t bins = work.last_bin + 1;
  const auto types = static_cast<std::uint32_t>(work.type_count);
  const Near near = lay_out(work.scratch, work.longest_row);
  double energy = 0.0, xx = 0.0, yy = 0.0, zz = 0.0, xy = 0.0, xz = 0.0, yz = 0.0;
  for (std::size_t c = 0; c < cell_count; ++c) {
    const CellRange cell = work.cells[cells[c]];
    for (std::uint32_t i = cell.begin; i < cell.begin + cell.count; ++i) {
      const std::uint32_t count = find_near<true>(work, i, near);
      const auto type = static_cast<std::uint32_t>(work.position[i].type);
      const double own_slope = work.value[i];
      double fx = 0.0, fy = 0.0, fz = 0.0;
      for (std::uint32_t k = 0; k < count; ++k) {
        const double r2 = near.r2[k], inverse_r2 = 1.0 / r2, r = std::sqrt(r2);
        const Place at = place_of(work, r);
        const double part = at.part;
        const std::uint32_t here = (type * types + near.type[k]) * bins + at.bin;
        const std::uint32_t there = (near.type[k] * types + type) * bins + at.bin;
        const double* const received = work.density[here].c;
        const double* const given = work.density[there].c;
        const double* const pair = work.pair[here].c;
        const auto slope = [part](const double* f) {
          return (3.0 * f[3] * part + 2.0 * f[2]) * part + f[1];
        };
        // phi = w / r and its slope, (w' - phi) / r; f is -(1/r) dE/dr.
        const double w = ((pair[3] * part + pair[2]) * part + pair[1]) * part + pair[0];
        const double w_slope = slope(pair) * work.per_distance;
        const double embedded =
            (own_slope * slope(received) + near.slope[k] * slope(given)) * work.per_distance;
        const double f = (w * inverse_r2 * r - w_slope - embedded * r) * inverse_r2;
        fx += f * near.x[k];
        fy += f * near.y[k];
        fz += f * near.z[k];
        if constexpr (with_sums) {
          energy += w * inverse_r2 * r;
          xx += f * near.x[k] * near.x[k];
          yy += f * near.y[k] * near.y[k];
          zz += f * near.z[k] * near.z[k];
          xy += f * near.x[k] * near.y[k];
          xz += f * near.x[k] * near.z[k];
          yz += f * near.y[k] * near.z[k];
        }
      }
      work.force[i] = {fx, fy, fz};
    }
  }
  // Each pair is there twice.
  work.energy += 0.5 * energy;
  const double sums[6] = {xx, yy, zz, xy, xz, yz};
  for (int k = 0; k < 6; ++k) work.virial[k] += 0.5 * sums[k];
}

void compute_forces(EmbeddedAtomWork& work, const std::uint32_t* cells, std::size_t cell_count,
                    bool with_sums) {
  with_sums ? compute_cells<true>(work, cells, cell_count)
            : compute_cells<false>(work, cells, cell_count);
}

constexpr EmbeddedAtomKernels kernels{STERNA_KERNEL_NAME, scratch_bytes, add_up_densities,
                                      compute_forces};

}  // namespace
}  // namespace sterna::md
