#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "md/input/sections/run_section.hpp"
#include "md/integrate/kernels/constraint_kernels.hpp"
#include "md/integrate/settle.hpp"
#include "md/system/topology.hpp"

namespace sterna::md {

/// Constraints of a kind of molecule that share atoms, directly or through others: they are solved
/// together.
struct ConstraintGroup {
  struct Pair {
    std::uint32_t first, second;  ///< in `atoms`
    double distance;
  };
  std::vector<std::int32_t> atoms;   ///< in the molecule; each but the first is constrained to an
                                     ///< earlier one
  std::vector<std::int32_t> parent;  ///< the place of that one in `atoms`; -1: the first
  /// Of SETTLE's: the legs, whose second atom is the apex, then the base.
  std::vector<Pair> constraints;
  std::optional<Settle> settle;  ///< solves it
  bool spans_ranks = false;      ///< solved by all ranks together
  /// Groups with the same constraints between their atoms have the same number, whatever the
  /// distances. Nothing: they are not solved side by side.
  std::optional<std::uint32_t> shape;
  /// How far two of its atoms can be from each other at most, by the distances between them.
  double reach = 0.0;
};

/// The groups of all kinds of molecules, and how each is solved.
class ConstraintGroups {
 public:
  /// `inverse_masses`: by type. `halo`: lengths up to which a group does not widen the halo.
  ConstraintGroups(const Topology& topology, std::span<const double> inverse_masses,
                   ConstraintAlgorithm algorithm, double halo);

  /// The group of an atom; null where it has no constraint.
  const ConstraintGroup* of(const Topology::Place& place) const;
  /// Whether some group is solved by all ranks together.
  bool span_ranks() const;
  /// How wide a halo must be, so that every rank has what it solves.
  double reach() const;

 private:
  struct Kind {
    std::vector<ConstraintGroup> groups;
    std::vector<std::int32_t> group_of;  ///< of each atom; -1: none
  };
  static Kind kind_of(const Topology::Molecule& molecule);
  /// Of groups that kernels solve side by side, else nothing.
  std::optional<std::uint32_t> shape_of(const ConstraintGroup& group);

  std::vector<Kind> kinds_;  ///< of molecules
  /// The constraints of each shape.
  std::vector<std::vector<ConstrainedPair>> shapes_;
};

}  // namespace sterna::md
