// Forces and torques between rigid molecules, written once over DoublePack and FloatPack and
// compiled once for each instruction set (molecular_kernels_avx512.cpp and its siblings).
//
// Idea:    the neighbors of a molecule inside the cutoff are packed by component, their sites
//          copied relative to its center into columns that the first cache holds; each term (a
//          site here, a site there) is then one dense loop over the columns without any gather.
//          Sites are sums of the molecule's axes, of which a linear one has one, a planar one two:
//          few numbers come from memory.
//          Of one component, the distances that decide who is inside are packed themselves.
// Source:  cutoff of whole molecules by their centers and vectors along the neighbors: Eckhardt et
//          al., 591 TFLOPS multi-trillion particles simulation, ISC 2013 (ls1-MarDyn).
// Cost:    15 to 40 operations a pair of sites, and 2 for each number copied. The lists are half
//          ones: what acts on the sites of a neighbor becomes a force and a torque in the columns,
//          and these go to memory.
// Hazards: two sites at one point give infinite forces; large charges close together on one
//          molecule cancel, which mixed precision feels.
// Others:  rows that molecules share (shared_rows.inl), for one kind of molecule that is a grid of
//          sites; loops without columns (single_site.inl) for one pair of sites.

#include <algorithm>
#include <iterator>

#include "md/forces/molecular/kernels/site_pairs.hpp"
#include "md/neighbors/kernels/rows.inl"
#include "md/simd/unrolled.hpp"

namespace sterna::md {
namespace {

/// The scratch memory of one molecule i: columns of its neighbors, and sums over its own sites.
template <class Real>
struct MolecularScratch {
  Real* columns;  ///< each has `column_stride` numbers
  /// Columns of results for each neighbor: the forces of its points on the points of i that they
  /// are paired with, and minus the torques on its directions. The results are subtracted to act on
  /// the neighbor.
  Real* back;
  Real* weights;    ///< energies of the pairs with each neighbor, on request
  Real* pair_sums;  ///< four columns, on request: force on i and energy for each neighbor
  Real* sums;       ///< force on each point of i and gradient of each direction, one vector each
  Real* torque;     ///< three vectors: force on i from terms that use no columns
  Real* own;        ///< coordinates of i's points and directions, in the order of the columns
  std::uint32_t* counts;  ///< the listed neighbors, by component
  std::uint32_t* lists;

