#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "md/core/box.hpp"
#include "md/core/quaternion.hpp"
#include "md/core/random.hpp"
#include "md/forces/coulomb/inserted_charges.hpp"
#include "md/forces/longrange/homogeneous_correction.hpp"
#include "md/forces/pair/pair_function.hpp"
#include "md/input/input.hpp"
#include "md/model/molecule_model.hpp"
#include "md/observe/frame.hpp"
#include "md/system/topology.hpp"

namespace sterna::md {

/// An orientation that is uniform on the sphere of unit quaternions.
Quaternion random_orientation(RandomSequence& numbers);

/// The energy that one more molecule would have among the particles of a rank: of all pairs within
/// the cutoff, of what lies beyond it, and of charges and dipoles at any distance.
class InsertedMolecule {
 public:
  /// The input must be valid. `kinds`: that will be inserted. `hard`: where one pair of sites alone
  /// has this energy by its Lennard-Jones or pair potential, the molecule overlaps. The topology
  /// must outlive it.
  InsertedMolecule(const comm::Context& context, const Input& input, const Topology& topology,
                   std::span<const std::size_t> kinds, double hard);

  /// Atoms, then components, as `Position::type` counts them.
  const MoleculeModel& model() const { return model_; }
  std::size_t kinds() const { return model_.components.size(); }
  /// The distance of centers up to which particles count.
  double range() const { return range_; }

  /// Collective. Takes over the particles of this rank and its ghosts, which must be there up to
  /// `range` from the rank's region.
  void prepare(const Frame& frame);
  /// Finds the neighbors of a molecule of this kind at this place, for `energy`. False: wherever it
  /// turns, it overlaps. `except`: the id of a particle that is left out, with its images; ghosts
  /// must have ids then.
  bool place(std::size_t kind, const Vec3& center, std::int64_t except = no_particle);
  /// The energy of the placed molecule in this orientation; nothing: it overlaps.
  std::optional<double> energy(const Quaternion& orientation);
  /// Adds a molecule and its images to the particles that were taken over, as far as they are in
  /// range of this rank's region. Not where charges act at any distance.
  void add(std::size_t kind, const Vec3& center, const Quaternion& orientation, std::int64_t id);
  /// Takes a particle, with its images, out of those that were taken over or added. Ghosts must have
  /// ids.
  void remove(std::int64_t id);
  /// How much more the correction beyond the cutoff is with one more molecule of this kind.
  /// `counts`: of each kind, without it. 0 without correction.
  double correction(std::size_t kind, std::span<const double> counts, double volume) const;
  /// Of the particles that are there: this rank's part of the sum over pairs of the second derivative
  /// of their energy by a factor of the distance of their centers, orientations being kept. Charges at
  /// any distance are not in it.
  double second_by_scale(const Frame& frame);

  static constexpr std::int64_t no_particle = -1;  ///< no id

 private:
  /// What acts between two sites, a of the inserted molecule and b of its neighbor. A multipole is
  /// a point and a direction.
  enum class Term {
    lennard_jones,
    charges,
    charge_dipole,
    dipole_charge,
    charge_quadrupole,
    quadrupole_charge,
    dipoles,
    dipole_quadrupole,
    quadrupole_dipole,
    quadrupoles
  };
  struct SitePair {
    Term term;
    std::uint32_t point_a, point_b;
    std::uint32_t direction_a, direction_b;
    double factor, factor_2, shift;  ///< of Lennard-Jones: c12, c6
    double core_squared;             ///< nearer than this, sites overlap
  };
  struct KindPair {
    std::vector<SitePair> sites;
    std::vector<PairFunction> functions;  ///< of two atoms
    double core_squared = 0.0;            ///< nearer than this, centers overlap
    double range_squared = 0.0;           ///< of centers
  };
  /// Points and directions of a kind, as offsets from the center.
  struct Shape {
    std::vector<Vec3> vectors;  ///< in the body frame, the points first
    std::size_t points = 0;
    std::vector<std::uint32_t> lennard_jones, charges, dipoles, quadrupoles;  ///< their points
    std::vector<std::uint32_t> dipole_directions, quadrupole_directions;
  };
  struct Neighbor {
    Vec3 center;
    std::uint32_t kind;
    std::uint32_t vectors;  ///< index of the first of its vectors in the laboratory frame
    std::uint32_t charges, charge_count;  ///< its sites, at places relative to the center
    std::int64_t id;
  };
  struct CellOffset {
    int x, y, z;
  };

  static Shape shape_of(const Component& component);
  KindPair sites_between(std::size_t a, std::size_t b) const;
  KindPair functions_between(std::vector<PairFunction> functions) const;
  double core_of(const PairFunction& function) const;
  static double energy_of(const SitePair& pair, const Vec3& d, double r2, const Vec3* a,
                          const Vec3* b);
  /// The energy of two particles whose centers are `factor` times `between` apart. Which sites are
  /// within the cutoff is decided at factor 1.
  double scaled_energy(const KindPair& pair, const Vec3& between, double factor, const Vec3* own,
                       const Vec3* other) const;
  double correction_of_atoms(std::size_t kind, std::span<const double> counts, double volume) const;
  void turn(std::size_t kind, const Quaternion& orientation, std::vector<Vec3>& vectors) const;
  void find_cells(const Frame& frame);
  /// Sets up charges and dipoles at any distance, if an inserted molecule has any.
  void add_charges(const comm::Context& context, const Input& input,
                   std::span<const std::size_t> kinds);
  /// Appends the charges and dipoles of a particle of this kind.
  void place_charges(std::size_t kind, std::int64_t id, const Vec3& center,
                     const Quaternion& orientation,
                     std::vector<InsertedCharges::Site>& sites) const;
  double energy_of_charges(const Quaternion& orientation);

  MoleculeModel model_;
  double hard_;
  double range_ = 0.0;
  bool corrected_;
  std::vector<Shape> shapes_;
  std::vector<KindPair> pairs_;            ///< kinds^2, the inserted one first
  std::vector<PairFunction::Tail> tails_;  ///< kinds^2; of pairs of atoms
  std::optional<HomogeneousCorrection> molecules_beyond_;

  const Topology& topology_;
  std::optional<InsertedCharges> charges_;                        ///< at any distance
  std::vector<std::vector<InsertedCharges::Site>> charge_sites_;  ///< by kind, in the body frame
  double atom_charge_factor_ = 1.0;  ///< of the charges in the topology

  // The particles of the present frame, sorted by cells, and behind them those that were added.
  std::vector<Neighbor> neighbors_;
  std::size_t sorted_ = 0;
  std::vector<Vec3> vectors_;
  std::vector<InsertedCharges::Site> placed_charges_;
  std::vector<std::uint32_t> cell_begin_;
  std::vector<CellOffset> offsets_;  ///< of cells with particles in range, the nearest first
  Box box_{};
  Vec3 region_low_, region_high_;  ///< of this rank, unsheared
  Shear shear_;
  Vec3 low_, per_edge_;
  int cells_[3] = {1, 1, 1};

  // The molecule that was placed.
  std::size_t kind_ = 0;
  Vec3 center_;
  std::vector<std::uint32_t> found_;
  std::vector<Vec3> own_;
  std::vector<InsertedCharges::Site> own_charges_;
};

}  // namespace sterna::md
