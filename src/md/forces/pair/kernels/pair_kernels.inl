// The Lennard-Jones kernel, written once over DoublePack and FloatPack and, with the list builder,
// compiled once for each instruction set (pair_kernels_avx512.cpp and its siblings).
//
// Idea:    neighbors are loaded by one aligned load each and transposed in registers, without
//          gathers. Some particles close to each other share a row, and so the loads, the transpose
//          and the memory of the list. Lists are half: each pair is computed once. The forces on
//          the neighbors are transposed back and subtracted from forces in memory, once for all
//          particles of the row.
// Source:  Verlet, Phys. Rev. 159, 98 (1967), with cells: Quentrec and Brot, J. Comput. Phys. 13,
//          430 (1973); sharing: Pall and Hess, Comput. Phys. Commun. 184, 2641 (2013), whose
//          clusters are used on one side of a pair only.
// Cost:    besides the pairs, another transpose for each vector of neighbors, and their forces in
//          memory. In a liquid, a row of four particles holds 1.7 times as many neighbors as a row
//          of one.
// Hazards: two particles at one point give infinite forces (the caller finds them); cells of more
//          than 2046 particles need plain 4-byte entries; full lists would count pairs twice (the
//          caller refuses them).
// Others:  clusters on both sides of a pair, for long cutoffs (more than about 100 neighbors),
//          which fill their lanes.

#include "md/neighbors/kernels/list_builder.inl"
#include "md/simd/unrolled.hpp"

