#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "md/input/atom_groups.hpp"
#include "md/observe/observer_table.hpp"
#include "md/observe/whole_molecules.hpp"

namespace sterna::md {

/// The atoms of groups beside where they were in the first sample, after the translation and
/// rotation that bring them nearest. The atoms of a molecule are those of a whole; where a group has
/// several molecules, these are where they have moved to without jumps.
class GroupFit {
 public:
  /// `groups`: names of [[group]]s, which do not ask for positions. `name`: of the exchange.
  GroupFit(const ObserverRequest& request, const std::vector<std::string>& groups,
           bool mass_weighted, const std::string& name);

  std::size_t group_count() const { return groups_.size(); }
  const std::string& name_of(std::size_t group) const { return groups_[group].name(); }
  /// The ids of the atoms of a group, ascending.
  std::span<const std::int64_t> ids_of(std::size_t group) const { return ids_[group]; }

  /// Collective. To be called for each frame; the first one is the reference.
  void gather(const Frame& frame);

  /// The fit of this rank's atoms of a group, valid until the next call.
  struct Fit {
    std::span<const std::size_t> places;  ///< among the ids of the group
    std::span<const Vec3> moves;          ///< from the reference, after the fit
    double deviation;                     ///< root mean square of all atoms of the group
  };
  /// Collective. Of the frame that was gathered last.
  Fit fit(std::size_t group);

  /// The reference, and the way back; `set_reference` returns how many of the values are its, or 0
  /// where they are of other groups.
  std::vector<double> reference() const;
  std::size_t set_reference(std::span<const double> values);

 private:
  void place_atoms(std::size_t group);
  void keep_reference(std::size_t group);
  Vec3 center();

  comm::Context context_;
  bool mass_weighted_;
  std::vector<AtomGroup> groups_;
  WholeMolecules whole_;
  std::vector<std::vector<std::int64_t>> ids_;  ///< of each group, ascending
  std::vector<std::vector<Vec3>> reference_;  ///< of each group: about its center; empty: none yet
  std::span<const WholeMolecules::Molecule> molecules_;  ///< of the present frame
  std::span<const double> masses_;
  std::vector<std::size_t> places_;  ///< of this rank's atoms of one group, and the next
  std::vector<Vec3> positions_;
  std::vector<double> weights_;
  double weight_ = 0.0;  ///< of the whole group
};

}  // namespace sterna::md
