#pragma once

#include <cstddef>
#include <cstdint>

#include "md/neighbors/pair_work.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// The kinds of interaction of a site of one molecule with a site of another; the first named is
/// the site on which the force is wanted.
enum class SitePair : std::uint8_t {
  lennard_jones,
  charge_charge,
  lennard_jones_and_charges,  ///< both between the same two points, which share their distance
  charge_dipole,
  dipole_charge,
  charge_quadrupole,
  quadrupole_charge,
  dipole_dipole,
  dipole_quadrupole,
  quadrupole_dipole,
  quadrupole_quadrupole,
};

/// One interaction between two components. Sites are named by columns: the coordinates of the
/// center are columns 0 to 2, its squared distance is column 3, four columns for each point outside
/// the center and then for each direction follow. A point or a direction is named by the column of
/// its x.
struct SiteTerm {
  SitePair kind;
  std::uint32_t point_a, point_b;
  std::uint32_t direction_a, direction_b;  ///< of a dipole (times its moment) or quadrupole
  /// Lennard-Jones: 12 c12, 6 c6 and the energy subtracted at the cutoff, then the product of the
  /// charges; dipole_dipole: the strength of the reaction field; else the factor of the energy.
  double coefficient[4];
};
inline constexpr std::uint32_t first_vector_column = 4;

/// How Lennard-Jones sites and charges of two components are summed: pair by pair, or all pairs of
/// so many points here and there in one loop, which are the first terms then.
enum class SiteGrid : std::uint8_t {
  none,
  three_charges_one_lennard_jones,  ///< of which the first point here and there have Lennard-Jones
  three_charges_and_lennard_jones,
  three_lennard_jones,
  two_lennard_jones,
  one_lennard_jones,
};
/// Two dipoles or two quadrupoles, one at the center of either molecule, beside the grids.
enum class CentralMultipole : std::uint8_t { none, dipole, quadrupole };
/// The loops over the neighbors of a molecule.
enum class PairLoop : std::uint8_t {
  columns,  ///< a loop for each grid and each other term
  linear,   ///< one loop, of two molecules whose points and directions are on one axis each
  planar,   ///< one loop, of three points here, and three there: two axes and a sum of them
};
/// Of two components. Their terms come in this order, before all others.
struct SiteGrids {
  SiteGrid first = SiteGrid::none;
  bool of_three_charges = false;  ///< here and there, at points of their own, perhaps
  CentralMultipole multipole = CentralMultipole::none;  ///< not `none` only in one loop
  PairLoop loop = PairLoop::columns;
  bool operator==(const SiteGrids&) const = default;
};
/// Those whose interactions are all in one loop (molecule_pairs.inl).
inline constexpr SiteGrids molecule_pair_shapes[] = {
    {SiteGrid::two_lennard_jones, false, CentralMultipole::none, PairLoop::linear},
    {SiteGrid::two_lennard_jones, false, CentralMultipole::dipole, PairLoop::linear},
    {SiteGrid::two_lennard_jones, false, CentralMultipole::quadrupole, PairLoop::linear},
    {SiteGrid::two_lennard_jones, true, CentralMultipole::none, PairLoop::linear},
    {SiteGrid::three_lennard_jones, false, CentralMultipole::none, PairLoop::linear},
    {SiteGrid::three_lennard_jones, false, CentralMultipole::quadrupole, PairLoop::linear},
    {SiteGrid::three_lennard_jones, true, CentralMultipole::none, PairLoop::linear},
    {SiteGrid::three_charges_and_lennard_jones, false, CentralMultipole::none, PairLoop::linear},
    {SiteGrid::three_lennard_jones, false, CentralMultipole::none, PairLoop::planar},
    {SiteGrid::three_lennard_jones, false, CentralMultipole::dipole, PairLoop::planar},
    {SiteGrid::three_charges_one_lennard_jones, false, CentralMultipole::none, PairLoop::planar},
    {SiteGrid::three_charges_and_lennard_jones, false, CentralMultipole::none, PairLoop::planar},
};
/// Points of each molecule of a grid, and how many of their pairs, the first, have Lennard-Jones
/// parameters. With `charges` all have a product of charges.
struct GridShape {
  int points;
  bool charges;
  int lennard_jones_pairs;
};
constexpr GridShape shape_of(SiteGrid grid) {
  switch (grid) {
    case SiteGrid::none:
      break;
    case SiteGrid::three_charges_one_lennard_jones:
      return {3, true, 1};
    case SiteGrid::three_charges_and_lennard_jones:
      return {3, true, 9};
    case SiteGrid::three_lennard_jones:
      return {3, false, 9};
    case SiteGrid::two_lennard_jones:
      return {2, false, 4};
    case SiteGrid::one_lennard_jones:
      return {1, false, 1};
  }
  return {0, false, 0};
}

