#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "md/input/input.hpp"
#include "md/system/topology.hpp"

namespace sterna::md {

/// u; an atom up to this mass is hydrogen, which has 3 to 4 u if mass was moved to it.
inline constexpr double heaviest_hydrogen = 4.5;

/// The value of a parameter in a term of a molecule; nothing if it is not given.
std::optional<double> bonded_parameter(const Input::MoleculeTerm& term, std::string_view name);

/// The virtual sites of a molecule. Throws CircularVirtualSite.
std::vector<VirtualSite> virtual_sites_of(const Input::Molecule& molecule);

/// The topology of the molecules of a valid input whose files have been read; empty if it has none.
Topology topology_from_input(const Input& input);

/// The fixed distances of a molecule: those of [[molecule.constraint]], and the lengths of bonds
/// that `constrained_bonds` selects and that no [[molecule.constraint]] has. Pairs ascend.
std::vector<Topology::Constraint> constraints_of(const Input& input,
                                                 const Input::Molecule& molecule);

/// An upper bound of the distance between atoms that share a term or an exclusion, from the lengths
/// of the bonds between them plus a tenth; 0 if bonds do not tell.
double molecule_extent(const Input& input);
/// Whether this bound holds for all such atoms: they are joined by bonds of known lengths or
/// constraints, and none is a virtual site.
bool molecule_extent_is_certain(const Input& input);

/// A text that describes the molecules completely: two inputs with the same text have the same
/// molecules.
std::string molecules_text(const Input& input);

}  // namespace sterna::md
