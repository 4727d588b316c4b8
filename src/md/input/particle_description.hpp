#pragma once

#include <string>

#include "md/input/input.hpp"
#include "md/system/topology.hpp"

namespace sterna::md {

/// Describes the particles of a trajectory as JSON, for programs that show the atoms of molecules:
///   {"format": 1, "units": "nano",
///    "types": [{"name", "mass", "charge"}],
///    "components": [{"name", "inertia", "sites": [{"kind", "position", "mass", ...}]}],
///    "molecules": [{"name", "atoms": [{"name", "type", "charge"}], "bonds": [[0, 1]],
///                   "constraints": [[0, 1, distance]]}],
///    "runs": [[molecule, count]]}
/// `units`: the input's unit system; the numbers here are in nm, u, kJ/mol and e, or reduced. Sites
/// are in the body frame, which orientations rotate into the laboratory's. Atoms of molecules count
/// from 0; `runs` lists the molecules in the order of their ids.
std::string particle_description(const Input& input, const Topology& topology);

}  // namespace sterna::md