  static constexpr std::size_t list_stride = neighbors_together + 2 * longest_vector;
  MolecularScratch(double* begin, std::size_t component_count, std::size_t column_count) {
    // Offsets are counted in doubles in every precision, so that each part begins on its boundary.
    double* place = begin;
    const auto take = [&place](std::size_t count) {
      double* const part = place;
      place += count;
      return part;
    };
    columns = reinterpret_cast<Real*>(take(column_count * column_stride));
    back = reinterpret_cast<Real*>(take(column_count * column_stride));
    weights = reinterpret_cast<Real*>(take(column_stride));
    pair_sums = reinterpret_cast<Real*>(take(4 * column_stride));
    sums = reinterpret_cast<Real*>(take(column_count * longest_vector));
    torque = reinterpret_cast<Real*>(take(3 * longest_vector));
    own = reinterpret_cast<Real*>(take((column_count + 7) / 8 * 8));
    counts = reinterpret_cast<std::uint32_t*>(take(component_count));
    lists = reinterpret_cast<std::uint32_t*>(take(component_count * list_stride));
  }
  std::uint32_t* list(std::size_t component) const { return lists + component * list_stride; }
  Real* column(std::size_t c) const { return columns + c * column_stride; }
  Real* back_column(std::size_t c) const { return back + c * column_stride; }
};

template <class Pack>
inline PackVector<Pack> broadcast(const typename Pack::Real* v) {
  return {Pack::all(static_cast<double>(v[0])), Pack::all(static_cast<double>(v[1])),
          Pack::all(static_cast<double>(v[2]))};
}
template <class Pack>
inline PackVector<Pack> load(const typename Pack::Real* p, std::size_t stride) {
  return {Pack::load(p), Pack::load(p + stride), Pack::load(p + 2 * stride)};
}
template <class Pack>
inline PackVector<Pack> operator+(const PackVector<Pack>& a, const PackVector<Pack>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class Pack>
inline PackVector<Pack> operator-(const PackVector<Pack>& a, const PackVector<Pack>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class Pack>
inline void store(const PackVector<Pack>& v, typename Pack::Real* p, std::size_t stride) {
  v.x.store(p);
  v.y.store(p + stride);
  v.z.store(p + 2 * stride);
}

struct TermSums {
  double energy = 0.0, reaction_field = 0.0, lennard_jones = 0.0;
  double virial[6] = {};
};

/// The virial of forces on a molecule by neighbors whose centers are at `d` from its own. Torques make
/// d_x f_y and d_y f_x differ. The second is that of a shear of the box, which moves x by y.
template <class Pack>
inline void add_center_virial(const PackVector<Pack>& d, const PackVector<Pack>& force,
                              Pack (&virial)[6]) {
  virial[0] = Pack::fnma(d.x, force.x, virial[0]);
  virial[1] = Pack::fnma(d.y, force.y, virial[1]);
  virial[2] = Pack::fnma(d.z, force.z, virial[2]);
  virial[3] = Pack::fnma(d.y, force.x, virial[3]);
  virial[4] = Pack::fnma(d.z, force.x, virial[4]);
  virial[5] = Pack::fnma(d.z, force.y, virial[5]);
}

/// Sums one term over all the neighbors copied.
template <template <class> class Interaction, class Pack, bool site_cutoff, bool with_energy>
void sum_term(const MolecularWork& work, const MolecularScratch<typename Pack::Real>& scratch,
              const SiteTerm& term, std::size_t count, TermSums& total) {
  using Kind = Interaction<Pack>;
  constexpr std::size_t stride = column_stride;
  constexpr auto width = static_cast<std::size_t>(Pack::width);
  const Pack limit = Pack::all(Kind::lennard_jones_cutoff ? work.lennard_jones_cutoff_squared
                                                          : work.cutoff_squared);
  const PackVector<Pack> site = broadcast<Pack>(scratch.own + term.point_a);
  PackVector<Pack> own_direction{Pack::zero(), Pack::zero(), Pack::zero()};
  if constexpr (Kind::direction_a) {
    own_direction = broadcast<Pack>(scratch.own + term.direction_a);
  }
  const Kind interaction(term, own_direction);
  const auto* const points = scratch.column(term.point_b);
  const auto* const directions = scratch.column(term.direction_b);
  auto* const on_points = scratch.back_column(term.point_b);
  auto* const on_directions = scratch.back_column(term.direction_b);
  const auto* const center_r2 = scratch.column(3);
  auto* const force_sum = scratch.sums + term.point_a * longest_vector;
  auto* const gradient_sum = scratch.sums + term.direction_a * longest_vector;
  PackVector<Pack> force = load<Pack>(force_sum, longest_vector);
  PackVector<Pack> gradient{Pack::zero(), Pack::zero(), Pack::zero()};
  if constexpr (Kind::direction_a) gradient = load<Pack>(gradient_sum, longest_vector);
  Pack reaction_field = Pack::zero(), lennard_jones = Pack::zero();

  for (std::size_t k = 0; k < count; k += width) {
    const PackVector<Pack> other = load<Pack>(points + k, stride);
    PairDistance<Pack> pair;
    pair.d = {site.x - other.x, site.y - other.y, site.z - other.z};
    pair.r2 = dot(pair.d, pair.d);
    pair.inside = (site_cutoff ? pair.r2 : Pack(Pack::load(center_r2 + k))) < limit;
    PackVector<Pack> direction = own_direction;
    if constexpr (Kind::direction_b) direction = load<Pack>(directions + k, stride);
    PairResult<Pack> result;
    interaction.template operator()<with_energy>(pair, direction, result);
    const PackVector<Pack> before = load<Pack>(on_points + k, stride);
    if constexpr (Kind::radial) {
      force = fma(result.force_over_r, pair.d, force);
      store(fma(result.force_over_r, pair.d, before), on_points + k, stride);
    } else {
      force = force + result.force;
      store(before + result.force, on_points + k, stride);
    }
    if constexpr (Kind::direction_a) gradient = gradient + result.gradient_a;
    if constexpr (Kind::direction_b) {
      store(load<Pack>(on_directions + k, stride) - result.gradient_b, on_directions + k, stride);
    }
    if constexpr (with_energy) {
      if constexpr (Kind::radial) result.force = result.force_over_r * pair.d;
      // Sums are kept for each neighbor first, so that forces of a molecule's large charges cancel
      // early.
      auto* const pair_force = scratch.pair_sums + k;
      store(load<Pack>(pair_force, stride) + result.force, pair_force, stride);
      auto* const pair_energy = pair_force + 3 * stride;
      (Pack::load(pair_energy) + result.energy).store(pair_energy);
      const Pack weight = Pack::load(scratch.weights + k);
      if constexpr (Kind::with_reaction_field) {
        reaction_field = Pack::fma(weight, result.reaction_field, reaction_field);
      }
      if constexpr (Kind::with_lennard_jones) {
        lennard_jones = Pack::fma(weight, result.lennard_jones, lennard_jones);
      }
    }
  }
  store(force, force_sum, longest_vector);
  if constexpr (Kind::direction_a) store(gradient, gradient_sum, longest_vector);
  if constexpr (Kind::with_reaction_field && with_energy) {
    total.reaction_field += reaction_field.sum();
  }
  if constexpr (Kind::with_lennard_jones && with_energy) total.lennard_jones += lennard_jones.sum();
}

template <class Pack, bool site_cutoff, bool with_energy>
void sum_terms(const MolecularWork& work, const MolecularScratch<typename Pack::Real>& scratch,
               const SiteTerm* begin, const SiteTerm* end, std::size_t count, TermSums& total) {
  for (const SiteTerm* term = begin; term != end; ++term) {
    const auto sum = [&]<template <class> class Interaction>() {
      sum_term<Interaction, Pack, site_cutoff, with_energy>(work, scratch, *term, count, total);
    };
    switch (term->kind) {
      case SitePair::lennard_jones:
        sum.template operator()<LennardJonesPair>();
        break;
      case SitePair::charge_charge:
        sum.template operator()<ChargeChargePair>();
        break;
      case SitePair::lennard_jones_and_charges:
        sum.template operator()<LennardJonesAndChargesPair>();
        break;
      case SitePair::charge_dipole:
        sum.template operator()<ChargeDipolePair>();
        break;
      case SitePair::dipole_charge:
        sum.template operator()<DipoleChargePair>();
        break;
      case SitePair::charge_quadrupole:
        sum.template operator()<ChargeQuadrupolePair>();
        break;
      case SitePair::quadrupole_charge:
        sum.template operator()<QuadrupoleChargePair>();
        break;
      case SitePair::dipole_dipole:
        sum.template operator()<DipoleDipolePair>();
        break;
      case SitePair::dipole_quadrupole:
        sum.template operator()<DipoleQuadrupolePair>();
        break;
      case SitePair::quadrupole_dipole:
        sum.template operator()<QuadrupoleDipolePair>();
        break;
      case SitePair::quadrupole_quadrupole:
        sum.template operator()<QuadrupoleQuadrupolePair>();
        break;
    }
  }
}

#include "md/forces/molecular/kernels/site_grid.inl"

#include "md/forces/molecular/kernels/neighbor_columns.inl"

#include "md/forces/molecular/kernels/molecule_pairs.inl"

#include "md/forces/molecular/kernels/large_bodies.inl"

/// Sum of the lanes of three vectors of sums.
template <class Pack>
inline Vec3 total_of(const typename Pack::Real* sums) {
  return {Pack::load(sums).sum(), Pack::load(sums + longest_vector).sum(),
          Pack::load(sums + 2 * longest_vector).sum()};
}

template <class Pack, bool site_cutoff, bool with_energy>
void compute_molecules(MolecularWork& work, const std::uint32_t* cells, std::size_t cell_count) {
  using Real = typename Pack::Real;
  using Scratch = MolecularScratch<Real>;
  using Traits = RowTraits<Pack>;
  constexpr auto width = static_cast<std::uint32_t>(Pack::width);
  const Scratch scratch(work.scratch, work.component_count, work.column_count);
  const PairWork& rows = work.rows;
  const std::uint32_t dummy = rows.total << Traits::offset_shift;
  const bool one_component = work.component_count == 1;
  const Pack range = Pack::all(work.range_squared);
  const CenterDistance<Pack> distance(rows);
  TermSums total;
  for (std::size_t b = 0; b < work.component_count; ++b) scratch.counts[b] = 0;

  constexpr std::size_t piece = 1024;
  alignas(64) std::uint32_t decoded[piece + longest_vector];
  std::uint32_t selected[2 * longest_vector];

  for (std::size_t c = 0; c < cell_count; ++c) {
    const CellRange cell = rows.cells[cells[c]];
    if (cell.count == 0) continue;
    alignas(64) std::uint32_t begins[32];
    if (rows.compressed != nullptr) gather_begins(rows, cells[c], begins);
    const RowDecoder<Traits::offset_shift> decode(begins);

    for (std::uint32_t i = cell.begin; i < cell.begin + cell.count; ++i) {
      const typename Traits::Center center(rows, i);
      const auto component = static_cast<std::size_t>(rows.position[i].type);
      const SiteLayout& layout = work.layouts[component];
      place_own<Pack>(work, scratch, layout, i);

      // Sums the terms of the listed neighbors of component b, and empties the list.
      const auto sum_listed = [&](std::size_t b) {
        const std::size_t count = scratch.counts[b];
        std::uint32_t* const list = scratch.list(b);
        if constexpr (site_cutoff) {
          if (work.site_grids[component * work.component_count + b].loop == PairLoop::bodies) {
            scratch.counts[b] = 0;
            return sum_bodies<Pack, with_energy>(work, i, b, list, count, total);
          }
        }
        for (std::size_t k = 0; k < longest_vector; ++k) list[count + k] = dummy;
        // With one component only the end of the last vector still needs its distances.
        const std::size_t copied = one_component ? count / width * width : 0;
        copy_distances<Pack>(rows, scratch, center, list, copied, count);
        if constexpr (with_energy) {
          for (std::size_t k = 0; k < count; k += width) {
            weights<Pack>(rows, list + k).store(scratch.weights + k);
          }
        }
        const std::size_t components = component * work.component_count + b;
        const SiteGrids& grids = work.site_grids[components];
        const SiteTerm* const terms = work.terms + work.term_begin[components];
        const SiteLayout& there = work.layouts[b];
        scratch.counts[b] = 0;
        if constexpr (!site_cutoff) {
          if (grids.loop != PairLoop::columns) {
            const Real* const record = records<Pack>(work) + i * work.record_stride;
            return with_molecule_pairs<Pack>(grids, [&]<class Pairs>() {
              const Pairs pairs(work, scratch, {layout, record}, there, terms);
              sum_molecule_pairs<Pack, Pairs, with_energy>(work, scratch, pairs, list, count,
                                                           total);
            });
          }
        }
        const std::uint32_t* const slots = work.named_begin + components;
        const NamedVectors named{work.named + slots[0], work.named + slots[1]};
        copy_neighbors<Pack>(work, scratch, there, named, list, count);
        if constexpr (with_energy) {
          for (std::size_t k = 0; k < 4 * column_stride; ++k) scratch.pair_sums[k] = 0;
        }
        clear_back<Pack>(scratch, grids, terms, named, count);
        const SiteTerm* const others = sum_site_grids<Pack, site_cutoff, with_energy>(
            work, scratch, grids, terms, count, total);
        sum_terms<Pack, site_cutoff, with_energy>(
            work, scratch, others, work.terms + work.term_begin[components + 1], count, total);
        if constexpr (with_energy) add_pair_sums<Pack>(scratch, count, total);
        give_back<Pack>(work, scratch, there, named, list, count);
      };

      const std::size_t first = rows.row_begin[i];
      const std::size_t row_length = rows.row_begin[i + 1] - first;
      for (std::size_t start = 0; start < row_length; start += piece) {
        const std::size_t count = row_length - start < piece ? row_length - start : piece;
        if (rows.compressed != nullptr) {
          decode(rows.compressed + first + start, count, decoded);
        } else {
          for (std::size_t k = 0; k < count; ++k) {
            decoded[k] = rows.plain[first + start + k] << Traits::offset_shift;
          }
        }
        for (std::size_t k = 0; k < width; ++k) decoded[count + k] = dummy;
        for (std::size_t k = 0; k < count; k += width) {
          const PackVector<Pack> d = distance(center, decoded + k);
          const Pack r2 = dot(d, d);
          const unsigned near = Pack::bits(r2 < range);
          const auto near_count = static_cast<std::uint32_t>(__builtin_popcount(near));
          if (one_component) {
            std::uint32_t& listed = scratch.counts[0];
            append_offsets<Pack>(scratch.list(0) + listed, near, decoded + k);
            Real* const column = scratch.columns + listed;
            d.x.store_selected(column, near);
            d.y.store_selected(column + column_stride, near);
            d.z.store_selected(column + 2 * column_stride, near);
            r2.store_selected(column + 3 * column_stride, near);
            listed += near_count;
            if (listed > neighbors_together - width) sum_listed(0);
          } else {
            append_offsets<Pack>(selected, near, decoded + k);
            for (std::uint32_t q = 0; q < near_count; ++q) {
              const std::uint32_t j = selected[q] >> Traits::offset_shift;
              const auto b = static_cast<std::size_t>(rows.position[j].type);
              scratch.list(b)[scratch.counts[b]++] = selected[q];
              if (scratch.counts[b] == neighbors_together) sum_listed(b);
            }
          }
        }
      }
      for (std::size_t b = 0; b < work.component_count; ++b) {
        if (scratch.counts[b] > 0) sum_listed(b);
      }

      Vec3 force = total_of<Pack>(scratch.sums);
      Vec3 torque = total_of<Pack>(scratch.torque);
      for (std::uint32_t v = 0; v < layout.summed_vectors; ++v) {
        const std::uint32_t column = first_vector_column + 4 * v;
        const Vec3 sum = total_of<Pack>(scratch.sums + column * longest_vector);
        const Vec3 arm{static_cast<double>(scratch.own[column]),
                       static_cast<double>(scratch.own[column + 1]),
                       static_cast<double>(scratch.own[column + 2])};
        if (v < layout.point_count) force += sum;
        torque += {arm.y * sum.z - arm.z * sum.y, arm.z * sum.x - arm.x * sum.z,
                   arm.x * sum.y - arm.y * sum.x};
      }
      Traits::add(rows, i, force.x, force.y, force.z);
      if (layout.vectors() > 0) Traits::add(work.torques, i, torque.x, torque.y, torque.z);
    }
  }
  // Sums were weighted as in full lists, which contain each pair twice.
  work.energy += 0.5 * total.energy;
  work.lennard_jones += 0.5 * total.lennard_jones;
  for (int q = 0; q < 6; ++q) {
    work.virial[q] += 0.5 * (total.virial[q] + (q < 3 ? total.reaction_field : 0.0));
  }
}

#include "md/forces/molecular/kernels/shared_rows.inl"

#include "md/forces/molecular/kernels/single_site.inl"

template <class Pack, bool site_cutoff, bool with_energy>
void compute_cells(MolecularWork& work, const std::uint32_t* cells, std::size_t cell_count) {
  if constexpr (shares_rows<Pack>) {
    if (work.rows.group > 1) {
      return compute_shared_rows<site_cutoff, with_energy>(work, cells, cell_count);
    }
  }
  if (meet_by_single_sites(work)) {
    compute_single_sites<Pack, site_cutoff, with_energy>(work, cells, cell_count);
  } else {
    compute_molecules<Pack, site_cutoff, with_energy>(work, cells, cell_count);
  }
}

template <class Pack>
void compute(MolecularWork& work, const std::uint32_t* cells, std::size_t cell_count,
             bool with_energy) {
  if (work.site_cutoff) {
    with_energy ? compute_cells<Pack, true, true>(work, cells, cell_count)
                : compute_cells<Pack, true, false>(work, cells, cell_count);
  } else {
    with_energy ? compute_cells<Pack, false, true>(work, cells, cell_count)
                : compute_cells<Pack, false, false>(work, cells, cell_count);
  }
}

const MolecularKernels kernels{STERNA_KERNEL_NAME, shares_rows<FloatPack>, compute<DoublePack>,
                               compute<FloatPack>};

}  // namespace
}  // namespace sterna::md
