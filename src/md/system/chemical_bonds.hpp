#pragma once

#include <vector>

#include "md/system/topology.hpp"

namespace sterna::md {

/// Which atoms of a molecule are bonded, for files: its bonds, and the constraints that stand in
/// their place. A constraint that is the longest side of a triangle (the two hydrogen atoms of rigid
/// water) keeps an angle and is no bond. Each pair once, the lower atom first; pairs ascend.
std::vector<Topology::Pair> chemical_bonds(const Topology::Molecule& molecule);

}  // namespace sterna::md
