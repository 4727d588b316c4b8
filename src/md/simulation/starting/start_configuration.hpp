#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "md/core/box.hpp"
#include "md/core/keyed_permutation.hpp"
#include "md/core/random.hpp"
#include "md/domain/decomposition.hpp"
#include "md/input/input.hpp"
#include "md/simulation/starting/start_orientation.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// A start whose particles are a pure function of their number: each rank makes the particles of
/// its own region without communication, and the result does not depend on the number of ranks. Ids
/// are 1 ... particle_count(); velocities and images are 0.
///
/// Molecules that can turn have random orientations (StartOrientation); others have none.
///
/// Types are distributed in exact proportion to the fractions (largest remainders), in an order
/// drawn from the seed, except in zincblende, where they follow the sublattices. Throws
/// std::invalid_argument if a count, density or fraction is not positive and finite, or if there
/// are more than 2^47 sites.
class StartConfiguration {
 public:
  /// A full lattice of `cells` unit cells; the density sets the cell's edge. The sites are placed
  /// so that none lies on a cell's face: at odd quarters or eighths, or in the middle (sc). The
  /// first type of zincblende is on the sublattice of the cell's first four sites.
  static StartConfiguration lattice(CrystalLattice lattice, std::array<int, 3> cells,
                                    double density, std::span<const double> fractions,
                                    std::uint64_t seed);

  /// A cubic box with exactly `particles` at exactly `density`, in the smallest cubic number of
  /// cells that holds them. Surplus sites stay empty: the sites are divided into as many runs of
  /// equal length as there are surplus sites, and one site drawn from each run is empty. Holes are
  /// then evenly spread, and yet form no pattern with the rows of the lattice.
  static StartConfiguration lattice(CrystalLattice lattice, std::int64_t particles, double density,
                                    std::span<const double> fractions, std::uint64_t seed);

  /// `particles` at random in a cubic box, no two nearer than `minimum_distance` (0: no limit).
  ///
  /// Dilute fluids, with number density * minimum_distance^3 <= 1/8: the box is divided into up to
  /// eight times as many cubes as there are particles, none narrower than two minimum distances. A
  /// random choice of cubes gets one particle each, uniform in the cube without half a minimum
  /// distance at each face. Over distances above a cube's edge this is an ideal gas with somewhat
  /// smaller fluctuations of density. Dense fluids: a cubic lattice with the widest spacing,
  /// surplus sites empty as above, and each particle displaced by a vector that is uniform in the
  /// ball of radius (spacing - minimum_distance) / 2.
  ///
  /// Neither is the fluid's equilibrium. Both are valid starts for a minimization or, with a
  /// minimum distance near the particles' diameter, for dynamics whose equilibration forgets them.
  /// Throws std::invalid_argument, with the largest possible distance, if no lattice keeps this
  /// one.
  static StartConfiguration random(std::int64_t particles, double density, double minimum_distance,
                                   std::span<const double> fractions, std::uint64_t seed);

  /// The start for [start] and [[type]] or [[component]], if [start] kind is "lattice" or "random".
  /// A minimum distance of 0 is replaced by 0.85 of the largest sigma (for components: of the
  /// largest contact distance), or by 0.9 of the largest distance that the density allows if this
  /// is less.
  static StartConfiguration from_input(const Input& input);

  const Box& box() const { return box_; }
  std::int64_t particle_count() const { return particles_; }
  /// The number of particles of each type.
  const std::vector<std::int64_t>& type_counts() const { return type_counts_; }
  /// No two particles, images included, are nearer than this, to rounding.
  double guaranteed_distance() const { return guaranteed_distance_; }

  using Visitor = std::function<void(const ParticleRecord&)>;
  /// Calls `visitor` for each particle with its position in `region`, which lies in the box. Takes
  /// time proportional to the number of sites in the region and its surface.
  void visit(const Region& region, const Visitor& visitor) const;

  /// The largest minimum distance that `random` can keep for so many particles at this density.
  static double largest_minimum_distance(std::int64_t particles, double density);

 private:
  enum class Vacancies { none, one_each_run, permuted };
  enum class Displacement { none, ball, cube };

  StartConfiguration(CrystalLattice lattice, const std::array<std::int64_t, 3>& cells,
                     const Box& box, std::int64_t particles, std::span<const double> fractions,
                     std::uint64_t seed);
  std::optional<std::int64_t> index_at(std::int64_t site) const;
  ParticleRecord particle(std::int64_t index, std::int64_t type, Vec3 site_position) const;
  std::int64_t type_of(std::int64_t index) const;

  std::span<const Vec3> basis_;
  std::array<std::int64_t, 3> cells_;
  Box box_;
  Vec3 cell_edge_;
  std::int64_t sites_;
  std::int64_t particles_;
  double guaranteed_distance_;
  bool type_by_sublattice_ = false;
  Vacancies vacancies_ = Vacancies::none;
  Displacement displacement_ = Displacement::none;
  double jitter_ = 0.0;  ///< radius of the ball or half width of the cube
  RandomStream vacancy_stream_;
  RandomStream displacement_stream_;
  StartOrientation orientation_;
  std::vector<char> turns_;  ///< by type: has an orientation; empty: none
  KeyedPermutation site_order_;
  KeyedPermutation type_order_;
  std::vector<std::int64_t> type_counts_;
};

}  // namespace sterna::md