inline constexpr std::size_t most_axes = 3;
/// The coordinates of a point or direction of a component by its axes.
struct SiteVector {
  double along[most_axes];
};

/// The record of a molecule: vectors in the laboratory frame, four numbers each, the last of them
/// unused, so that each is one aligned load. Where kernels read one neighbor after the other
/// (single_site.inl, shared_rows.inl) these are its points outside the center, relative to it, then
/// its directions. Elsewhere they are its axes: vectors, three at most, of which these are sums.
struct SiteLayout {
  std::uint32_t record_begin;     ///< the vectors of the record in the body frame
  std::uint32_t record_vectors;   ///< axes, or points and directions
  std::uint32_t vector_begin;     ///< the coordinates by axes: of the center, points, directions
  std::uint32_t point_count;      ///< points outside the center
  std::uint32_t direction_count;  ///< dipoles and quadrupoles
  std::uint32_t summed_vectors;   ///< all of these if any pair is summed by columns, else none
  std::uint32_t vectors() const { return point_count + direction_count; }
  std::uint32_t record_length() const { return 4 * record_vectors; }
};

/// So many neighbors are treated together: what is copied of them should stay in the cache.
inline constexpr std::size_t neighbors_together = 256;
/// Neighbors are copied in whole vectors; the longest has 16 lanes.
inline constexpr std::size_t longest_vector = 16;
inline constexpr std::size_t column_stride = neighbors_together + longest_vector;

/// Everything that the site kernels read and write; plain data, like PairWork.
struct MolecularWork {
  /// The list; `position` and, in mixed precision, `fixed_position` hold the centers and, behind
  /// them, the dummy.
  PairWork rows;

  // Components, and the terms of each ordered pair of them: [begin[a n + b], begin[a n + b + 1]).
  std::size_t component_count;
  const SiteLayout* layouts;
  const SiteTerm* terms;
  const std::uint32_t* term_begin;
  const SiteGrids* site_grids;
  // The points outside the center and directions of the second component that are read from columns,
  // as slots, of each pair of components: [begin[k], begin[k + 1]).
  const std::uint32_t* named;
  const std::uint32_t* named_begin;
  const SiteVector* vectors;  ///< of all components
  std::size_t column_count;   ///< of the component with the most

  // Records of all molecules and one of zeros behind them; by precision.
  std::size_t record_stride;
  const double* sites;
  const float* sites_single;

  bool site_cutoff;  ///< distances of sites decide, not those of centers
  double range_squared;
  double cutoff_squared, lennard_jones_cutoff_squared;

  double* scratch;  ///< `molecular_scratch_size` numbers on a 64-byte boundary

  // Results. Of molecules that share rows, forces on points are added to, those of ghosts and the
  // dummy too. Of others with half lists, likewise forces as PairWork has them, and torques. From
  // full lists forces and torques are set for the molecules of the rows. Energy and virial are added
  // to.
  SingleForce* point_force;  ///< of molecule i at slot_of(column) * point_stride + i
  std::size_t point_stride;
  PairWork torques;  ///< `rows`, but that torques are in place of forces
  Vec3* force;
  Vec3* torque;
  double energy;
  double lennard_jones;  ///< the part of `energy` that is of Lennard-Jones sites
  double virial[6];
};

/// What is kept of points and directions without columns goes by slots: the center has the first
/// one, points and directions follow.
constexpr std::uint32_t slot_of(std::uint32_t column) {
  return column / 4;
}
constexpr std::uint32_t column_of(std::uint32_t slot) {
  return 4 * slot;
}

/// Numbers of scratch that the kernels need for molecules of up to `columns` columns.
inline std::size_t molecular_scratch_size(std::size_t component_count, std::size_t columns) {
  const std::size_t copies = (2 * columns + 5) * column_stride;
  const std::size_t sums = (columns + 3) * longest_vector;
  const std::size_t own = (columns + 7) / 8 * 8;
  const std::size_t lists = component_count * (neighbors_together + 2 * longest_vector + 1);
  return copies + sums + own + lists;
}

/// One instruction set's kernels: forces and torques of the molecules of the given local cells;
/// energy and virial where asked.
struct MolecularKernels {
  const char* name;  ///< "avx512"
  /// Whether `compute_mixed` takes half lists of rows that molecules share, where these are of one
  /// kind and a grid.
  bool shared_rows;
  void (*compute_double)(MolecularWork&, const std::uint32_t* cells, std::size_t cell_count,
                         bool with_energy);
  void (*compute_mixed)(MolecularWork&, const std::uint32_t* cells, std::size_t cell_count,
                        bool with_energy);
};

const MolecularKernels& molecular_kernels_baseline();
const MolecularKernels& molecular_kernels_avx2();
const MolecularKernels& molecular_kernels_avx512();

}  // namespace sterna::md