namespace sterna::md {
namespace {

/// u and -u'/r of one pack of pairs; the physics is only here. The mask is set in lanes within the
/// cutoff; other lanes give 0 in both. Parameters are 12 c12 and 6 c6, as the force needs them.
/// `inverse2` is 1/r^2, and 0 in other lanes; `r2` is read only if the truncation needs it.
template <int truncation, bool with_energy, class Pack>
inline void lennard_jones(const typename Pack::Mask inside, const Pack inverse2, const Pack r2,
                          const Pack twelve_c12, const Pack six_c6, const Pack energy_shift,
                          const Pack force_shift, const Pack cutoff2, const Pack switch2,
                          const Pack switch_scale, Pack& force_over_r, Pack& energy) {
  // The eighth power is computed besides the sixth, so that neither waits for the other.
  const Pack inverse4 = inverse2 * inverse2;
  const Pack inverse6 = inverse4 * inverse2;
  const Pack truncated =
      inverse4 * inverse4 * Pack::fma(twelve_c12, inverse6, Pack::zero() - six_c6);
  Pack u = Pack::zero();
  if constexpr (with_energy || truncation == 3) {
    u = inverse6 *
        Pack::fma(twelve_c12 * Pack::all(1.0 / 12.0), inverse6, Pack::all(-1.0 / 6.0) * six_c6);
  }
  if constexpr (truncation == 2) {
    const Pack inverse = Pack::sqrt(inverse2);
    force_over_r = Pack::fnma(force_shift, inverse, truncated);
    if constexpr (with_energy) {
      energy = u - Pack::select(inside, energy_shift - force_shift * (r2 * inverse));
    }
  } else if constexpr (truncation == 3) {
    const auto unswitched = r2 < switch2;
    const Pack gap = cutoff2 - r2;
    const Pack smooth =
        gap * gap * (cutoff2 + Pack::all(2.0) * r2 - Pack::all(3.0) * switch2) * switch_scale;
    // -S'/r
    const Pack slope = Pack::all(12.0) * gap * (r2 - switch2) * switch_scale;
    const Pack s = Pack::blend(unswitched, Pack::all(1.0), smooth);
    const Pack ds = Pack::blend(unswitched, Pack::zero(), slope);
    force_over_r = Pack::fma(u, ds, truncated * s);
    if constexpr (with_energy) energy = u * s;
  } else {
    force_over_r = truncated;
    if constexpr (with_energy) energy = u - Pack::select(inside, energy_shift);
  }
}

/// Constants of the kernels, the same for all rows.
template <class Pack>
struct Constants {
  // In mixed precision, differences of positions are in steps of the fixed-point grid.
  static constexpr bool mixed = sizeof(typename Pack::Real) == sizeof(float);
  double step;
  Pack cutoff2, switch2, switch_scale, step_squared, steps_squared, cutoff2_in_steps;
  explicit Constants(const PairWork& work)
      : step(mixed ? work.fixed_scale : 1.0),
        cutoff2(Pack::all(work.cutoff_squared)),
        switch2(Pack::all(work.switch_start_squared)),
        step_squared(Pack::all(step * step)),
        steps_squared(Pack::all(1.0 / (step * step))),
        cutoff2_in_steps(Pack::all(work.cutoff_squared / (step * step))) {
    const double range = work.cutoff_squared - work.switch_start_squared;
    switch_scale = Pack::all(range > 0.0 ? 1.0 / (range * range * range) : 0.0);
  }
};

/// The parameters of one particle's pairs, indexed by the type of the other particle.
template <class Pack>
struct ParameterRows {
  using Real = typename Pack::Real;
  const Real *twelve_c12, *six_c6, *energy_shift, *force_shift;
  ParameterRows(const PairWork& work, std::size_t i, bool single_type) {
    constexpr bool mixed = sizeof(Real) == sizeof(float);
    std::size_t row = 0;
    // In mixed precision, the double-precision positions are not in the near caches.
    if (!single_type) {
      row = static_cast<std::size_t>(mixed ? work.fixed_position[i].type : work.position[i].type) *
            static_cast<std::size_t>(work.type_count);
    }
    if constexpr (!mixed) {
      twelve_c12 = work.twelve_c12 + row;
      six_c6 = work.six_c6 + row;
      energy_shift = work.energy_shift + row;
      force_shift = work.force_shift + row;
    } else {
      twelve_c12 = work.twelve_c12_single + row;
      six_c6 = work.six_c6_single + row;
      energy_shift = work.energy_shift_single + row;
      force_shift = work.force_shift_single + row;
    }
  }
};

/// The particles at the begin of a row: none (a row of one particle), the particles of the group,
/// or the particles of a group with masks.
enum class Members { none, group, masked };

/// Computes the forces of a row: `size` particles from place `row` on, and `count` entries from
/// `first` on.
template <class Pack, int truncation, bool with_energy, bool single_type, Members members, int size>
void compute_row(PairWork& work, const Constants<Pack>& constants, Decoder<Pack>& decode,
                 std::size_t first, std::size_t count, std::size_t row, Totals& totals) {
  const Constants<Pack> c = constants;
  const std::uint32_t* const entries = decode(first, count);

  std::size_t particle[size];
  typename RowTraits<Pack>::Center center[size];
  Pack fx[size], fy[size], fz[size];
  const typename Pack::Real *c12_row[size], *c6_row[size], *energy_row[size], *force_row[size];
  for (int q = 0; q < size; ++q)
    particle[q] = members == Members::none ? row : entries[q] >> RowTraits<Pack>::offset_shift;
  unrolled<size>([&]<int q>() __attribute__((always_inline)) {
    center[q] = typename RowTraits<Pack>::Center(work, particle[q]);
    fx[q] = fy[q] = fz[q] = Pack::zero();
    const ParameterRows<Pack> rows(work, particle[q], single_type);
    c12_row[q] = rows.twelve_c12;
    c6_row[q] = rows.six_c6;
    energy_row[q] = rows.energy_shift;
    force_row[q] = rows.force_shift;
  });
  Pack twelve_c12 = Pack::all(c12_row[0][0]);
  Pack six_c6 = Pack::all(c6_row[0][0]);
  Pack energy_shift = Pack::all(energy_row[0][0]);
  Pack force_shift = Pack::all(force_row[0][0]);
  Pack u = Pack::zero();
  Pack xx = Pack::zero(), yy = Pack::zero(), zz = Pack::zero();
  Pack xy = Pack::zero(), xz = Pack::zero(), yz = Pack::zero();

  // The forces of the row on a vector of neighbors, with the sign of the row's forces, and how
  // often each of these neighbors would be in full lists of this rank.
  Pack gx = Pack::zero(), gy = Pack::zero(), gz = Pack::zero(), weight = Pack::zero();
  // Each particle of the row meets a vector of neighbors in two phases: `approach` computes
  // distances, `act` computes forces. `act` for one vector is interleaved with `approach` to the
  // next, so that hardly any operation directly follows one that it waits for, such as a division.
  Pack dx[size], dy[size], dz[size], in_steps[size], inverse2[size];
  typename Pack::Mask inside[size];
  typename Pack::Indices types;
  // `kept` is the mask of neighbors that count, if there are masks. In a group without masks, the
  // first neighbors are the particles themselves.
  const auto approach = [&]<int q, Members among>(
      const typename RowTraits<Pack>::Neighbors& neighbors, [[maybe_unused]] unsigned kept = 0)
      __attribute__((always_inline)) {
    dx[q] = RowTraits<Pack>::difference(center[q].x, neighbors.x);
    dy[q] = RowTraits<Pack>::difference(center[q].y, neighbors.y);
    dz[q] = RowTraits<Pack>::difference(center[q].z, neighbors.z);
    in_steps[q] = Pack::fma(dz[q], dz[q], Pack::fma(dy[q], dy[q], dx[q] * dx[q]));
    inside[q] = in_steps[q] < c.cutoff2_in_steps;
    if constexpr (among == Members::masked) {
      inside[q] = Pack::keep(inside[q], kept);
    } else if constexpr (among == Members::group) {
      // Count each pair within the row once.
      for (int lane = 0; lane <= q; ++lane) inside[q] = Pack::without(inside[q], lane);
    }
    // Rows of two particles are mostly used on processors that execute a vector in two halves.
    // There multiplications are the bottleneck, and a division overlaps with them.
    inverse2[q] = size == 2 ? divided_inverse<Pack>(inside[q], in_steps[q], c.steps_squared)
                            : Pack::inverse(inside[q], in_steps[q], c.steps_squared);
  };
  const auto act = [&]<int q>() __attribute__((always_inline)) {
    const Pack r2 = Constants<Pack>::mixed ? Pack(in_steps[q] * c.step_squared) : in_steps[q];
    if constexpr (!single_type) {
      twelve_c12 = Pack::lookup(c12_row[q], work.type_count, types);
      six_c6 = Pack::lookup(c6_row[q], work.type_count, types);
      if constexpr (with_energy) {
        energy_shift = Pack::lookup(energy_row[q], work.type_count, types);
      }
      if constexpr (truncation == 2) {
        force_shift = Pack::lookup(force_row[q], work.type_count, types);
      }
    }
    Pack force_over_r, energy;
    lennard_jones<truncation, with_energy>(inside[q], inverse2[q], r2, twelve_c12, six_c6,
                                           energy_shift, force_shift, c.cutoff2, c.switch2,
                                           c.switch_scale, force_over_r, energy);
    fx[q] = Pack::fma(force_over_r, dx[q], fx[q]);
    fy[q] = Pack::fma(force_over_r, dy[q], fy[q]);
    fz[q] = Pack::fma(force_over_r, dz[q], fz[q]);
    gx = q == 0 ? force_over_r * dx[q] : Pack::fma(force_over_r, dx[q], gx);
    gy = q == 0 ? force_over_r * dy[q] : Pack::fma(force_over_r, dy[q], gy);
    gz = q == 0 ? force_over_r * dz[q] : Pack::fma(force_over_r, dz[q], gz);
    if constexpr (with_energy) {
      energy = energy * weight;
      force_over_r = force_over_r * weight;
      const Pack px = force_over_r * dx[q];
      const Pack py = force_over_r * dy[q];
      u = u + energy;
      xx = Pack::fma(px, dx[q], xx);
      yy = Pack::fma(py, dy[q], yy);
      zz = Pack::fma(force_over_r * dz[q], dz[q], zz);
      xy = Pack::fma(px, dy[q], xy);
      xz = Pack::fma(px, dz[q], xz);
      yz = Pack::fma(py, dz[q], yz);
    }
  };
  const auto approach_all = [&]<Members among>(const typename RowTraits<Pack>::Neighbors& neighbors)
      __attribute__((always_inline)) {
    unrolled<size>([&]<int q>() __attribute__((always_inline)) {
      approach.template operator()<q, among>(neighbors);
    });
    types = neighbors.types;
  };
  const auto act_all = [&]() __attribute__((always_inline)) {
    unrolled<size>([&]<int q>() __attribute__((always_inline)) { act.template operator()<q>(); });
  };
  const auto react = [&](const std::uint32_t* neighbors) __attribute__((always_inline)) {
    RowTraits<Pack>::subtract(work, neighbors, gx, gy, gz);
  };
  const auto weigh = [&](const std::uint32_t* neighbors) __attribute__((always_inline)) {
    if constexpr (with_energy) {
      alignas(64) typename Pack::Real weights[Pack::width];
      for (int lane = 0; lane < Pack::width; ++lane) {
        weights[lane] = neighbors[lane] >> RowTraits<Pack>::offset_shift < work.whole_below ? 2 : 1;
      }
      weight = Pack::load(weights);
    }
  };
  std::size_t k = 0;
  if constexpr (members == Members::masked) {
    const std::uint16_t* masks = work.masks + work.mask_begin[row];
    const std::uint16_t* const end = work.masks + work.mask_begin[row + 1];
    for (; masks != end; masks += size) {
      for (unsigned lane = 0; lane < masked_together && k < count; lane += Pack::width) {
        const typename RowTraits<Pack>::Neighbors neighbors(work, entries + k);
        weigh(entries + k);
        unrolled<size>([&]<int q>() __attribute__((always_inline)) {
          approach.template operator()<q, Members::masked>(neighbors, masks[q] >> lane);
        });
        types = neighbors.types;
        act_all();
        react(entries + k);
        k += Pack::width;
      }
    }
  }
  if (members != Members::masked || k < count) {
    weigh(entries + k);
    approach_all.template operator()<members == Members::group ? members : Members::none>(
        typename RowTraits<Pack>::Neighbors(work, entries + k));
    k += Pack::width;
    if constexpr (RowTraits<Pack>::overlap == Overlap::arithmetic) {
      for (; k < count; k += Pack::width) {
        const typename RowTraits<Pack>::Neighbors next(work, entries + k);
        unrolled<size>([&]<int q>() __attribute__((always_inline)) {
          act.template operator()<q>();
          approach.template operator()<q, Members::none>(next);
        });
        types = next.types;
        react(entries + k - Pack::width);
        weigh(entries + k);
      }
      act_all();
      react(entries + k - Pack::width);
    } else if constexpr (RowTraits<Pack>::overlap == Overlap::loads) {
      act_all();
      react(entries + k - Pack::width);
      typename RowTraits<Pack>::Neighbors next(work, entries + k);
      for (; k < count; k += Pack::width) {
        const typename RowTraits<Pack>::Neighbors now = next;
        next = typename RowTraits<Pack>::Neighbors(work, entries + k + Pack::width);
        weigh(entries + k);
        approach_all.template operator()<Members::none>(now);
        act_all();
        react(entries + k);
      }
    } else {
      act_all();
      react(entries + k - Pack::width);
      for (; k < count; k += Pack::width) {
        weigh(entries + k);
        approach_all.template operator()<Members::none>(
            typename RowTraits<Pack>::Neighbors(work, entries + k));
        act_all();
        react(entries + k);
      }
    }
  }
  double x[size], y[size], z[size];
  Pack::sums(fx, x);
  Pack::sums(fy, y);
  Pack::sums(fz, z);
  for (int q = 0; q < size; ++q) {
    RowTraits<Pack>::add(work, particle[q], x[q], y[q], z[q]);
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

template <class Pack, int truncation, bool with_energy, bool single_type, bool masked>
void compute_cells(PairWork& work, const std::uint32_t* cells, std::size_t cell_count) {
  const Constants<Pack> constants(work);
  Decoder<Pack> decode(work);
  Totals totals;
  for (std::size_t c = 0; c < cell_count; ++c) {
    const CellRange cell = work.cells[cells[c]];
    decode.go_to_cell(cells[c]);
    if (c + 1 < cell_count) fetch_cell<Pack>(work, cells[c + 1]);
    const std::uint32_t rows = group_count(cell.count, work.group);
    const std::size_t before = first_row(work, cells[c]);
    // The same sizes as `size_of_group`, without a division per row.
    const std::uint32_t smallest = cell.count / rows, larger_ones = cell.count % rows;
    for (std::uint32_t g = 0; g < rows; ++g) {
      const std::size_t row = before + g;
      const std::size_t first = work.row_begin[row], count = work.row_begin[row + 1] - first;
      const auto compute = [&]<Members members, int size>() {
        compute_row<Pack, truncation, with_energy, single_type, members, size>(
            work, constants, decode, first, count, row, totals);
      };
      if (!masked && work.group == 1) {
        compute.template operator()<Members::none, 1>();
      } else {
        constexpr Members members = masked ? Members::masked : Members::group;
        with_size<largest_group>(smallest + (g < larger_ones ? 1 : 0),
                                 [&]<int size>() { compute.template operator()<members, size>(); });
      }
    }
  }
  // Sums were weighted as in full lists, which contain each pair twice.
  work.energy += 0.5 * totals.energy;
  for (int k = 0; k < 6; ++k) {
    work.virial[k] += 0.5 * constants.step * constants.step * totals.virial[k];
  }
}

/// Whether runs with one type have code without table lookups. By measurement it is 3 to 25 %
/// faster, except in single precision in wide registers, where it is 3 % slower. Energies of rare
/// truncations do not have it.
template <class Pack, int truncation, bool with_energy>
constexpr bool has_code_of_one_type =
    vector_bytes == 64 ? !Constants<Pack>::mixed && !with_energy : truncation == 0 || !with_energy;

template <class Pack>
void compute(PairWork& work, const std::uint32_t* cells, std::size_t cell_count, int truncation,
             bool with_energy) {
  const auto choose = [&]<int form, bool energy>() {
    if (work.masks != nullptr) {
      return compute_cells<Pack, form, energy, false, true>(work, cells, cell_count);
    }
    if constexpr (has_code_of_one_type<Pack, form, energy>) {
      if (work.type_count == 1) {
        return compute_cells<Pack, form, energy, true, false>(work, cells, cell_count);
      }
    }
    compute_cells<Pack, form, energy, false, false>(work, cells, cell_count);
  };
  const auto choose_energy = [&]<int form>() {
    with_energy ? choose.template operator()<form, true>()
                : choose.template operator()<form, false>();
  };
  switch (truncation) {
    case 2:
      return choose_energy.template operator()<2>();
    case 3:
      return choose_energy.template operator()<3>();
    default:
      return choose_energy.template operator()<0>();
  }
}

void collect(PairWork& work, std::size_t begin, std::size_t end) {
  const double step = work.fixed_scale;
  std::size_t i = begin;
#ifdef __AVX2__
  const __m256d scale = _mm256_set1_pd(step);
  for (; i + 4 <= end; i += 4) {
    float* const collected = &work.collected[i].x;
    double* const force = &work.force[i].x;
    const __m128 a = _mm_load_ps(collected), b = _mm_load_ps(collected + 4);
    const __m128 c = _mm_load_ps(collected + 8), d = _mm_load_ps(collected + 12);
    const __m128 packed[3] = {
        _mm_insert_ps(a, b, 0x30), _mm_shuffle_ps(b, c, _MM_SHUFFLE(1, 0, 2, 1)),
        _mm_insert_ps(_mm_shuffle_ps(d, d, _MM_SHUFFLE(2, 1, 0, 0)), c, 0x80)};
    for (int k = 0; k < 3; ++k) {
      _mm256_storeu_pd(force + 4 * k, _mm256_mul_pd(scale, _mm256_cvtps_pd(packed[k])));
    }
    for (int k = 0; k < 4; ++k) _mm_store_ps(collected + 4 * k, _mm_setzero_ps());
  }
#endif
  for (; i < end; ++i) {
    SingleForce& f = work.collected[i];
    work.force[i] = {step * static_cast<double>(f.x), step * static_cast<double>(f.y),
                     step * static_cast<double>(f.z)};
    f = {};
  }
}

void to_fixed(PairWork& work, std::size_t begin, std::size_t end, const Vec3& center) {
  const double steps = 1.0 / work.fixed_scale;
#ifdef __AVX2__
  const __m256d centers = _mm256_setr_pd(center.x, center.y, center.z, 0.0);
  const __m256d scale = _mm256_set1_pd(steps);
  for (std::size_t i = begin; i < end; ++i) {
    // The type as a double would be denormal, which slows arithmetic on Intel processors.
    const __m256d p =
        _mm256_blend_pd(_mm256_load_pd(&work.position[i].x), _mm256_setzero_pd(), 0b1000);
    const __m128i xyz = _mm256_cvttpd_epi32(_mm256_mul_pd(_mm256_sub_pd(p, centers), scale));
    const int type = static_cast<int>(work.position[i].type);
    _mm_store_si128(reinterpret_cast<__m128i*>(work.fixed_position + i),
                    _mm_insert_epi32(xyz, type, 3));
  }
#else
  for (std::size_t i = begin; i < end; ++i) {
    const Position& p = work.position[i];
    work.fixed_position[i] = {static_cast<std::int32_t>((p.x - center.x) * steps),
                              static_cast<std::int32_t>((p.y - center.y) * steps),
                              static_cast<std::int32_t>((p.z - center.z) * steps),
                              static_cast<std::int32_t>(p.type)};
  }
#endif
}

const PairKernels kernels{STERNA_KERNEL_NAME,
                          build,
                          square_displacements,
                          select_far,
                          decode,
                          select_marked,
                          compute<DoublePack>,
                          compute<FloatPack>,
                          collect,
                          to_fixed};

}  // namespace
}  // namespace sterna::md
