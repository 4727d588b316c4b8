// The kernel of pairs of charges within a cutoff, written once over DoublePack and FloatPack and
// compiled once for each instruction set (charge_kernels_avx512.cpp and its siblings).
//
// Idea:    1/r, a parabola and a constant, times the charges of both particles. Charges belong to
//          particles, not to types, so those of a vector of neighbors are gathered, once for all
//          particles of the row. Particles without a charge are left out of their rows, and rows
//          without charges are passed over. Masks, which keep excluded pairs from the other kernels,
//          keep them here from 1/r only: the parabola and the constant act on them, too. All other
//          forms are r u(r) in polynomials, as potentials/tabulated.hpp has them.
// Source:  reaction field: Tironi et al., J. Chem. Phys. 102, 5451 (1995); of excluded pairs: GROMACS
//          manual, "Coulomb interaction with reaction field"; rows and half lists as in
//          pair_kernels.inl.
// Cost:    that of the Lennard-Jones kernel and a gather, where all particles have charges; of a
//          curve six more.
// Hazards: excluded pairs must be in the list, with masks: rows of one particle have none.
// Others:  the multipole method, which has no cutoff.

#include <utility>

#include "md/forces/pair/charge_work.hpp"
#include "md/neighbors/kernels/rows.inl"
#include "md/simd/elementary.hpp"
#include "md/simd/unrolled.hpp"

