#pragma once

#include <vector>

#include "md/system/topology.hpp"

namespace sterna::md {

/// The bonded pairs of atoms of a molecule, for files: its bonds, and the constraints in place of
/// bonds. A constraint along the longest side of a triangle (the two hydrogen atoms of rigid water)
/// fixes an angle and is no bond. Each pair is listed once, the lower atom first; pairs ascend.
std::vector<Topology::Pair> chemical_bonds(const Topology::Molecule& molecule);

}  // namespace sterna::md
