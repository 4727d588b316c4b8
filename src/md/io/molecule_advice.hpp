#pragma once

#include <string>
#include <vector>

#include "md/io/diagnostics.hpp"
#include "md/io/input.hpp"
#include "md/model/component.hpp"

namespace sterna::md {

/// The fastest turning of the components' molecules, with the name of the one that does it.
struct FastestTurn {
  /// Of small oscillations of the molecule's dipole between four neighbors like it, one largest
  /// sigma away, that point along it: 2 pi sqrt(I / k) with the smallest moment of inertia across
  /// the dipole and k = 8 dipole^2 / sigma^3. 0 where nothing librates.
  double libration_period = 0.0;
  std::string librating;
  /// Root mean square angular velocity about the axis of the smallest moment: sqrt(kT / I).
  double angular_velocity = 0.0;
  std::string rotating;
};
FastestTurn fastest_turn(const Input& input, double temperature);

/// The farthest that two molecules of this kind can be and still touch, each by its outermost
/// Lennard-Jones site: twice that site's distance from the center of mass, and its sigma.
double contact_distance(const Component& component);

/// What `physics_advice` says of the components of a valid input: charge of the system, moments of
/// inertia that no body has, sites that reach far beside the cutoff, time step and turning.
/// `temperature`: the highest that the run will have.
std::vector<Diagnostic> molecule_advice(const Input& input, double temperature);

}  // namespace sterna::md
