#pragma once

#include <string>
#include <vector>

#include "md/input/diagnostics.hpp"
#include "md/input/input.hpp"
#include "md/model/component.hpp"

namespace sterna::md {

/// The largest distance of centers at which two molecules of this kind can touch by their outermost
/// Lennard-Jones sites: twice that site's distance from the center of mass, plus its sigma.
double contact_distance(const Component& component);

/// Advice on the components of a valid input: moments of inertia that no body can have, sites that
/// are far from the center compared with the cutoff, charges that are cut off.
std::vector<Diagnostic> molecule_advice(const Input& input);

}  // namespace sterna::md
