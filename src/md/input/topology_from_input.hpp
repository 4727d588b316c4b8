#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "md/input/input.hpp"
#include "md/system/topology.hpp"

namespace sterna::md {

/// In u; with mass moved to it from its neighbor, hydrogen has 3 to 4.
inline constexpr double heaviest_hydrogen = 4.5;

/// What a term of a molecule gives of a parameter.
std::optional<double> bonded_parameter(const Input::MoleculeTerm& term, std::string_view name);

/// The virtual sites of a molecule. Throws CircularVirtualSite.
std::vector<VirtualSite> virtual_sites_of(const Input::Molecule& molecule);

/// Of the molecules of a valid input whose files have been read; empty where it has none.
Topology topology_from_input(const Input& input);

/// Distances that stay as they are: those of [[molecule.constraint]], and of the bonds that
/// `constrained_bonds` names, where no [[molecule.constraint]] has their atoms. Pairs ascend.
std::vector<Topology::Constraint> constraints_of(const Input& input,
                                                 const Input::Molecule& molecule);

/// How far atoms that have a term or an exclusion in common can be from each other, by the lengths
/// of the bonds between them and a tenth more; 0 where bonds do not tell.
double molecule_extent(const Input& input);
/// Whether that is so for all of them: bonds of known lengths and constraints join them, and none is a
/// virtual site.
bool molecule_extent_is_certain(const Input& input);

/// All that the molecules are, so that two inputs with the same text have the same molecules.
std::string molecules_text(const Input& input);

}  // namespace sterna::md
