// The kernels of all pair potentials, written once over DoublePack and FloatPack and compiled once
// for each instruction set (potential_kernels_avx512.cpp and its siblings).
//
// Idea:    one frame around `Potential::evaluate`. The particles that share a row take turns with
//          each vector of its neighbors, in a loop. So there is one piece of code for each
//          potential and precision, for any size of the group. Truncations are read from tables, so
//          that none has code of its own.
// Source:  rows and half lists as in pair_kernels.inl.
// Cost:    that of the potential, plus about as much as the Lennard-Jones kernel.
// Hazards: lanes that do not count are computed, too, so they get a distance and coefficients with
//          which nothing overflows.
// Others:  pair_kernels.inl, for Lennard-Jones pairs.

#include <utility>

#include "md/forces/pair/potential_work.hpp"
#include "md/forces/pair/potentials/list.hpp"
#include "md/neighbors/kernels/rows.inl"

namespace sterna::md {
namespace {

template <class Real>
[[gnu::always_inline]] inline const PotentialTables<Real>& tables_of(const PotentialWork& work) {
  if constexpr (sizeof(Real) == sizeof(double)) {
    return work.in_double;
  } else {
    return work.in_single;
  }
}

/// One potential's tables for the pairs of a particle of one type.
template <class Potential, class Pack>
struct PotentialRow {
  using Real = typename Pack::Real;
  const PotentialTables<Real>* tables;
  std::size_t row, pairs;
  int type_count;
  [[gnu::always_inline]] Pack look_up(const Real* table, typename Pack::Indices types) const {
    return Pack::lookup(table + row, type_count, types);
  }
};

/// Applies the switching of the truncation to u and -u'/r, which are already shifted, with the
/// formulas of `PairFunction`.
template <class Potential, class Pack>
[[gnu::always_inline]] inline void end_pack(const PotentialRow<Potential, Pack>& row,
                                            Truncation truncation, typename Pack::Indices types,
                                            Pack squared, Pack r, Pack inverse_r, Pack& f,
                                            Pack& u) {
  const auto& tables = *row.tables;
  const auto term = [&](std::size_t k) {
    return row.look_up(tables.end_terms + k * row.pairs, types);
  };
  switch (truncation) {
    case Truncation::switched: {
      const Pack cutoff2 = row.look_up(tables.cutoff_squared, types);
      const Pack switch2 = row.look_up(tables.switch_start_squared, types);
      const Pack scale = term(0);
      const auto unswitched = squared < switch2;
      const Pack gap = cutoff2 - squared;
      const Pack smooth = Pack::blend(
          unswitched, Pack::all(1.0),
          gap * gap * (cutoff2 + Pack::all(2.0) * squared - Pack::all(3.0) * switch2) * scale);
      const Pack slope = Pack::blend(unswitched, Pack::zero(),
                                     Pack::all(12.0) * gap * (squared - switch2) * scale);
      f = Pack::fma(u, slope, f * smooth);
      u = u * smooth;
      break;
    }
    case Truncation::quintic_switched: {
      const Pack start = term(0), inverse_width = term(1);
      const Pack x = Pack::blend(r < start, Pack::zero(), (r - start) * inverse_width);
      const Pack rest = Pack::all(1.0) - x;
      const Pack smooth = Pack::fnma(
          x * x * x, Pack::fnma(x, Pack::fnma(Pack::all(6.0), x, Pack::all(15.0)), Pack::all(10.0)),
          Pack::all(1.0));
      const Pack slope = Pack::all(30.0) * x * x * rest * rest * inverse_width * inverse_r;
      f = Pack::fma(u, slope, f * smooth);
      u = u * smooth;
      break;
    }
    case Truncation::force_switched: {
      const auto unswitched = squared < row.look_up(tables.switch_start_squared, types);
      const Pack inverse3 = inverse_r * inverse_r * inverse_r;
      const Pack inverse6 = inverse3 * inverse3;
      const Pack repulsion = term(0), attraction = term(1);
      const Pack far12 = inverse6 - term(2), far6 = inverse3 - term(3);
      const Pack force = Pack::all(12.0) * repulsion * inverse6 * far12 -
                         Pack::all(6.0) * attraction * inverse3 * far6;
      f = Pack::blend(unswitched, f, force * inverse_r * inverse_r);
      u = Pack::blend(unswitched, u, repulsion * far12 * far12 - attraction * far6 * far6);
      break;
    }
    case Truncation::cubic_force_switched: {
      const Pack start = term(0), a = term(1), b = term(2);
      const Pack x = Pack::blend(r < start, Pack::zero(), r - start);
      f = Pack::fma(x * x * Pack::fma(x, b, a), inverse_r, f);
      u = Pack::fnma(x * x * x, Pack::fma(Pack::all(0.25) * x, b, Pack::all(1.0 / 3.0) * a), u);
      break;
    }
    default:
      break;
  }
}

/// u and -u'/r of a pack of pairs with their truncation; 0 in lanes that are not inside.
template <class Potential, bool with_energy, class Pack>
[[gnu::always_inline]] inline void evaluate_pack(const PotentialRow<Potential, Pack>& row,
                                                 Truncation truncation, typename Pack::Mask inside,
                                                 Pack r2, typename Pack::Indices types,
                                                 Pack& force_over_r, Pack& energy) {
  using V = VectorOf<Pack>;
  using Real = typename Pack::Real;
  const PotentialTables<Real>& tables = *row.tables;
  Pack squared = Pack::blend(inside, r2, Pack::all(static_cast<double>(tables.safe_squared)));
  if constexpr (requires { Potential::finite_at_zero; }) {
    const Pack least = Pack::all(static_cast<double>(tables.least_squared));
    squared = Pack::blend(squared < least, least, squared);
  }
  Pack inverse_r = Pack::inverse_sqrt(inside, squared);
  Pack r = squared * inverse_r;
  Pack coefficient[Potential::coefficient_count];
  for (int k = 0; k < Potential::coefficient_count; ++k) {
    coefficient[k] =
        row.look_up(tables.coefficients + static_cast<std::size_t>(k) * row.pairs, types);
  }
  Pack energy_shift = row.look_up(tables.energy_shift, types);
  Pack force_shift = row.look_up(tables.force_shift, types);
  Pack u, f;
  for (int k = 0; k < registers<Pack>; ++k) {
    V c[Potential::coefficient_count];
    for (int n = 0; n < Potential::coefficient_count; ++n) c[n] = part(coefficient[n], k);
    const V inverse = part(inverse_r, k);
    const PairValue<V> value = Potential::template evaluate<V>(
        PairDistance<V>{part(squared, k), part(r, k), inverse, inverse * inverse, tables.curves},
        c);
    part(u, k) = value.energy;
    part(f, k) = value.force_over_r;
  }
  u = u - Pack::fnma(force_shift, r, energy_shift);
  f = Pack::fnma(force_shift, inverse_r, f);
  end_pack(row, truncation, types, squared, r, inverse_r, f, u);
  force_over_r = Pack::select(inside, f);
  if constexpr (with_energy) energy = Pack::select(inside, u);
}

template <class Potential, class Pack, bool with_energy>
void compute_potential(PairWork& work, const PotentialWork& potential, const std::uint32_t* cells,
                       std::size_t cell_count) {
  using Real = typename Pack::Real;
  constexpr bool mixed = sizeof(Real) == sizeof(float);
  const double step = mixed ? work.fixed_scale : 1.0;
  const Pack step_squared = Pack::all(step * step);
  const auto types = static_cast<std::size_t>(work.type_count);
  PotentialRow<Potential, Pack> row_of{&tables_of<Real>(potential), 0, types * types,
                                       work.type_count};
  Decoder<Pack> decode(work);
  Totals totals;
  for (std::size_t c = 0; c < cell_count; ++c) {
    const CellRange cell = work.cells[cells[c]];
    decode.go_to_cell(cells[c]);
    if (c + 1 < cell_count) fetch_cell<Pack>(work, cells[c + 1]);
    const std::uint32_t rows = group_count(cell.count, work.group);
    const std::size_t before = first_row(work, cells[c]);
    for (std::uint32_t g = 0; g < rows; ++g) {
      const std::size_t row = before + g;
      const std::size_t first = work.row_begin[row], count = work.row_begin[row + 1] - first;
      const std::uint32_t* const entries = decode(first, count);
      const bool group = work.group > 1;
      const int size = group ? static_cast<int>(size_of_group(cell.count, rows, g)) : 1;

      // The particles of the row whose type has this potential in any pair.
      int members = 0, place[largest_group];
      std::size_t particle[largest_group], row_of_type[largest_group];
      typename RowTraits<Pack>::Center center[largest_group];
      Pack fx[largest_group], fy[largest_group], fz[largest_group];
      for (int q = 0; q < size; ++q) {
        const std::size_t i = group ? entries[q] >> RowTraits<Pack>::offset_shift : row;
        const auto type =
            static_cast<std::size_t>(mixed ? work.fixed_position[i].type : work.position[i].type);
        if (potential.has_pairs[type] == 0) continue;
        place[members] = q;
        particle[members] = i;
        row_of_type[members] = type * types;
        center[members] = typename RowTraits<Pack>::Center(work, i);
        fx[members] = fy[members] = fz[members] = Pack::zero();
        ++members;
      }
      if (members == 0) continue;

      Pack u = Pack::zero();
      Pack xx = Pack::zero(), yy = Pack::zero(), zz = Pack::zero();
      Pack xy = Pack::zero(), xz = Pack::zero(), yz = Pack::zero();
      const std::uint16_t* masks = nullptr;
      std::size_t masked = 0;  // number of entries that have masks
      if (work.masks != nullptr) {
        masks = work.masks + work.mask_begin[row];
        masked = (work.mask_begin[row + 1] - work.mask_begin[row]) /
                 static_cast<std::size_t>(size) * masked_together;
      }
      for (std::size_t k = 0; k < count; k += Pack::width) {
        const typename RowTraits<Pack>::Neighbors neighbors(work, entries + k);
        Pack gx = Pack::zero(), gy = Pack::zero(), gz = Pack::zero(), weight = Pack::zero();
        if constexpr (with_energy) {
          alignas(64) Real weights[Pack::width];
          for (std::size_t lane = 0; lane < static_cast<std::size_t>(Pack::width); ++lane) {
            weights[lane] =
                entries[k + lane] >> RowTraits<Pack>::offset_shift < work.whole_below ? 2 : 1;
          }
          weight = Pack::load(weights);
        }
        bool acts = false;
        for (int q = 0; q < members; ++q) {
          const Pack dx = RowTraits<Pack>::difference(center[q].x, neighbors.x);
          const Pack dy = RowTraits<Pack>::difference(center[q].y, neighbors.y);
          const Pack dz = RowTraits<Pack>::difference(center[q].z, neighbors.z);
          Pack r2 = Pack::fma(dz, dz, Pack::fma(dy, dy, dx * dx));
          if constexpr (mixed) r2 = r2 * step_squared;
          row_of.row = row_of_type[q];
          auto inside = r2 < row_of.look_up(row_of.tables->cutoff_squared, neighbors.types);
          if (k < masked) {
            const std::size_t mask = k / masked_together * static_cast<std::size_t>(size) +
                                     static_cast<std::size_t>(place[q]);
            inside = Pack::keep(inside, masks[mask] >> k % masked_together);
          } else if (group && k == 0) {
            // The first neighbors are the row's own particles; count each pair of them once.
            for (int lane = 0; lane <= place[q]; ++lane) {
              inside = Pack::without(inside, lane);
            }
          }
          if (Pack::bits(inside) == 0) continue;
          acts = true;
          Pack force_over_r, energy;
          evaluate_pack<Potential, with_energy>(row_of, potential.truncation, inside, r2,
                                                neighbors.types, force_over_r, energy);
          fx[q] = Pack::fma(force_over_r, dx, fx[q]);
          fy[q] = Pack::fma(force_over_r, dy, fy[q]);
          fz[q] = Pack::fma(force_over_r, dz, fz[q]);
          gx = Pack::fma(force_over_r, dx, gx);
          gy = Pack::fma(force_over_r, dy, gy);
          gz = Pack::fma(force_over_r, dz, gz);
          if constexpr (with_energy) {
            energy = energy * weight;
            force_over_r = force_over_r * weight;
            const Pack px = force_over_r * dx, py = force_over_r * dy;
            u = u + energy;
            xx = Pack::fma(px, dx, xx);
            yy = Pack::fma(py, dy, yy);
            zz = Pack::fma(force_over_r * dz, dz, zz);
            xy = Pack::fma(px, dy, xy);
            xz = Pack::fma(px, dz, xz);
            yz = Pack::fma(py, dz, yz);
          }
        }
        if (acts) RowTraits<Pack>::subtract(work, entries + k, gx, gy, gz);
      }
      for (int q = 0; q < members; ++q) {
        RowTraits<Pack>::add(work, particle[q], fx[q].sum(), fy[q].sum(), fz[q].sum());
      }
      if constexpr (with_energy) {
        totals.energy += u.sum();
        totals.virial[0] += xx.sum();
        totals.virial[1] += yy.sum();
        totals.virial[2] += zz.sum();
        totals.virial[3] += xy.sum();
        totals.virial[4] += xz.sum();
        totals.virial[5] += yz.sum();
      }
    }
  }
  // Sums were weighted as in full lists, which contain each pair twice.
  work.energy += 0.5 * totals.energy;
  for (int k = 0; k < 6; ++k) work.virial[k] += 0.5 * step * step * totals.virial[k];
}

template <class... Potentials>
struct KernelsOf;
template <class... Potentials>
struct KernelsOf<PotentialList<Potentials...>> {
  static constexpr PotentialKernels::OfPotential rows[] = {
      {{compute_potential<Potentials, DoublePack, false>,
        compute_potential<Potentials, DoublePack, true>},
       {compute_potential<Potentials, FloatPack, false>,
        compute_potential<Potentials, FloatPack, true>}}...};
};

const PotentialKernels kernels_of_potentials{STERNA_KERNEL_NAME, KernelsOf<PairPotentials>::rows};

}  // namespace
}  // namespace sterna::md
