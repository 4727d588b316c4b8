#pragma once

#include <string>
#include <vector>

#include "md/input/input.hpp"
#include "md/system/topology.hpp"

namespace sterna::md {

/// What files of other programs say of an atom.
struct AtomLabel {
  std::string element;  ///< a symbol; empty where it is none
  std::string name;     ///< such as "O" or "H1"
  std::string type;     ///< alike atoms have the same
  double charge = 0.0;  ///< as the input counts it
};

/// Of each `[[type]]` a single one, then of the atoms of each `[[component]]`, in the order of
/// `atom_places`. The rules are those of python/sterna/atoms.py, so that a file written
/// while a run lasts has the names of one that was exported.
std::vector<std::vector<AtomLabel>> labels_of_particles(const Input& input);

/// Of the atoms of a `[[molecule]]`, in its order; none where it is a `[[component]]`.
std::vector<AtomLabel> labels_of_molecule(const Input& input, const Topology::Molecule& molecule);

}  // namespace sterna::md
