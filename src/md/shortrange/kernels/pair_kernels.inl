// The list builder and the Lennard-Jones kernel, written once over DoublePack and FloatPack and
// compiled once for each instruction set (pair_kernels_avx512.cpp and its siblings).
//
// Idea:    full atom lists: the row of a particle holds all its neighbors, so its force is summed
//          in registers and no other force is touched; neighbors come by one aligned load each and
//          a transpose in registers instead of gathers.
// Source:  Verlet, Phys. Rev. 159, 98 (1967), with cells: Quentrec and Brot, J. Comput. Phys. 13,
//          430 (1973); measured against half lists and clusters on the machines we have.
// Cost:    every pair is computed twice; 2 bytes of list per neighbor.
// Hazards: two particles at one point give infinite forces (found by the caller); runs of more
//          than 2047 particles need plain 4-byte entries.
// Others:  cluster lists win at long cutoffs (more than about 100 neighbors), where lanes of a
//          cluster are full.

#include <cmath>

namespace sterna::md {
namespace {

/// u and -u'/r of one pack of pairs; the one place with the physics. `r2` inside the cutoff where
/// the mask is set; lanes outside give 0 in both. Parameters come as the force needs them: 12 c12
/// and 6 c6. `inverse2` is 1/r^2, and 0 outside; `r2` is looked at only where the truncation needs
/// it.
template <int truncation, bool with_energy, class Pack>
inline void lennard_jones(const typename Pack::Mask inside, const Pack inverse2, const Pack r2,
                          const Pack twelve_c12, const Pack six_c6, const Pack energy_shift,
                          const Pack force_shift, const Pack cutoff2, const Pack switch2,
                          const Pack switch_scale, Pack& force_over_r, Pack& energy) {
  const Pack inverse6 = inverse2 * inverse2 * inverse2;
  const Pack r_times_force = inverse6 * Pack::fma(twelve_c12, inverse6, Pack::zero() - six_c6);
  Pack u = Pack::zero();
  if constexpr (with_energy || truncation == 3) {
    u = inverse6 *
        Pack::fma(twelve_c12 * Pack::all(1.0 / 12.0), inverse6, Pack::all(-1.0 / 6.0) * six_c6);
  }
  if constexpr (truncation == 2) {
    const Pack inverse = Pack::sqrt(inverse2);
    force_over_r = Pack::fnma(force_shift, inverse, inverse2 * r_times_force);
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
    force_over_r = Pack::fma(u, ds, inverse2 * r_times_force * s);
    if constexpr (with_energy) energy = u * s;
  } else {
    force_over_r = inverse2 * r_times_force;
    if constexpr (with_energy) energy = u - Pack::select(inside, energy_shift);
  }
}

template <class Pack>
const typename Pack::Real* table(const double* in_double, const float* in_single, std::size_t row) {
  if constexpr (sizeof(typename Pack::Real) == sizeof(double)) {
    return in_double + row;
  } else {
    return in_single + row;
  }
}

template <class Pack, int truncation, bool with_energy, bool single_type, bool compressed>
void compute_cells(PairWork& work, const std::uint32_t* cells, std::size_t cell_count) {
  const Pack cutoff2 = Pack::all(work.cutoff_squared);
  const Pack switch2 = Pack::all(work.switch_start_squared);
  const double range = work.cutoff_squared - work.switch_start_squared;
  // Differences in mixed precision are in steps of the fixed-point grid.
  constexpr bool mixed = sizeof(typename Pack::Real) == sizeof(float);
  const double step = mixed ? work.fixed_scale : 1.0;
  const Pack step_squared = Pack::all(step * step);
  const Pack steps_squared = Pack::all(1.0 / (step * step));
  const Pack cutoff2_in_steps = Pack::all(work.cutoff_squared / (step * step));
  const Pack switch_scale = Pack::all(truncation == 3 ? 1.0 / (range * range * range) : 0.0);
  alignas(64) std::uint32_t decoded[27 * run_length_limit / 8 + 64];
  const std::uint32_t dummy = work.total << Pack::offset_shift;
  double energy_sum = 0.0;
  double virial_sum[6] = {};

  for (std::size_t c = 0; c < cell_count; ++c) {
    const CellRange cell = work.cells[cells[c]];
    if (cell.count == 0) continue;
    alignas(64) std::uint32_t begins[32];
    if constexpr (compressed) gather_begins(work, cells[c], begins);
    const RowDecoder<Pack::offset_shift> decode(begins);

    for (std::uint32_t i = cell.begin; i < cell.begin + cell.count; ++i) {
      const std::size_t first = work.row_begin[i];
      const std::size_t count = work.row_begin[i + 1] - first;
      const std::size_t row = static_cast<std::size_t>(work.position[i].type) *
                              static_cast<std::size_t>(work.type_count);
      const auto* c12_row = table<Pack>(work.twelve_c12, work.twelve_c12_single, row);
      const auto* c6_row = table<Pack>(work.six_c6, work.six_c6_single, row);
      const auto* energy_row = table<Pack>(work.energy_shift, work.energy_shift_single, row);
      const auto* force_row = table<Pack>(work.force_shift, work.force_shift_single, row);
      Pack twelve_c12 = Pack::all(c12_row[0]);
      Pack six_c6 = Pack::all(c6_row[0]);
      Pack energy_shift = Pack::all(energy_row[0]);
      Pack force_shift = Pack::all(force_row[0]);
      const typename Pack::Center center(work, i);
      Pack fx = Pack::zero(), fy = Pack::zero(), fz = Pack::zero();
      Pack u = Pack::zero();
      Pack xx = Pack::zero(), yy = Pack::zero(), zz = Pack::zero();
      Pack xy = Pack::zero(), xz = Pack::zero(), yz = Pack::zero();

      // A row is decoded in pieces that fit the buffer; all but the densest rows are one piece.
      constexpr std::size_t piece = 27 * run_length_limit / 8;
      for (std::size_t start = 0; start < count; start += piece) {
        const std::size_t length = count - start < piece ? count - start : piece;
        if constexpr (compressed) {
          decode(work.compressed + first + start, length, decoded);
        } else {
          for (std::size_t k = 0; k < length; ++k) {
            decoded[k] = work.plain[first + start + k] << Pack::offset_shift;
          }
        }
        // Lanes past the end of the row meet the dummy, which is beyond every cutoff.
        for (int lane = 0; lane < Pack::width; ++lane) {
          decoded[length + static_cast<std::size_t>(lane)] = dummy;
        }
        for (std::size_t k = 0; k < length; k += Pack::width) {
          Pack dx, dy, dz;
          typename Pack::Types types;
          center.template differences<!single_type>(decoded + k, dx, dy, dz, types);
          const Pack in_steps = Pack::fma(dz, dz, Pack::fma(dy, dy, dx * dx));
          const auto inside = in_steps < cutoff2_in_steps;
          const Pack inverse2 = Pack::inverse(inside, in_steps, steps_squared);
          const Pack r2 = mixed ? Pack(in_steps * step_squared) : in_steps;
          if constexpr (!single_type) {
            twelve_c12 = Pack::lookup(c12_row, types);
            six_c6 = Pack::lookup(c6_row, types);
            if constexpr (with_energy) energy_shift = Pack::lookup(energy_row, types);
            if constexpr (truncation == 2) force_shift = Pack::lookup(force_row, types);
          }
          Pack force_over_r, energy;
          lennard_jones<truncation, with_energy>(inside, inverse2, r2, twelve_c12, six_c6,
                                                 energy_shift, force_shift, cutoff2, switch2,
                                                 switch_scale, force_over_r, energy);
          fx = Pack::fma(force_over_r, dx, fx);
          fy = Pack::fma(force_over_r, dy, fy);
          fz = Pack::fma(force_over_r, dz, fz);
          if constexpr (with_energy) {
            const Pack px = force_over_r * dx;
            const Pack py = force_over_r * dy;
            u = u + energy;
            xx = Pack::fma(px, dx, xx);
            yy = Pack::fma(py, dy, yy);
            zz = Pack::fma(force_over_r * dz, dz, zz);
            xy = Pack::fma(px, dy, xy);
            xz = Pack::fma(px, dz, xz);
            yz = Pack::fma(py, dz, yz);
          }
        }
      }
      work.force[i] = {step * fx.sum(), step * fy.sum(), step * fz.sum()};
      if constexpr (with_energy) {
        energy_sum += u.sum();
        virial_sum[0] += xx.sum();
        virial_sum[1] += yy.sum();
        virial_sum[2] += zz.sum();
        virial_sum[3] += xy.sum();
        virial_sum[4] += xz.sum();
        virial_sum[5] += yz.sum();
      }
    }
  }
  // Each pair stands in two rows.
  work.energy += 0.5 * energy_sum;
  for (int k = 0; k < 6; ++k) work.virial[k] += 0.5 * step * step * virial_sum[k];
}

template <class Pack>
void compute(PairWork& work, const std::uint32_t* cells, std::size_t cell_count, int truncation,
             bool with_energy) {
  const auto choose = [&]<int form, bool energy>() {
    const bool single = work.type_count == 1;
    if (work.compressed != nullptr) {
      single ? compute_cells<Pack, form, energy, true, true>(work, cells, cell_count)
             : compute_cells<Pack, form, energy, false, true>(work, cells, cell_count);
    } else {
      single ? compute_cells<Pack, form, energy, true, false>(work, cells, cell_count)
             : compute_cells<Pack, form, energy, false, false>(work, cells, cell_count);
    }
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

/// Bounds of the cells around `cell` whose particles are in the run.
inline CellBounds run_bounds(const PairWork& work, std::size_t cell, const PairRun& run) {
  const std::ptrdiff_t row = work.nx + 2;
  const std::ptrdiff_t plane = row * (work.ny + 2);
  CellBounds bounds = CellBounds::none();
  for (std::ptrdiff_t dz = -1; dz <= 1; ++dz) {
    for (std::ptrdiff_t dy = -1; dy <= 1; ++dy) {
      for (std::ptrdiff_t dx = -1; dx <= 1; ++dx) {
        const std::ptrdiff_t near = static_cast<std::ptrdiff_t>(cell) + dz * plane + dy * row + dx;
        const CellRange& range = work.cells[near];
        // A cell may stand in two runs where it is too full for one.
        if (range.count == 0 || range.begin >= run.begin + run.count ||
            range.begin + range.count <= run.begin) {
          continue;
        }
        bounds.include(work.bounds[near]);
      }
    }
  }
  return bounds;
}

inline float largest(float a, float b) {
  return a > b ? a : b;
}

/// Candidates of a cell's rows, brought together from all runs.
template <class Entry>
struct Candidates {
  static constexpr std::size_t most = 192;
  static constexpr std::size_t slack = FloatPack::width;  ///< copied past the end of a run
  alignas(64) float x[most + slack], y[most + slack], z[most + slack];
  alignas(64) Entry entry[most + slack];
};

/// The rows of a cell with few candidates: in a gas, or where the cutoff is short, runs hold so few
/// that going through them one by one costs more than looking at every candidate. Returns the new
/// `used`. The order of a row is that of build_rows.
template <class Entry>
std::size_t build_rows_of_sparse_cell(PairWork& work, Entry* entries, const CellRange& cell,
                                      const PairRun* runs, int run_count, std::size_t used) {
  constexpr bool compressed = sizeof(Entry) == sizeof(std::uint16_t);
  constexpr auto lanes = static_cast<std::uint32_t>(FloatPack::width);
  const FloatPack radius2 = FloatPack::all(static_cast<double>(work.list_radius_squared));
  Candidates<Entry> near;
  std::uint32_t count = 0, own = 0;
  for (int r = 0; r < run_count; ++r) {
    const std::uint32_t begin = runs[r].begin;
    const std::uint32_t code = compressed ? runs[r].slot << run_offset_bits : begin;
    if (cell.begin - begin < runs[r].count) own = count + cell.begin - begin;
    for (std::uint32_t k = 0; k < runs[r].count; k += lanes) {
      FloatPack::load(work.x + begin + k).store(near.x + count + k);
      FloatPack::load(work.y + begin + k).store(near.y + count + k);
      FloatPack::load(work.z + begin + k).store(near.z + count + k);
      for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        near.entry[count + k + lane] = static_cast<Entry>(code + k + lane);
      }
    }
    count += runs[r].count;
  }
  for (std::uint32_t i = 0; i < cell.count; ++i) {
    const std::uint32_t self = own + i;
    const FloatPack xi = FloatPack::all(static_cast<double>(near.x[self]));
    const FloatPack yi = FloatPack::all(static_cast<double>(near.y[self]));
    const FloatPack zi = FloatPack::all(static_cast<double>(near.z[self]));
    work.row_begin[cell.begin + i] = static_cast<std::uint32_t>(used);
    Entry* out = entries + used;
    for (std::uint32_t k = 0; k < count; k += lanes) {
      const FloatPack dx = FloatPack::load(near.x + k) - xi;
      const FloatPack dy = FloatPack::load(near.y + k) - yi;
      const FloatPack dz = FloatPack::load(near.z + k) - zi;
      const unsigned inside = FloatPack::bits(
          FloatPack(FloatPack::fma(dz, dz, FloatPack::fma(dy, dy, dx * dx))) < radius2);
      const unsigned valid = count - k < lanes ? (1u << (count - k)) - 1u : ~0u;
      const unsigned others = self - k < lanes ? ~(1u << (self - k)) : ~0u;
      out = append(out, inside & valid & others, near.entry + k);
    }
    used = static_cast<std::size_t>(out - entries);
    work.row_begin[cell.begin + i + 1] = static_cast<std::uint32_t>(used);
  }
  return used;
}

/// Rows of one cell after the other, some at a time, which share the loads of their candidates.
/// Expects the particles of a run in ascending order of x, or of upright x.
template <class Entry>
std::size_t build_rows(PairWork& work, Entry* entries, const std::uint32_t* cells,
                       std::size_t cell_count, std::size_t used, std::size_t capacity) {
  constexpr bool compressed = sizeof(Entry) == sizeof(std::uint16_t);
  const FloatPack radius2 = FloatPack::all(static_cast<double>(work.list_radius_squared));
  const float radius2_scalar = work.list_radius_squared;
  const bool sheared = work.upright_x != nullptr;
  const float* const along = sheared ? work.upright_x : work.x;
  const float radius = sheared ? work.upright_reach : work.list_radius;
  constexpr auto lanes = static_cast<std::uint32_t>(FloatPack::width);
  const std::size_t scratch_stride = work.row_scratch_stride;
  Entry* const scratch = reinterpret_cast<Entry*>(work.row_scratch);
  for (std::size_t c = 0; c < cell_count; ++c) {
    const CellRange cell = work.cells[cells[c]];
    if (cell.count == 0) continue;
    PairRun runs[27];
    const int run_count =
        gather_runs(work, cells[c], runs, compressed ? run_length_limit - 1 : ~std::uint32_t{0});
    std::size_t candidates = 0;
    for (int r = 0; r < run_count; ++r) candidates += runs[r].count;
    if (used + cell.count * (candidates + 64) > capacity) return ~std::size_t{0};
    if (candidates <= Candidates<Entry>::most) {
      used = build_rows_of_sparse_cell(work, entries, cell, runs, run_count, used);
      continue;
    }

    // Rows skip runs that are too far in y and z. Along x particles are sorted, so of the others
    // they look at a window, which moves on with the rows.
    alignas(64) float y_low[32], y_high[32], z_low[32], z_high[32];
    std::uint32_t window[27];
    for (int r = 0; r < run_count; ++r) {
      const CellBounds bounds = run_bounds(work, cells[c], runs[r]);
      y_low[r] = bounds.y_low;
      y_high[r] = bounds.y_high;
      z_low[r] = bounds.z_low;
      z_high[r] = bounds.z_high;
      window[r] = 0;
    }
    for (int r = run_count; r < 32; ++r) y_low[r] = y_high[r] = z_low[r] = z_high[r] = 3.0e18f;
    for (std::uint32_t i = cell.begin; i < cell.begin + cell.count; i += rows_together) {
      const std::uint32_t rows =
          cell.begin + cell.count - i < rows_together ? cell.begin + cell.count - i : rows_together;
      FloatPack xi[rows_together], yi[rows_together], zi[rows_together];
      Entry* out[rows_together];
      // How far a run's particles can be along x and yet near one of the rows; 0 or less: nowhere.
      alignas(64) float left[32] = {};
      for (std::uint32_t q = 0; q < rows_together; ++q) {
        // Rows beyond the cell's end repeat its last and are thrown away.
        const std::uint32_t particle = i + (q < rows ? q : rows - 1);
        const float ys = work.y[particle], zs = work.z[particle];
        xi[q] = FloatPack::all(static_cast<double>(work.x[particle]));
        yi[q] = FloatPack::all(static_cast<double>(ys));
        zi[q] = FloatPack::all(static_cast<double>(zs));
        out[q] = scratch + q * scratch_stride;
        for (int r = 0; r < 32; ++r) {
          const float y_gap = largest(0.0f, largest(y_low[r] - ys, ys - y_high[r]));
          const float z_gap = largest(0.0f, largest(z_low[r] - zs, zs - z_high[r]));
          left[r] = largest(left[r], radius2_scalar - y_gap * y_gap - z_gap * z_gap);
        }
      }
      const float x_low = along[i], x_high = along[i + rows - 1];
      alignas(64) float reach[32];
      for (int r = 0; r < 32; ++r) reach[r] = sheared ? radius : std::sqrt(left[r]) * 1.0001f;

      for (int r = 0; r < run_count; ++r) {
        if (left[r] <= 0.0f) continue;
        const std::uint32_t begin = runs[r].begin;
        const std::uint32_t count = runs[r].count;
        std::uint32_t first = window[r];
        while (first + lanes < count && along[begin + first + lanes - 1] < x_low - radius) {
          first += lanes;
        }
        window[r] = first;
        while (first + lanes < count && along[begin + first + lanes - 1] < x_low - reach[r]) {
          first += lanes;
        }
        const std::uint32_t code = compressed ? runs[r].slot << run_offset_bits : begin;
        for (std::uint32_t k = first; k < count && along[begin + k] <= x_high + reach[r];
             k += lanes) {
          const std::uint32_t j = begin + k;
          const FloatPack x = FloatPack::load(work.x + j);
          const FloatPack y = FloatPack::load(work.y + j);
          const FloatPack z = FloatPack::load(work.z + j);
          const unsigned valid = count - k < lanes ? (1u << (count - k)) - 1u : ~0u;
          for (std::uint32_t q = 0; q < rows_together; ++q) {
            const FloatPack dx = x - xi[q];
            const FloatPack dy = y - yi[q];
            const FloatPack dz = z - zi[q];
            const unsigned near = FloatPack::bits(
                FloatPack(FloatPack::fma(dz, dz, FloatPack::fma(dy, dy, dx * dx))) < radius2);
            const std::uint32_t self = i + q - j;
            const unsigned others = self < lanes ? ~(1u << self) : ~0u;
            out[q] = append(out[q], near & valid & others, code + k);
          }
        }
      }
      for (std::uint32_t q = 0; q < rows; ++q) {
        const Entry* const row = scratch + q * scratch_stride;
        const auto length = static_cast<std::size_t>(out[q] - row);
        __builtin_memcpy(entries + used, row, length * sizeof(Entry));
        work.row_begin[i + q] = static_cast<std::uint32_t>(used);
        used += length;
        work.row_begin[i + q + 1] = static_cast<std::uint32_t>(used);
      }
    }
  }
  return used;
}

std::size_t build(PairWork& work, const std::uint32_t* cells, std::size_t cell_count,
                  std::size_t used, std::size_t capacity) {
  return work.compressed != nullptr
             ? build_rows(work, work.compressed, cells, cell_count, used, capacity)
             : build_rows(work, work.plain, cells, cell_count, used, capacity);
}

void to_fixed(PairWork& work, std::size_t begin, std::size_t end, const Vec3& center) {
  const double steps = 1.0 / work.fixed_scale;
#ifdef __AVX2__
  const __m256d centers = _mm256_setr_pd(center.x, center.y, center.z, 0.0);
  const __m256d scale = _mm256_set1_pd(steps);
  for (std::size_t i = begin; i < end; ++i) {
    const __m256d p = _mm256_load_pd(&work.position[i].x);
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

const PairKernels kernels{STERNA_KERNEL_NAME, build, compute<DoublePack>, compute<FloatPack>,
                          to_fixed};

}  // namespace
}  // namespace sterna::md
