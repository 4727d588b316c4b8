#pragma once

#include <string>
#include <vector>

#include "md/input/input.hpp"
#include "md/system/topology.hpp"

namespace sterna::md {

/// The labels of an atom in files of other programs.
struct AtomLabel {
  std::string element;  ///< chemical symbol; empty if it is no element
  std::string name;     ///< such as "O" or "H1"
  std::string type;     ///< the same for equal atoms
  double charge = 0.0;  ///< in the units of the input
};

/// Of each `[[type]]` a single one, then of the atoms of each `[[component]]`, in the order of
/// `atom_places`. The rules are those of python/sterna/frames/atoms.py, so that a file written
/// while a run lasts has the names of one that was exported.
std::vector<std::vector<AtomLabel>> labels_of_particles(const Input& input);

/// Returns the labels of the atoms of a `[[molecule]]`, in its order; none for a `[[component]]`.
std::vector<AtomLabel> labels_of_molecule(const Input& input, const Topology::Molecule& molecule);

}  // namespace sterna::md
