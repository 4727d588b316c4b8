// The kernels of the embedded-atom method, written once over DoublePack and FloatPack.
//
// Idea:    lists are half: each pair is computed once in each pass, and its contribution to the
//          neighbor is added in memory. The first pass writes the neighbors within the cutoff
//          contiguously, so that tables are read for these only; the second pass reads them from
//          there. A bin of a table is one cache line, read by loads of four numbers and a
//          transpose.
// Paper:   M. S. Daw, M. I. Baskes, Phys. Rev. B 29, 6443 (1984).
// Cost:    a distance for each entry of the list, then 4 numbers of a table for each pair in the
//          first pass and 7 in the second.
// Hazards: distances are computed in both passes, because reading them from memory would take
//          longer.
// Others:  polynomials of few segments in registers, if the published tables are smooth.

// Included by one file for each instruction set, which defines STERNA_KERNEL_NAME.

#include "md/forces/manybody/embedded_atom_work.hpp"
#include "md/neighbors/kernels/rows.inl"

namespace sterna::md {
namespace {

template <class Pack>
constexpr bool is_mixed = sizeof(typename Pack::Real) == sizeof(float);

template <class Pack>
[[gnu::always_inline]] inline const typename Pack::Real* tables_of(const EmbeddedAtomWork& work) {
  if constexpr (is_mixed<Pack>) {
    return work.in_single;
  } else {
    return work.in_double;
  }
}

/// Constants that all pairs share.
template <class Pack>
struct TableConstants {
  double step;
  Pack cutoff_squared, step_squared, per_distance, before_last, half, one;
  explicit TableConstants(const EmbeddedAtomWork& work)
      : step(is_mixed<Pack> ? work.rows.fixed_scale : 1.0),
        cutoff_squared(Pack::all(work.rows.cutoff_squared / (step * step))),
        step_squared(Pack::all(step * step)),
        per_distance(Pack::all(work.per_distance)),
        before_last(Pack::all(work.last_bin + 0.5)),
        half(Pack::all(0.5)),
        one(Pack::all(1.0)) {}
};

/// The bins of distances, which are given in bins, and the positions within them.
template <class Pack>
struct Place {
  alignas(64) std::uint32_t line[Pack::width];
  Pack part;

