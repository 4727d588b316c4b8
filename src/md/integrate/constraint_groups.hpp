#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "md/input/sections/run_section.hpp"
#include "md/integrate/constraint_rotor.hpp"
#include "md/integrate/kernels/constraint_kernels.hpp"
#include "md/integrate/settle.hpp"
#include "md/system/rigid_shape.hpp"
#include "md/system/topology.hpp"

namespace sterna::md {

/// A constraint of a kind of molecule whose length changes with an alchemical lambda.
struct ChangingConstraint {
  Topology::Pair atoms;
  double change;  ///< d(length) / d(lambda)
};
/// Those of all kinds of molecules; empty: there are none.
using ChangingConstraints = std::vector<std::vector<ChangingConstraint>>;

/// Constraints of a kind of molecule that share atoms, directly or through other constraints. They
/// are solved together.
struct ConstraintGroup {
  std::vector<std::int32_t> atoms;   ///< in the molecule; each but the first is constrained to an
                                     ///< earlier one
  std::vector<std::int32_t> parent;  ///< place of that earlier one in `atoms`; -1: the first
  /// Distances between places in `atoms`. For SETTLE: two legs, whose second atom is the apex, then
  /// the base. For rotors, the constraints of each atom but the first to its parent come first,
  /// with the parent as second atom.
  std::vector<PointDistance> constraints;
  std::vector<double> changes;           ///< d(length) / d(lambda) of each; empty: none changes
  std::uint32_t number = 0;              ///< index among the groups of all kinds of molecules
  std::optional<ConstraintRotor> rotor;  ///< set if the group moves as a rigid body
  std::optional<Settle> settle;          ///< set if SETTLE solves the group
  bool spans_ranks = false;              ///< whether all ranks solve it together
  /// Groups with constraints between the same places have the same number, for any distances. Empty
  /// for groups that kernels do not solve side by side.
  std::optional<std::uint32_t> shape;
  /// An upper limit of the distance between any two of its atoms.
  double extent = 0.0;

  /// The change of the constraint between these atoms of the molecule; 0 if it does not change.
  double change_of(const Topology::Pair& atoms) const;
};

/// The groups of all kinds of molecules, and the method that solves each.
class ConstraintGroups {
 public:
  /// `inverse_masses`: by type. `tolerance`: as for `Constraints`. `halo`: the extent up to which a
  /// group fits into the halo as it is. Groups with constraints in `changing` are neither rotors nor
  /// solved by SETTLE, because the force along each of their constraints must be known.
  ConstraintGroups(const Topology& topology, std::span<const double> inverse_masses,
                   ConstraintAlgorithm algorithm, double tolerance, double halo,
                   const ChangingConstraints& changing = {});

  /// The group of an atom; null if it has no constraint.
  const ConstraintGroup* of(const Topology::Place& place) const;
  /// Whether any group is solved by all ranks together.
  bool span_ranks() const;
  /// Whether the length of any constraint changes with an alchemical lambda.
  bool lengths_change() const;
  /// Names of the kinds of molecules that have rotors.
  const std::vector<std::string>& with_rotors() const { return with_rotors_; }
  /// The halo width that gives every rank all atoms of the groups that it solves.
  double extent() const;

 private:
  struct Kind {
    std::vector<ConstraintGroup> groups;
    std::vector<std::int32_t> group_of;  ///< for each atom; -1: in no group
  };
  static Kind kind_of(const Topology::Molecule& molecule);
  /// Chooses the method that solves a group of `molecule`.
  void choose(ConstraintGroup& group, const Topology::Molecule& molecule,
              std::span<const double> inverse_masses, ConstraintAlgorithm algorithm,
              double tolerance, double halo);
  /// The shape number of a group that kernels solve side by side; otherwise empty.
  std::optional<std::uint32_t> shape_of(const ConstraintGroup& group);

  std::vector<Kind> kinds_;  ///< for each kind of molecule
  /// The constraints of each shape.
  std::vector<std::vector<ConstrainedPair>> shapes_;
  std::vector<std::string> with_rotors_;
};

}  // namespace sterna::md
