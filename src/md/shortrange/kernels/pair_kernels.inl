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

namespace sterna::md {
namespace {

/// u and -u'/r of one pack of pairs; the one place with the physics. `r2` inside the cutoff where
/// the mask is set; lanes outside give 0 in both.
template <int truncation, bool with_energy, class Pack>
inline void lennard_jones(const typename Pack::Mask inside, const Pack r2, const Pack c12,
                          const Pack c6, const Pack energy_shift, const Pack force_shift,
                          const Pack cutoff2, const Pack switch2, const Pack switch_scale,
                          Pack& force_over_r, Pack& energy) {
  const Pack inverse2 = Pack::inverse(inside, r2);
  const Pack inverse6 = inverse2 * inverse2 * inverse2;
  const Pack repulsion = c12 * inverse6;
  // 12 c12/r^12 - 6 c6/r^6; 6 c6 leaves the loop.
  const Pack r_times_force = inverse6 * Pack::fma(Pack::all(12.0), repulsion, Pack::all(-6.0) * c6);
  if constexpr (truncation == 2) {
    const Pack inverse = Pack::sqrt(inverse2);
    force_over_r = Pack::fnma(force_shift, inverse, inverse2 * r_times_force);
    if constexpr (with_energy) {
      energy = inverse6 * (repulsion - c6) -
               Pack::select(inside, energy_shift - force_shift * (r2 * inverse));
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
    const Pack u = inverse6 * (repulsion - c6);
    force_over_r = Pack::fma(u, ds, inverse2 * r_times_force * s);
    if constexpr (with_energy) energy = u * s;
  } else {
    force_over_r = inverse2 * r_times_force;
    if constexpr (with_energy) {
      energy = inverse6 * (repulsion - c6) - Pack::select(inside, energy_shift);
    }
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
  const Pack switch_scale = Pack::all(truncation == 3 ? 1.0 / (range * range * range) : 0.0);
  alignas(64) std::uint32_t decoded[27 * run_length_limit / 8 + 64];
  double energy_sum = 0.0;
  double virial_sum[6] = {};

  for (std::size_t c = 0; c < cell_count; ++c) {
    const CellRange cell = work.cells[cells[c]];
    if (cell.count == 0) continue;
    PairRun runs[27];
    std::uint32_t begins[32] = {};
    if constexpr (compressed) {
      const int run_count = gather_runs(work, cells[c], runs, run_length_limit - 1);
      for (int r = 0; r < run_count; ++r) begins[r] = runs[r].begin;
      begins[31] = work.total;
    }
    const RowDecoder decode(begins);

    for (std::uint32_t i = cell.begin; i < cell.begin + cell.count; ++i) {
      const std::size_t first = std::size_t{work.row_begin[i]} * row_granularity;
      const std::size_t count = std::size_t{work.row_begin[i + 1]} * row_granularity - first;
      const std::size_t row = static_cast<std::size_t>(work.position[i].type) *
                              static_cast<std::size_t>(work.type_count);
      const auto* c12_row = table<Pack>(work.c12, work.c12_single, row);
      const auto* c6_row = table<Pack>(work.c6, work.c6_single, row);
      const auto* energy_row = table<Pack>(work.energy_shift, work.energy_shift_single, row);
      const auto* force_row = table<Pack>(work.force_shift, work.force_shift_single, row);
      Pack c12 = Pack::all(c12_row[0]);
      Pack c6 = Pack::all(c6_row[0]);
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
        const std::uint32_t* indices;
        if constexpr (compressed) {
          decode(work.compressed + first + start, length, decoded);
          indices = decoded;
        } else {
          indices = work.plain + first + start;
        }
        for (std::size_t k = 0; k < length; k += Pack::width) {
          Pack dx, dy, dz;
          typename Pack::Types types;
          center.template differences<!single_type>(indices + k, dx, dy, dz, types);
          const Pack r2 = Pack::fma(dz, dz, Pack::fma(dy, dy, dx * dx));
          const auto inside = r2 < cutoff2;
          if constexpr (!single_type) {
            c12 = Pack::lookup(c12_row, types);
            c6 = Pack::lookup(c6_row, types);
            if constexpr (with_energy) energy_shift = Pack::lookup(energy_row, types);
            if constexpr (truncation == 2) force_shift = Pack::lookup(force_row, types);
          }
          Pack force_over_r, energy;
          lennard_jones<truncation, with_energy>(inside, r2, c12, c6, energy_shift, force_shift,
                                                 cutoff2, switch2, switch_scale, force_over_r,
                                                 energy);
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
      work.force[i] = {fx.sum(), fy.sum(), fz.sum()};
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
  for (int k = 0; k < 6; ++k) work.virial[k] += 0.5 * virial_sum[k];
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

inline float largest(float a, float b) {
  return a > b ? a : b;
}

/// Rows of one cell after the other. Expects the particles of a run in ascending order of x.
template <class Entry>
std::size_t build_rows(PairWork& work, Entry* entries, const std::uint32_t* cells,
                       std::size_t cell_count, std::size_t used, std::size_t capacity) {
  constexpr bool compressed = sizeof(Entry) == sizeof(std::uint16_t);
  const Entry padding =
      compressed ? static_cast<Entry>(padding_entry) : static_cast<Entry>(work.total);
  const FloatPack radius2 = FloatPack::all(static_cast<double>(work.list_radius_squared));
  const float radius2_scalar = work.list_radius_squared;
  const float radius = work.list_radius;
  for (std::size_t c = 0; c < cell_count; ++c) {
    const CellRange cell = work.cells[cells[c]];
    if (cell.count == 0) continue;
    PairRun runs[27];
    const int run_count =
        gather_runs(work, cells[c], runs, compressed ? run_length_limit - 1 : ~std::uint32_t{0});
    std::size_t candidates = 0;
    for (int r = 0; r < run_count; ++r) candidates += runs[r].count;
    if (used + cell.count * (candidates + 64) > capacity) return ~std::size_t{0};

    // Bounds of each run across x: rows skip runs that are too far in y and z. Along x particles
    // are sorted, so of the others they look at a window, which moves on with the rows.
    alignas(64) float y_low[32], y_high[32], z_low[32], z_high[32];
    std::uint32_t window[27];
    for (int r = 0; r < 32; ++r) y_low[r] = y_high[r] = z_low[r] = z_high[r] = 3.0e18f;
    for (int r = 0; r < run_count; ++r) {
      y_low[r] = z_low[r] = 3.0e18f;
      y_high[r] = z_high[r] = -3.0e18f;
      for (std::uint32_t j = runs[r].begin; j < runs[r].begin + runs[r].count; ++j) {
        y_low[r] = work.y[j] < y_low[r] ? work.y[j] : y_low[r];
        y_high[r] = work.y[j] > y_high[r] ? work.y[j] : y_high[r];
        z_low[r] = work.z[j] < z_low[r] ? work.z[j] : z_low[r];
        z_high[r] = work.z[j] > z_high[r] ? work.z[j] : z_high[r];
      }
      window[r] = 0;
    }
    for (std::uint32_t i = cell.begin; i < cell.begin + cell.count; ++i) {
      Entry* const row = entries + used;
      Entry* out = row;
      const float xs = work.x[i], ys = work.y[i], zs = work.z[i];
      const FloatPack xi = FloatPack::all(static_cast<double>(xs));
      const FloatPack yi = FloatPack::all(static_cast<double>(ys));
      const FloatPack zi = FloatPack::all(static_cast<double>(zs));
      alignas(64) float gap_squared[32];
      for (int r = 0; r < 32; ++r) {
        const float y_gap = largest(0.0f, largest(y_low[r] - ys, ys - y_high[r]));
        const float z_gap = largest(0.0f, largest(z_low[r] - zs, zs - z_high[r]));
        gap_squared[r] = y_gap * y_gap + z_gap * z_gap;
      }
      for (int r = 0; r < run_count; ++r) {
        if (gap_squared[r] > radius2_scalar) continue;
        const std::uint32_t begin = runs[r].begin;
        const std::uint32_t count = runs[r].count;
        std::uint32_t first = window[r];
        while (first < count && work.x[begin + first] < xs - radius) ++first;
        window[r] = first;
        const std::uint32_t code =
            compressed ? static_cast<std::uint32_t>(r) << run_offset_bits : begin;
        for (std::uint32_t k = first; k < count && work.x[begin + k] <= xs + radius;
             k += FloatPack::width) {
          const std::uint32_t j = begin + k;
          const FloatPack dx = FloatPack::load(work.x + j) - xi;
          const FloatPack dy = FloatPack::load(work.y + j) - yi;
          const FloatPack dz = FloatPack::load(work.z + j) - zi;
          unsigned near = FloatPack::bits(
              FloatPack(FloatPack::fma(dz, dz, FloatPack::fma(dy, dy, dx * dx))) < radius2);
          const std::uint32_t left = count - k;
          if (left < static_cast<std::uint32_t>(FloatPack::width)) near &= (1u << left) - 1u;
          if (i - j < static_cast<std::uint32_t>(FloatPack::width)) near &= ~(1u << (i - j));
          out = append(out, near, code + k);
        }
      }
      while ((out - row) % work.row_width != 0) *out++ = padding;
      while ((out - row) % row_granularity != 0) *out++ = padding;
      work.row_begin[i] = static_cast<std::uint32_t>(used / row_granularity);
      used += static_cast<std::size_t>(out - row);
      work.row_begin[i + 1] = static_cast<std::uint32_t>(used / row_granularity);
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
  for (std::size_t i = begin; i < end; ++i) {
    const Position& p = work.position[i];
    work.fixed_position[i] = {static_cast<std::int32_t>((p.x - center.x) * steps),
                              static_cast<std::int32_t>((p.y - center.y) * steps),
                              static_cast<std::int32_t>((p.z - center.z) * steps),
                              static_cast<std::int32_t>(p.type)};
  }
}

const PairKernels kernels{STERNA_KERNEL_NAME,  DoublePack::width,  FloatPack::width, build,
                          compute<DoublePack>, compute<FloatPack>, to_fixed};

}  // namespace
}  // namespace sterna::md
