#pragma once

#include <cstddef>
#include <cstdint>

#include "md/neighbors/pair_work.hpp"
#include "md/simd/kernel_getters.hpp"
#include "md/system/position.hpp"

namespace sterna::md {

/// The kinds of interaction of a site of one molecule with a site of another. The force is wanted
/// on the site that is named first.
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

/// One interaction between two components. Points and directions are named by columns. The
/// coordinates of the center are columns 0 to 2, and its squared distance is column 3. Then each
/// point outside the center has four columns, and after the points each direction. A point or a
/// direction is named by the column of its x.
struct SiteTerm {
  SitePair kind;
  std::uint32_t point_a, point_b;
  /// directions of dipoles (times their moments) and quadrupoles
  std::uint32_t direction_a, direction_b;
  /// The parameters. Lennard-Jones: 12 c12, 6 c6 and the energy subtracted at the cutoff, then the
  /// product of the charges. dipole_dipole: the strength of the reaction field. Others: the factor
  /// of the energy.
  double coefficient[4];
};
inline constexpr std::uint32_t first_vector_column = 4;

/// How the Lennard-Jones sites and charges of two components are summed: pair by pair, or all pairs
/// of this many points of each molecule in one loop. The terms of such a grid come first.
enum class SiteGrid : std::uint8_t {
  none,
  three_charges_one_lennard_jones,  ///< the first point of each molecule has the Lennard-Jones site
  three_charges_and_lennard_jones,
  three_lennard_jones,
  two_lennard_jones,
  one_lennard_jones,
};
/// Two dipoles or two quadrupoles, one at the center of each molecule, in addition to the grids.
enum class CentralMultipole : std::uint8_t { none, dipole, quadrupole };
/// The loops over the neighbors of a molecule.
enum class PairLoop : std::uint8_t {
  columns,  ///< one loop for each grid and each other term
  linear,   ///< one loop for two molecules whose points and directions are on one axis each
  planar,   ///< one loop for three points in each molecule: two axes and a sum of them
  bodies,   ///< one of the two is large: sites of the other are looked up in its cells
};
/// The grids of two components. Their terms come in this order, before all others.
struct SiteGrids {
  SiteGrid first = SiteGrid::none;
  /// true if both have three charges, perhaps at points without Lennard-Jones sites
  bool of_three_charges = false;
  /// `none` unless one loop has all interactions
  CentralMultipole multipole = CentralMultipole::none;
  PairLoop loop = PairLoop::columns;
  bool operator==(const SiteGrids&) const = default;
};
/// The pairs of components whose interactions are all in one loop (molecule_pairs.inl).
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
/// The shape of a grid: the number of points of each molecule, and how many of their pairs have
/// Lennard-Jones parameters; these pairs come first. With `charges` all pairs have a product of
/// charges.
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
/// The coordinates of a point or direction of a component, with the component's axes as the basis.
struct SiteVector {
  double along[most_axes];
};

/// The record of a molecule consists of vectors in the laboratory frame. Each has four numbers, the
/// last of them unused, so that it is one aligned load. If kernels read one neighbor after the
/// other (single_site.inl, shared_rows.inl), the vectors are the molecule's points outside the
/// center, relative to it, and then its directions. Otherwise they are its axes, three at most, and
/// the points and directions are sums of these.
struct SiteLayout {
  std::uint32_t record_begin;    ///< begin of the record's vectors in the body frame
  std::uint32_t record_vectors;  ///< number of axes, or of points and directions
  /// begin of the coordinates by axes of the center, points and directions
  std::uint32_t vector_begin;
  std::uint32_t point_count;      ///< number of points outside the center
  std::uint32_t direction_count;  ///< number of dipoles and quadrupoles
  /// points and directions if any pair is summed by columns, otherwise 0
  std::uint32_t summed_vectors;
  std::uint32_t vectors() const { return point_count + direction_count; }
  std::uint32_t record_length() const { return 4 * record_vectors; }
};

/// A component with many sites, in cells of its body frame; `stride` is 0 for other components. Its
/// records are the axes of this frame. Cells with ascending x form rows. The sites of a row begin on
/// the boundary of a vector, and far points fill them up to one.
struct LargeBody {
  double low[3];           ///< the corner of the first cell
  double edge;             ///< of each cell
  int count[3];            ///< numbers of cells
  std::size_t stride;      ///< number of sites, with the points that fill up rows
  std::size_t sites;       ///< place of their x; y, z and charges follow, `stride` each
  std::size_t cell_begin;  ///< place of the begins of cells; each row has one more for its end
};
/// A site that is looked up in the cells of a large body.
struct BodyProbe {
  SiteVector place;  ///< by the axes of its own molecule
  double charge;
  /// place of 12 c12 with each site of the body; 6 c6 and shifts of the energy follow
  std::size_t table;
};
/// The probes of an ordered pair of components, of which one is a large body.
struct BodyPair {
  bool first_is_body, with_charges;
  std::size_t probe_begin, probe_end;
};

/// The number of neighbors that are treated together; their copies should stay in the cache.
inline constexpr std::size_t neighbors_together = 256;
/// The number of lanes of the longest vector. Neighbors are copied in whole vectors.
inline constexpr std::size_t longest_vector = 16;
inline constexpr std::size_t column_stride = neighbors_together + longest_vector;

/// All arrays and parameters of the site kernels, as plain data like PairWork.
struct MolecularWork {
  /// The list. `position` and, in mixed precision, `fixed_position` hold the centers, followed by
  /// the dummy.
  PairWork rows;

