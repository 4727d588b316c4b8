#pragma once

#include <cstdint>
#include <vector>

#include "md/system/rigid_shape.hpp"
#include "md/system/topology.hpp"

namespace sterna::md {

/// Atoms of a molecule that constraints join, directly or through other atoms.
struct JoinedAtoms {
  std::vector<std::int32_t> atoms;         ///< each but the first is constrained to an earlier one
  std::vector<std::int32_t> parent;        ///< place of that earlier one in `atoms`; -1: the first
  std::vector<double> to_parent;           ///< distance to the parent; 0 for the first
  std::vector<std::uint32_t> constraints;  ///< places in `Molecule::constraints`
  std::vector<PointDistance> distances;    ///< of each constraint, between places in `atoms`
};

struct JoinedGroups {
  std::vector<JoinedAtoms> groups;
  std::vector<std::int32_t> group_of;  ///< for each atom of the molecule; -1: in no group
};

JoinedGroups joined_by_constraints(const Topology::Molecule& molecule);

}  // namespace sterna::md