namespace sterna::md {
namespace {

template <class Pack>
[[gnu::always_inline]] inline const ChargeConstants<typename Pack::Real>& constants_of(
    const ChargeWork& work) {
  if constexpr (sizeof(typename Pack::Real) == sizeof(double)) {
    return work.in_double;
  } else {
    return work.in_single;
  }
}

/// The charges of as many neighbors as a vector holds.
template <class Pack>
[[gnu::always_inline]] inline Pack charges_of(const typename Pack::Real* charge,
                                              const std::uint32_t* offsets) {
  alignas(64) std::uint32_t places[Pack::width];
  for (int lane = 0; lane < Pack::width; ++lane) {
    places[lane] = offsets[lane] >> RowTraits<Pack>::offset_shift;
  }
  Pack result;
  for (int k = 0; k < registers<Pack>; ++k) {
    part(result, k) = gather(charge, places + k * lanes<typename Pack::Real>);
  }
  return result;
}

/// r u(r) of two charges of 1, and its slope.
template <class Pack>
[[gnu::always_inline]] inline void read_curve(const ChargeCurveTable<typename Pack::Real>& curve,
                                              Pack distance, Pack& value, Pack& slope) {
  using V = VectorOf<Pack>;
  using Real = typename Pack::Real;
  const V zero{}, bend = zero + curve.bend, count = zero + curve.near_intervals;
  const V near_scale = zero + curve.near_scale, far_scale = zero + curve.far_scale;
  for (int k = 0; k < registers<Pack>; ++k) {
    const V r = part(distance, k);
    const V place = smaller(r, bend) * near_scale + larger(r - bend, zero) * far_scale;
    const V interval = whole_part(smaller(place, zero + curve.last_interval));
    const V x = place - interval;
    const auto first = places(Real(6) * interval);
    V a[6];
    for (unsigned n = 0; n < 6; ++n) a[n] = gather_at(curve.polynomials + n, first);
    part(value, k) = a[0] + x * (a[1] + x * (a[2] + x * (a[3] + x * (a[4] + x * a[5]))));
    const V scale = interval < count ? near_scale : far_scale;
    part(slope, k) =
        scale * (a[1] + x * (2 * a[2] + x * (3 * a[3] + x * (4 * a[4] + x * (5 * a[5])))));
  }
}

/// The particles of a row that have a charge, and its entries.
struct ChargedRow {
  std::size_t particle[largest_group];
  int place[largest_group];      ///< in the row; -1 if the row's entries lack them
  int size;                      ///< particles of the row, with or without a charge
  const std::uint32_t* entries;  ///< offsets
  std::size_t count;
  const std::uint16_t* masks;
  std::size_t masked;  ///< number of entries that have masks
};

template <class Pack, bool is_curve, bool with_energy, int members>
void compute_charged_row(PairWork& work, const ChargeConstants<typename Pack::Real>& constants,
                         const Pack step_squared, const ChargedRow& row, Totals& totals) {
  using Real = typename Pack::Real;
  constexpr bool mixed = sizeof(Real) == sizeof(float);
  const Pack cutoff2 = Pack::all(static_cast<double>(constants.cutoff_squared));
  const Pack curvature = Pack::all(static_cast<double>(constants.curvature));
  const Pack slope = curvature + curvature;
  const Pack shift = Pack::all(static_cast<double>(constants.shift));
  typename RowTraits<Pack>::Center center[members];
  Pack charge[members], fx[members], fy[members], fz[members];
  unrolled<members>([&]<int q>() __attribute__((always_inline)) {
    center[q] = typename RowTraits<Pack>::Center(work, row.particle[q]);
    charge[q] = Pack::all(static_cast<double>(constants.charge[row.particle[q]]));
    fx[q] = fy[q] = fz[q] = Pack::zero();
  });
  Pack u = Pack::zero();
  Pack xx = Pack::zero(), yy = Pack::zero(), zz = Pack::zero();
  Pack xy = Pack::zero(), xz = Pack::zero(), yz = Pack::zero();

  // `masked`: some of these neighbors may be excluded, or may be particles of the row.
  const auto act = [&]<bool masked>(std::size_t k) __attribute__((always_inline)) {
    const Pack others = charges_of<Pack>(constants.charge, row.entries + k);
    if ((Pack::bits(Pack::zero() < others) | Pack::bits(others < Pack::zero())) == 0) return;
    const typename RowTraits<Pack>::Neighbors neighbors(work, row.entries + k);
    Pack gx = Pack::zero(), gy = Pack::zero(), gz = Pack::zero(), weight = Pack::zero();
    if constexpr (with_energy) {
      alignas(64) Real weights[Pack::width];
      for (std::size_t lane = 0; lane < static_cast<std::size_t>(Pack::width); ++lane) {
        weights[lane] =
            row.entries[k + lane] >> RowTraits<Pack>::offset_shift < work.whole_below ? 2 : 1;
      }
      weight = Pack::load(weights);
    }
    unrolled<members>([&]<int q>() __attribute__((always_inline)) {
      const Pack dx = RowTraits<Pack>::difference(center[q].x, neighbors.x);
      const Pack dy = RowTraits<Pack>::difference(center[q].y, neighbors.y);
      const Pack dz = RowTraits<Pack>::difference(center[q].z, neighbors.z);
      Pack r2 = Pack::fma(dz, dz, Pack::fma(dy, dy, dx * dx));
      if constexpr (mixed) r2 = r2 * step_squared;
      auto inside = r2 < cutoff2;
      auto charged = inside;
      if constexpr (masked) {
        if (k == 0) {
          // The first neighbors are the row's own particles; count each pair of them once.
          for (int lane = 0; lane <= row.place[q]; ++lane) inside = Pack::without(inside, lane);
        }
        charged = inside;
        if (k < row.masked) {
          const std::size_t mask = k / masked_together * static_cast<std::size_t>(row.size) +
                                   static_cast<std::size_t>(row.place[q]);
          charged = Pack::keep(inside, row.masks[mask] >> k % masked_together);
        }
      }
      Pack inverse, products, force_over_r, energy;
      if constexpr (is_curve) {
        if (!constants.curve.answers_excluded) inside = charged;
        inverse = Pack::inverse_sqrt(inside, r2);
        products = Pack::select(inside, charge[q] * others);
        const Pack r = r2 * inverse;
        Pack value, change;
        read_curve<Pack>(constants.curve, r, value, change);
        if constexpr (masked) {
          value = Pack::blend(charged, value, value - Pack::all(1.0));
        }
        force_over_r = products * inverse * inverse * inverse * Pack::fnma(r, change, value);
        energy = inverse * value;
      } else {
        inverse = Pack::inverse_sqrt(charged, r2);
        products = Pack::select(inside, charge[q] * others);
        force_over_r = products * Pack::fma(inverse * inverse, inverse, Pack::zero() - slope);
        energy = inverse + Pack::fma(curvature, r2, Pack::zero() - shift);
      }
      fx[q] = Pack::fma(force_over_r, dx, fx[q]);
      fy[q] = Pack::fma(force_over_r, dy, fy[q]);
      fz[q] = Pack::fma(force_over_r, dz, fz[q]);
      gx = Pack::fma(force_over_r, dx, gx);
      gy = Pack::fma(force_over_r, dy, gy);
      gz = Pack::fma(force_over_r, dz, gz);
      if constexpr (with_energy) {
        const Pack weighted = products * weight;
        u = Pack::fma(weighted, energy, u);
        force_over_r = force_over_r * weight;
        const Pack px = force_over_r * dx, py = force_over_r * dy;
        xx = Pack::fma(px, dx, xx);
        yy = Pack::fma(py, dy, yy);
        zz = Pack::fma(force_over_r * dz, dz, zz);
        xy = Pack::fma(px, dy, xy);
        xz = Pack::fma(px, dz, xz);
        yz = Pack::fma(py, dz, yz);
      }
    });
    RowTraits<Pack>::subtract(work, row.entries + k, gx, gy, gz);
  };
  std::size_t k = 0;
  const std::size_t looked_at = row.masked > 0 ? row.masked : 1;
  for (; k < row.count && k < looked_at; k += Pack::width) act.template operator()<true>(k);
  for (; k < row.count; k += Pack::width) act.template operator()<false>(k);

  double x[members], y[members], z[members];
  Pack::sums(fx, x);
  Pack::sums(fy, y);
  Pack::sums(fz, z);
  for (int q = 0; q < members; ++q) {
    RowTraits<Pack>::add(work, row.particle[q], x[q], y[q], z[q]);
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

template <class Pack, bool is_curve, bool with_energy>
void compute_charges(PairWork& work, const ChargeWork& charges, const std::uint32_t* cells,
                     std::size_t cell_count) {
  const auto& constants = constants_of<Pack>(charges);
  const double step = sizeof(typename Pack::Real) == sizeof(float) ? work.fixed_scale : 1.0;
  const Pack step_squared = Pack::all(step * step);
  Decoder<Pack> decode(work);
  Totals totals;
  for (std::size_t c = 0; c < cell_count; ++c) {
    const CellRange cell = work.cells[cells[c]];
    decode.go_to_cell(cells[c]);
    const std::uint32_t rows = group_count(cell.count, work.group);
    const std::size_t before = first_row(work, cells[c]);
    const bool group = work.group > 1;
    for (std::uint32_t g = 0; g < rows; ++g) {
      const std::size_t number = before + g;
      const std::size_t first = work.row_begin[number];
      ChargedRow row;
      row.count = work.row_begin[number + 1] - first;
      row.size = group ? static_cast<int>(size_of_group(cell.count, rows, g)) : 1;
      const std::uint32_t* const own =
          group ? decode(first, static_cast<std::size_t>(row.size)) : nullptr;
      int members = 0;
      for (int q = 0; q < row.size; ++q) {
        const std::size_t i = group ? own[q] >> RowTraits<Pack>::offset_shift : number;
        if (constants.charge[i] == 0) continue;
        row.particle[members] = i;
        row.place[members++] = group ? q : -1;
      }
      if (members == 0) continue;
      row.entries = decode(first, row.count);
      row.masks = nullptr;
      row.masked = 0;
      if (work.masks != nullptr) {
        row.masks = work.masks + work.mask_begin[number];
        row.masked = (work.mask_begin[number + 1] - work.mask_begin[number]) /
                     static_cast<std::size_t>(row.size) * masked_together;
      }
      const auto compute = [&]<int size>() {
        compute_charged_row<Pack, is_curve, with_energy, size>(work, constants, step_squared, row,
                                                               totals);
      };
      switch (members) {
        case 1:
          compute.template operator()<1>();
          break;
        case 2:
          compute.template operator()<2>();
          break;
        case 3:
          compute.template operator()<3>();
          break;
        case 4:
          compute.template operator()<4>();
          break;
        default:
          break;
      }
    }
  }
  static_assert(largest_group == 4);
  // Sums were weighted as in full lists, which contain each pair twice.
  work.energy += 0.5 * totals.energy;
  for (int k = 0; k < 6; ++k) work.virial[k] += 0.5 * step * step * totals.virial[k];
}

const ChargeKernels kernels_of_charges{
    STERNA_KERNEL_NAME,
    {{compute_charges<DoublePack, false, false>, compute_charges<DoublePack, false, true>},
     {compute_charges<DoublePack, true, false>, compute_charges<DoublePack, true, true>}},
    {{compute_charges<FloatPack, false, false>, compute_charges<FloatPack, false, true>},
     {compute_charges<FloatPack, true, false>, compute_charges<FloatPack, true, true>}}};

}  // namespace
}  // namespace sterna::md
