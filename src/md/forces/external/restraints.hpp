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
/// where R0 is the position at the start, a position from a file, or one position for all. The
/// image of R0 is the one nearest to the atom at the start, and from then on the atom's unwrapped
/// path counts. If there is one position for all, the nearest image at any time counts. Source:
/// Allen and Tildesley, Computer Simulation of Liquids, 2nd edition, section 2.7 (tethered wall
/// atoms); GROMACS's manual, "Position restraints".
///
/// The virial, if it counts, is minus the derivative of U by a symmetric strain of the box and of
/// everything that moves with it.
class Restraints final : public ForceTerm {
 public:
  /// Passes on positions of atoms from a file with this box.
  struct PlaceOfAtom {
    std::int64_t id;
    Vec3 place;
  };
  using TakePlaces = std::function<void(std::span<const PlaceOfAtom> some, const Box& box)>;
  struct Restraint {
    double stiffness = 0.0;
    std::array<bool, 3> axes{true, true, true};
    std::optional<Vec3> place{};
    /// Collective. Gives the positions of a file to all ranks, in pieces.
    std::function<void(const TakePlaces&)> read_places{};
    std::string file{};               ///< name of the file, for messages
    Selection where{};                ///< selected at the start
    std::vector<AtomGroup> groups{};  ///< union, at the start; empty: all atoms, or those in the
                                      ///< file
    ReferenceScaling scaling = ReferenceScaling::none;
    bool has_virial = false;
  };

  /// Collective. The box must outlive this object. `masses`: by type.
  Restraints(const comm::Context& context, const Box& box, std::vector<Restraint> restraints,
             std::vector<double> masses);

  std::string_view name() const override { return "restraints"; }
  bool needs_all_ghosts() const override { return false; }
  /// The first call selects the atoms to hold. Throws std::runtime_error on all ranks if these are
  /// too many, or if a file lacks one.
  void rebuild(const ParticleStore& particles) override;
  void finish(ParticleStore& particles, EnergyAndVirial* sums) override;
  std::vector<comm::Verdict> verdicts() const override { return references_.verdicts(); }
  /// Collective. The state is on rank 0 only.
  std::vector<double> state() const override;
  void restore(std::span<const double> state) override;

 private:
  struct HeldHere {
    std::size_t index;      ///< index in the store
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
  Vec3 center_;  ///< of scaled reference positions, in edges of the box
  Vec3 middle_;  ///< of the box to which unscaled positions belong
  bool known_ = false;
};

}  // namespace sterna::md
