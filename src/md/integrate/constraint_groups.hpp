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

/// Constraints of a kind of molecule that share atoms, directly or through others: they are solved
/// together.
struct ConstraintGroup {
  std::vector<std::int32_t> atoms;   ///< in the molecule; each but the first is constrained to an
                                     ///< earlier one
  std::vector<std::int32_t> parent;  ///< the place of that one in `atoms`; -1: the first
  /// Between places in `atoms`. Of SETTLE's: the legs, whose second atom is the apex, then the
  /// base. Of rotors: first those of each atom but the first to its parent, which is the second.
  std::vector<PointDistance> constraints;
  std::uint32_t number = 0;              ///< among all groups of all kinds of molecules
  std::optional<ConstraintRotor> rotor;  ///< moves it
  std::optional<Settle> settle;          ///< solves it
  bool spans_ranks = false;              ///< solved by all ranks together
  /// Groups with the same constraints between their atoms have the same number, whatever the
  /// distances. Nothing: they are not solved side by side.
  std::optional<std::uint32_t> shape;
  /// How far two of its atoms can be from each other at most, by the distances between them.
  double extent = 0.0;
};

/// The groups of all kinds of molecules, and how each is solved.
class ConstraintGroups {
 public:
  /// `inverse_masses`: by type. `tolerance`: as that of `Constraints`. `halo`: lengths up to which
  /// a group does not widen the halo.
  ConstraintGroups(const Topology& topology, std::span<const double> inverse_masses,
                   ConstraintAlgorithm algorithm, double tolerance, double halo);

  /// The group of an atom; null where it has no constraint.
  const ConstraintGroup* of(const Topology::Place& place) const;
  /// Whether some group is solved by all ranks together.
  bool span_ranks() const;
  /// Names of the kinds of molecules that have rotors.
  const std::vector<std::string>& with_rotors() const { return with_rotors_; }
  /// How wide a halo must be, so that every rank has what it solves.
  double extent() const;

 private:
  struct Kind {
    std::vector<ConstraintGroup> groups;
    std::vector<std::int32_t> group_of;  ///< of each atom; -1: none
  };
  static Kind kind_of(const Topology::Molecule& molecule);
  /// Chooses what solves a group of `molecule`.
  void choose(ConstraintGroup& group, const Topology::Molecule& molecule,
              std::span<const double> inverse_masses, ConstraintAlgorithm algorithm,
              double tolerance, double halo);
  /// Of groups that kernels solve side by side, else nothing.
  std::optional<std::uint32_t> shape_of(const ConstraintGroup& group);

  std::vector<Kind> kinds_;  ///< of molecules
  /// The constraints of each shape.
  std::vector<std::vector<ConstrainedPair>> shapes_;
  std::vector<std::string> with_rotors_;
};

}  // namespace sterna::md
