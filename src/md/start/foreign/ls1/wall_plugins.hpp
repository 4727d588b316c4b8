#pragma once

#include "md/start/foreign/ls1/molecule_types.hpp"
#include "md/start/foreign/ls1/plugins.hpp"

namespace sterna::md::ls1 {

/// Reads ls1's WallPotential and Mirror as [[wall]].
void read_wall_potential(const XmlElement& plugin, const MoleculeTypes& types, XmlValues& values,
                         const Decides& decides, Input& input);
void read_mirror(const XmlElement& plugin, const MoleculeTypes& types, XmlValues& values,
                 const Decides& decides, Input& input);

}  // namespace sterna::md::ls1