  [[gnu::always_inline]] Place(const TableConstants<Pack>& c, Pack x) {
    using Real = typename Pack::Real;
    using V = VectorOf<Pack>;
    using I = Bits<Real>;
    // Adding 1.5 * 2^52 (single precision: 2^23) leaves the nearest integer in the low bits. At a
    // border of two bins either bin is right.
    constexpr Real magic = is_mixed<Pack> ? Real(12582912.0) : Real(6755399441055744.0);
    Pack capped = Pack::min(x, c.before_last) - c.half;
    Pack whole;
    for (int k = 0; k < registers<Pack>; ++k) {
      const V shifted = md::part(capped, k) + magic;
      md::part(whole, k) = shifted - magic;
      I bits = reinterpret_cast<I>(shifted) << 3;
      constexpr int width = lanes<Real>;
      if constexpr (is_mixed<Pack>) {
        bits &= (1 << 25) - 1;
        store_unaligned(line + k * width, bits);
      } else {
        typedef std::int32_t Low [[gnu::vector_size(vector_bytes / 2)]];
        store_unaligned(line + k * width, __builtin_convertvector(bits, Low));
      }
    }
    static_assert(embedded_atom_line == 1 << 3);
    part = Pack::min(x - whole, c.one);
  }
};

/// The lines of pairs of types: of the density that atom i receives, or that it gives.
template <class Pack, bool given>
[[gnu::always_inline]] inline void lines_of_types(const EmbeddedAtomWork& work, std::uint32_t type,
                                                  const std::uint32_t* near,
                                                  const std::uint32_t* line, std::uint32_t* out) {
  const auto types = static_cast<std::uint32_t>(work.type_count);
  const auto table = static_cast<std::uint32_t>((work.last_bin + 1) * embedded_atom_line);
  for (int lane = 0; lane < Pack::width; ++lane) {
    const std::uint32_t other = work.type[near[lane] >> RowTraits<Pack>::offset_shift];
    out[lane] = line[lane] + (given ? other * types + type : type * types + other) * table;
  }
}

template <class Pack>
[[gnu::always_inline]] inline Pack value_of(const Pack (&c)[4], Pack x) {
  return Pack::fma(Pack::fma(Pack::fma(c[3], x, c[2]), x, c[1]), x, c[0]);
}
/// The slope of a bin's polynomial at x.
template <class Pack>
[[gnu::always_inline]] inline Pack slope_of(const Pack (&c)[4], Pack x) {
  return Pack::fma(Pack::fma(Pack::all(3.0) * c[3], x, c[2] + c[2]), x, c[1]);
}

/// The square root of a number and its inverse; both are 0 where the mask is not set.
template <class Pack>
[[gnu::always_inline]] inline Pack root_of(typename Pack::Mask inside, Pack squared,
                                           Pack& inverse) {
  inverse = Pack::inverse_sqrt(inside, squared);
  return squared * inverse;
}

constexpr std::uint32_t in_whole_vectors(std::uint32_t count) {
  return (count + near_together - 1) / near_together * near_together;
}

/// Writes the neighbors of each row of a cell that are within the cutoff to the near neighbors, and
/// their squared distances to the scratch memory. There rows begin as among the near neighbors,
/// counted from the cell's first.
template <class Pack>
void find_near(EmbeddedAtomWork& work, const TableConstants<Pack>& c, Decoder<Pack>& decode,
               const CellRange& cell) {
  using Real = typename Pack::Real;
  using Traits = RowTraits<Pack>;
  const PairWork& rows = work.rows;
  auto* squares = static_cast<Real*>(work.scratch);
  for (std::uint32_t i = cell.begin; i < cell.begin + cell.count; ++i) {
    const std::size_t first = rows.row_begin[i], count = rows.row_begin[i + 1] - first;
    const std::uint32_t* const entries = decode(first, count);
    const typename Traits::Center center(rows, i);
    std::uint32_t* const begin = work.near + work.near_used;
    std::uint32_t* next = begin;
    for (std::size_t k = 0; k < count; k += Pack::width) {
      const typename Traits::Neighbors neighbors(rows, entries + k);
      const Pack dx = Traits::difference(center.x, neighbors.x);
      const Pack dy = Traits::difference(center.y, neighbors.y);
      const Pack dz = Traits::difference(center.z, neighbors.z);
      const Pack squared = Pack::fma(dz, dz, Pack::fma(dy, dy, dx * dx));
      const unsigned inside = Pack::bits(squared < c.cutoff_squared);
      squared.store_selected(squares + (next - begin), inside);
      if constexpr (is_mixed<Pack>) {
        next = append(next, inside, entries + k);
      } else {
        next = append_selected(next, inside, entries + k);
      }
    }
    const auto found = static_cast<std::uint32_t>(next - begin);
    const std::uint32_t room = in_whole_vectors(found);
    for (std::uint32_t k = found; k < room; ++k) {
      begin[k] = rows.total << Traits::offset_shift;
      squares[k] = Real(1);
    }
    work.near_rows[i] = {work.near_used, found};
    work.near_used += room;
    squares += room;
  }
}

/// A mask of the lanes from `k` on that are below `count`.
inline unsigned lanes_below(std::uint32_t k, std::uint32_t count) {
  return count - k >= 32 ? ~0u : (1u << (count - k)) - 1u;
}

template <class Pack, bool single_type>
void add_up_cells(EmbeddedAtomWork& work, const std::uint32_t* cells, std::size_t cell_count) {
  using Real = typename Pack::Real;
  constexpr int shift = RowTraits<Pack>::offset_shift;
  const TableConstants<Pack> c(work);
  const Real* const tables = tables_of<Pack>(work);
  const auto everywhere = Pack::zero() < c.one;
  Decoder<Pack> decode(work.rows);
  for (std::size_t n = 0; n < cell_count; ++n) {
    const CellRange cell = work.rows.cells[cells[n]];
    decode.go_to_cell(cells[n]);
    if (n + 1 < cell_count) fetch_cell<Pack>(work.rows, cells[n + 1]);
    const std::uint32_t first = work.near_used;
    find_near<Pack>(work, c, decode, cell);
    const auto* const squares = static_cast<const Real*>(work.scratch);
    for (std::uint32_t i = cell.begin; i < cell.begin + cell.count; ++i) {
      const RowRange row = work.near_rows[i];
      const std::uint32_t* const near = work.near + row.begin;
      const Real* const squares_of_row = squares + (row.begin - first);
      Pack density = Pack::zero();
      for (std::uint32_t k = 0; k < row.count; k += Pack::width) {
        const auto inside = Pack::keep(everywhere, lanes_below(k, row.count));
        Pack squared = Pack::load(squares_of_row + k), inverse;
        if constexpr (is_mixed<Pack>) squared = squared * c.step_squared;
        const Pack r = root_of<Pack>(inside, squared, inverse);
        const Place<Pack> at(c, r * c.per_distance);
        Pack f[4];
        alignas(64) Real given[Pack::width];
        if constexpr (single_type) {
          Pack::load_four(tables, at.line, f);
          const Pack both = Pack::select(inside, value_of<Pack>(f, at.part));
          density = density + both;
          both.store(given);
        } else {
          alignas(64) std::uint32_t line[Pack::width];
          lines_of_types<Pack, false>(work, work.type[i], near + k, at.line, line);
          Pack::load_four(tables, line, f);
          density = density + Pack::select(inside, value_of<Pack>(f, at.part));
          lines_of_types<Pack, true>(work, work.type[i], near + k, at.line, line);
          Pack::load_four(tables, line, f);
          Pack::select(inside, value_of<Pack>(f, at.part)).store(given);
        }
        for (int lane = 0; lane < Pack::width; ++lane) {
          work.value[near[k + static_cast<std::uint32_t>(lane)] >> shift] +=
              static_cast<double>(given[lane]);
        }
      }
      work.value[i] += density.sum();
    }
  }
}

template <class Pack>
void add_up(EmbeddedAtomWork& work, const std::uint32_t* cells, std::size_t cell_count) {
  work.type_count == 1 ? add_up_cells<Pack, true>(work, cells, cell_count)
                       : add_up_cells<Pack, false>(work, cells, cell_count);
}

void add_up_densities(EmbeddedAtomWork& work, const std::uint32_t* cells, std::size_t cell_count,
                      bool mixed) {
  mixed ? add_up<FloatPack>(work, cells, cell_count) : add_up<DoublePack>(work, cells, cell_count);
}

void embed(EmbeddedAtomWork& work, std::size_t count) {
  using Pack = DoublePack;
  const Pack per_density = Pack::all(work.per_density), one = Pack::all(1.0);
  const std::uint32_t bins = work.last_density_bin + 1;
  double energy = 0.0;
  for (std::size_t i = 0; i < count; i += Pack::width) {
    alignas(64) double x[Pack::width], parts[Pack::width], weights[Pack::width];
    alignas(64) std::uint32_t line[Pack::width];
    (Pack::load(work.value + i) * per_density).store(x);
    for (std::size_t lane = 0; lane < static_cast<std::size_t>(Pack::width); ++lane) {
      const bool is_one = i + lane < count;
      const std::uint32_t type = is_one ? work.type[i + lane] : 0;
      weights[lane] = is_one ? work.is_embedded[type] : 0.0;
      // Negative numbers and NaN go to the first bin.
      const double in_range = x[lane] > 0.0 ? x[lane] : 0.0;
      const auto bin = in_range < static_cast<double>(work.last_density_bin)
                           ? static_cast<std::uint32_t>(in_range)
                           : work.last_density_bin;
      line[lane] = (type * bins + bin) * 4;
      parts[lane] = x[lane] - static_cast<double>(bin);
    }
    const Pack part = Pack::load(parts), inside = Pack::min(part, one),
               weight = Pack::load(weights);
    Pack f[4];
    Pack::load_four(work.embedding, line, f);
    const Pack slope = slope_of<Pack>(f, inside) * weight;
    const Pack value = value_of<Pack>(f, inside) * weight;
    // Beyond the last point the function continues along its tangent.
    energy += Pack::fma(slope, part - inside, value).sum();
    (slope * per_density).store(work.value + i);
  }
  work.embedding_energy += energy;
}

template <class Pack, bool single_type, bool with_sums>
void compute_cells(EmbeddedAtomWork& work, const std::uint32_t* cells, std::size_t cell_count) {
  using Real = typename Pack::Real;
  using Traits = RowTraits<Pack>;
  constexpr int shift = Traits::offset_shift;
  const PairWork& rows = work.rows;
  const TableConstants<Pack> c(work);
  const Real* const tables = tables_of<Pack>(work);
  const auto everywhere = Pack::zero() < c.one;
  Totals totals;
  for (std::size_t n = 0; n < cell_count; ++n) {
    const CellRange cell = rows.cells[cells[n]];
    for (std::uint32_t i = cell.begin; i < cell.begin + cell.count; ++i) {
      const RowRange row = work.near_rows[i];
      const std::uint32_t* const near = work.near + row.begin;
      const typename Traits::Center center(rows, i);
      const Pack own_slope = Pack::all(work.value[i]);
      Pack fx[1] = {Pack::zero()}, fy[1] = {Pack::zero()}, fz[1] = {Pack::zero()};
      Pack u = Pack::zero();
      Pack xx = Pack::zero(), yy = Pack::zero(), zz = Pack::zero();
      Pack xy = Pack::zero(), xz = Pack::zero(), yz = Pack::zero();
      for (std::uint32_t k = 0; k < row.count; k += Pack::width) {
        const auto inside = Pack::keep(everywhere, lanes_below(k, row.count));
        const typename Traits::Neighbors neighbors(rows, near + k);
        const Pack dx = Traits::difference(center.x, neighbors.x);
        const Pack dy = Traits::difference(center.y, neighbors.y);
        const Pack dz = Traits::difference(center.z, neighbors.z);
        Pack squared = Pack::fma(dz, dz, Pack::fma(dy, dy, dx * dx)), inverse;
        if constexpr (is_mixed<Pack>) squared = squared * c.step_squared;
        const Pack r = root_of<Pack>(inside, squared, inverse);
        const Place<Pack> at(c, r * c.per_distance);
        const Pack their_slope = Pack::numbers(neighbors.types);
        Pack received[4], pair[4], embedded;
        if constexpr (single_type) {
          Pack::load_four(tables, at.line, received);
          Pack::load_four(tables + 4, at.line, pair);
          embedded = (own_slope + their_slope) * slope_of<Pack>(received, at.part);
        } else {
          alignas(64) std::uint32_t line[Pack::width];
          lines_of_types<Pack, false>(work, work.type[i], near + k, at.line, line);
          Pack::load_four(tables, line, received);
          Pack::load_four(tables + 4, line, pair);
          Pack given[4];
          lines_of_types<Pack, true>(work, work.type[i], near + k, at.line, line);
          Pack::load_four(tables, line, given);
          embedded = Pack::fma(own_slope, slope_of<Pack>(received, at.part),
                               their_slope * slope_of<Pack>(given, at.part));
        }
        // phi = w / r and its slope, (w' - phi) / r.
        const Pack phi = value_of<Pack>(pair, at.part) * inverse;
        const Pack w_slope = slope_of<Pack>(pair, at.part) * c.per_distance;
        const Pack phi_slope = (w_slope - phi) * inverse;
        const Pack slope = Pack::fma(embedded, c.per_distance, phi_slope);
        Pack force_over_r = Pack::select(inside, Pack::zero() - slope * inverse);
        const Pack px = force_over_r * dx, py = force_over_r * dy, pz = force_over_r * dz;
        fx[0] = fx[0] + px;
        fy[0] = fy[0] + py;
        fz[0] = fz[0] + pz;
        Traits::subtract(rows, near + k, px, py, pz);
        if constexpr (with_sums) {
          alignas(64) Real weights[Pack::width];
          for (std::uint32_t lane = 0; lane < static_cast<std::uint32_t>(Pack::width); ++lane) {
            weights[lane] = near[k + lane] >> shift < rows.whole_below ? 2 : 1;
          }
          const Pack weight = Pack::select(inside, Pack::load(weights));
          u = Pack::fma(phi, weight, u);
          xx = Pack::fma(px * weight, dx, xx);
          yy = Pack::fma(py * weight, dy, yy);
          zz = Pack::fma(pz * weight, dz, zz);
          xy = Pack::fma(px * weight, dy, xy);
          xz = Pack::fma(px * weight, dz, xz);
          yz = Pack::fma(py * weight, dz, yz);
        }
      }
      double x[1], y[1], z[1];
      Pack::sums(fx, x);
      Pack::sums(fy, y);
      Pack::sums(fz, z);
      Traits::add(rows, i, x[0], y[0], z[0]);
      if constexpr (with_sums) {
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
  // The energy and virial of whole pairs were added twice, and half pairs once, so both are halved.
  work.rows.energy += 0.5 * totals.energy;
  for (int k = 0; k < 6; ++k) {
    work.rows.virial[k] += 0.5 * c.step * c.step * totals.virial[k];
  }
}

template <class Pack>
void compute(EmbeddedAtomWork& work, const std::uint32_t* cells, std::size_t cell_count,
             bool with_sums) {
  if (work.type_count == 1) {
    with_sums ? compute_cells<Pack, true, true>(work, cells, cell_count)
              : compute_cells<Pack, true, false>(work, cells, cell_count);
  } else {
    with_sums ? compute_cells<Pack, false, true>(work, cells, cell_count)
              : compute_cells<Pack, false, false>(work, cells, cell_count);
  }
}

void compute_forces(EmbeddedAtomWork& work, const std::uint32_t* cells, std::size_t cell_count,
                    bool mixed, bool with_sums) {
  mixed ? compute<FloatPack>(work, cells, cell_count, with_sums)
        : compute<DoublePack>(work, cells, cell_count, with_sums);
}

constexpr EmbeddedAtomKernels kernels{STERNA_KERNEL_NAME, add_up_densities, embed, compute_forces};

}  // namespace
}  // namespace sterna::md
