#pragma once

#include <string>
#include <vector>

#include "md/input/diagnostics.hpp"
#include "md/input/input.hpp"
#include "md/model/component.hpp"

namespace sterna::md {

/// The farthest that two molecules of this kind can be and still touch, each by its outermost
/// Lennard-Jones site: twice that site's distance from the center of mass, and its sigma.
double contact_distance(const Component& component);

/// What `physics_advice` says of the components of a valid input: moments of inertia that no body
/// has, sites whose distance from the center is not small against the cutoff, charges that are cut
/// off.
std::vector<Diagnostic> molecule_advice(const Input& input);

}  // namespace sterna::md
