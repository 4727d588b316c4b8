#pragma once

#include <cstdint>
#include <vector>

#include "md/system/rigid_shape.hpp"
#include "md/system/topology.hpp"

namespace sterna::md {

/// Atoms of a molecule that constraints join, directly or through others.
struct JoinedAtoms {
  std::vector<std::int32_t> atoms;         ///< each but the first is constrained to an earlier one
  std::vector<std::int32_t> parent;        ///< the place of that one in `atoms`; -1: the first
  std::vector<double> to_parent;           ///< distances; of the first: 0
  std::vector<std::uint32_t> constraints;  ///< places in `Molecule::constraints`
  std::vector<PointDistance> distances;    ///< of each, between places in `atoms`
};

struct JoinedGroups {
  std::vector<JoinedAtoms> groups;
  std::vector<std::int32_t> group_of;  ///< of each atom of the molecule; -1: none
};

JoinedGroups joined_by_constraints(const Topology::Molecule& molecule);

}  // namespace sterna::md