  // The components, and the terms of each ordered pair of components: those of a and b are [begin[a
  // n + b], begin[a n + b + 1]).
  std::size_t component_count;
  const SiteLayout* layouts;
  const SiteTerm* terms;
  const std::uint32_t* term_begin;
  const SiteGrids* site_grids;
  // The points outside the center and directions of the second component that are read from
  // columns, as slots. Those of pair k of components are [begin[k], begin[k + 1]).
  const std::uint32_t* named;
  const std::uint32_t* named_begin;
  const SiteVector* vectors;  ///< vectors of all components
  std::size_t column_count;   ///< number of columns of the component with the most

  // Large bodies: `bodies` by component, `body_pairs` by ordered pair of components.
  const LargeBody* bodies;
  const std::uint32_t* body_cells;
  const BodyPair* body_pairs;
  const BodyProbe* body_probes;
  const double* body_numbers;
  const float* body_numbers_single;

  // The records of all molecules, followed by a record of zeros, in each precision.
  std::size_t record_stride;
  const double* sites;
  const float* sites_single;

  /// true if the distances of sites are compared with the cutoff, not those of centers
  bool site_cutoff;
  double range_squared;
  double cutoff_squared, lennard_jones_cutoff_squared;

  double* scratch;  ///< `molecular_scratch_size` numbers on a 64-byte boundary

  // The results. If molecules share rows, the kernels add to the forces on points, also to those of
  // ghosts and the dummy. With other half lists they add to forces, as PairWork has them, and to
  // torques. From full lists they set forces and torques of the molecules of the rows. They add to
  // energy and virial.
  /// force on a point of molecule i, at slot_of(column) * point_stride + i
  SingleForce* point_force;
  std::size_t point_stride;
  PairWork torques;  ///< a copy of `rows` with torques in place of forces
  Vec3* force;
  Vec3* torque;
  double energy;
  double lennard_jones;  ///< the part of `energy` between Lennard-Jones sites
  double virial[6];
};

/// Arrays of points and directions that do not use columns are indexed by slots: the center has
/// slot 0, and points and directions follow.
constexpr std::uint32_t slot_of(std::uint32_t column) {
  return column / 4;
}
constexpr std::uint32_t column_of(std::uint32_t slot) {
  return 4 * slot;
}

/// The number of scratch values that the kernels need for molecules of up to `columns` columns.
inline std::size_t molecular_scratch_size(std::size_t component_count, std::size_t columns) {
  const std::size_t copies = (2 * columns + 5) * column_stride;
  const std::size_t sums = (columns + 3) * longest_vector;
  const std::size_t own = (columns + 7) / 8 * 8;
  const std::size_t lists = component_count * (neighbors_together + 2 * longest_vector + 1);
  return copies + sums + own + lists;
}

/// The kernels of one instruction set: forces and torques of the molecules of the given local
/// cells, and energy and virial on request.
struct MolecularKernels {
  const char* name;  ///< name, such as "avx512"
  /// True if `compute_mixed` takes half lists whose rows are shared by molecules of one kind that
  /// are a grid.
  bool shared_rows;
  void (*compute_double)(MolecularWork&, const std::uint32_t* cells, std::size_t cell_count,
                         bool with_energy);
  void (*compute_mixed)(MolecularWork&, const std::uint32_t* cells, std::size_t cell_count,
                        bool with_energy);
};

STERNA_KERNEL_GETTERS(MolecularKernels, molecular_kernels);

}  // namespace sterna::md
