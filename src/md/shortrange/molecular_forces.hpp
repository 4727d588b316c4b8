#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "md/core/quaternion.hpp"
#include "md/model/molecule_model.hpp"
#include "md/particles/aligned_buffer.hpp"
#include "md/particles/particle_store.hpp"
#include "md/shortrange/molecular_work.hpp"
#include "md/shortrange/pair_list.hpp"

namespace sterna::md {

/// The forces and torques between rigid molecules of any number of sites, on the rows of a
/// PairList over their centers of mass. Each step: `place_sites` of the local molecules, `compute`
/// of the interior cells; then, with the ghosts at their new places, `place_sites` of the ghosts
/// and `compute` of the boundary cells. The type of a Position is the index of its component.
class MolecularForces {
 public:
  /// Throws std::invalid_argument for kernels that this processor lacks.
  MolecularForces(const MoleculeModel& model, Precision precision, std::string_view kernels);

  /// Largest distance of two centers at which molecules may interact: the cutoff, and with a site
  /// cutoff the reach of the sites besides. A list needs this radius and its skin.
  double range() const { return range_; }
  std::string_view kernels() const { return kernels_.name; }
  std::size_t memory_bytes() const;

  /// Turns the sites of the molecules [begin, end) into the laboratory frame. Both spans hold local
  /// molecules, then ghosts; orientations of components without extent are not read.
  void place_sites(std::span<const Position> centers, std::span<const Quaternion> orientations,
                   std::size_t begin, std::size_t end);

  /// Sets force and torque (laboratory frame, about the center of mass) of the molecules in these
  /// cells of `list`; adds to `sums` where it is given. `centers` holds all molecules of the last
  /// build and behind them the dummy that PairList::build put there. The virial is that of the
  /// centers of mass; a reaction field adds its pair energy to each diagonal element, as if the
  /// cutoff scaled with the box (the convention of ls1-MarDyn and ms2).
  void compute(const PairList& list, PairList::Cells cells, std::span<const Position> centers,
               std::span<Vec3> force, std::span<Vec3> torque, PairSums* sums);

 private:
  struct Columns;
  /// Lennard-Jones sites and charges; the rest.
  void add_radial_terms(const MoleculeModel& model, std::size_t a, std::size_t b,
                        const Columns& columns_a, const Columns& columns_b);
  void add_multipole_terms(const MoleculeModel& model, std::size_t a, std::size_t b,
                           const Columns& columns_a, const Columns& columns_b);

  const MolecularKernels& kernels_;
  Precision precision_;
  double range_ = 0.0;
  bool site_cutoff_;
  double cutoff_squared_, lennard_jones_cutoff_squared_;

  std::vector<SiteLayout> layouts_;  ///< of each component
  std::vector<Vec3> body_;           ///< of all components: what `place_sites` turns
  std::vector<SiteTerm> terms_;
  std::vector<std::uint32_t> term_begin_;  ///< of each pair of components, and the end
  std::size_t record_stride_ = 0;          ///< numbers of the longest record
  AlignedBuffer<double> sites_;
  AlignedBuffer<float> sites_single_;
  AlignedBuffer<double> scratch_;
};

}  // namespace sterna::md
