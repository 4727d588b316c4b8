#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "md/core/box.hpp"
#include "md/forces/external/reference_positions.hpp"
#include "md/forces/external/reference_scaling.hpp"
#include "md/forces/force_term.hpp"
#include "md/system/atom_group.hpp"
#include "md/system/selection.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Springs that hold atoms, or the centers of rigid molecules, at reference positions:
///
///     U = (k/2) sum over the axes of (R - R0)^2,
///
/// with R0 where the atom was at the start, where a file has it, or one place for all. The image
/// of R0 is the nearest one: to where the atom is at the start, from where on its path through all
/// images of the box counts, or to where it is at any time if there is one place for all. Source:
/// Allen and Tildesley, Computer Simulation of Liquids, 2nd edition, section 2.7 (tethered wall
/// atoms); GROMACS's manual, "Position restraints".
///
/// The virial, where it counts, is minus the derivative of U by a symmetric strain of the box and
/// of all that moves with it.
class Restraints final : public ForceTerm {
 public:
  /// Positions of atoms out of a file with this box.
  struct PlaceOfAtom {
    std::int64_t id;
    Vec3 place;
  };
  using TakePlaces = std::function<void(std::span<const PlaceOfAtom> some, const Box& box)>;
  struct Restraint {
    double stiffness = 0.0;
    std::array<bool, 3> axes{true, true, true};
    std::optional<Vec3> place{};
    /// Collective. Gives the positions of a file to all ranks, some at a time.
    std::function<void(const TakePlaces&)> read_places{};
    std::string file{};               ///< its name, for messages
    Selection where{};                ///< at the start
    std::vector<AtomGroup> groups{};  ///< at the start, any of them; empty: all atoms, or those
                                      ///< that the file has
    ReferenceScaling scaling = ReferenceScaling::none;
    bool has_virial = false;
  };

  /// Collective. The box outlives this. `masses`: by type.
  Restraints(const comm::Context& context, const Box& box, std::vector<Restraint> restraints,
             std::vector<double> masses);

  std::string_view name() const override { return "restraints"; }
  bool needs_all_ghosts() const override { return false; }
  /// The first call finds out who is held; std::runtime_error on all ranks where these are too
  /// many, or a file lacks one.
  void rebuild(const ParticleStore& particles) override;
  void finish(ParticleStore& particles, EnergyAndVirial* sums) override;
  std::vector<comm::Verdict> verdicts() const override { return references_.verdicts(); }
  /// Collective. On rank 0 only.
  std::vector<double> state() const override;
  void restore(std::span<const double> state) override;

 private:
  struct HeldHere {
    std::size_t index;      ///< in the store
    std::size_t reference;  ///< in `of_here_`
  };
  void find_all(const ParticleStore& particles);
  void read_places(const Restraint& restraint, std::vector<ReferencePosition>& held) const;
  void place_about_center(const ParticleStore& particles, std::vector<ReferencePosition>& held);
  bool may_hold(const Restraint& restraint, std::int64_t id, std::int64_t type) const;
  bool holds(const Restraint& restraint, const ParticleStore& particles, std::size_t i) const;
  Vec3 path(const ParticleStore& particles, std::size_t i) const;
  void restore_first_format(std::span<const double> state);

  comm::Context context_;
  const Box& box_;
  std::vector<Restraint> restraints_;
  std::vector<double> masses_;
  ReferencePositions references_;
  std::span<const ReferencePosition> of_here_;
  std::vector<HeldHere> here_;
  Vec3 center_;  ///< of those that are scaled so: in edges of the box
  Vec3 middle_;  ///< of the box in which reference positions that are not scaled were
  bool known_ = false;
};

}  // namespace sterna::md
