#pragma once

#include <optional>
#include <string>
#include <vector>

#include "md/input/diagnostics.hpp"
#include "md/input/input.hpp"

namespace sterna::md {

/// The fastest motion of the model: the harmonic oscillation of two particles about the minimum of
/// their pair potential, 2 pi sqrt(m / k) with the reduced mass m and the curvature
/// k = 36 * 2^(2/3) epsilon / sigma^2 = 57.15 epsilon / sigma^2; of unlike charges about the
/// minimum that they have together with their Lennard-Jones potential. Of components: two molecules
/// of one kind in the well of two of their sites, where a molecule gives way by turning too.
struct FastestMotion {
  double period = 0.0;  ///< 0 where nothing interacts
  std::string first, second;
};
FastestMotion fastest_motion(const Input& input);
/// Likewise of two bonded atoms about the length of their bond, where no constraint keeps it.
FastestMotion fastest_bond(const Input& input);

/// The fastest bending of an angle that no constraints keep: 2 pi / sqrt(k G) with its stiffness k
/// and, of the masses and the lengths r of its bonds (E. B. Wilson, J. C. Decius and P. C. Cross,
/// Molecular Vibrations (1955), section 4-2),
/// G = 1/(m1 r12^2) + 1/(m3 r32^2) + (1/r12^2 + 1/r32^2 - 2 cos(theta0)/(r12 r32)) / m2.
/// Of angles that share atoms each is taken by itself.
struct FastestAngle {
  double period = 0.0;  ///< 0 where there is none
  std::string first, middle, last;
};
FastestAngle fastest_angle(const Input& input);

/// The fastest turning of the components' molecules, with the name of the one that does it.
struct FastestTurn {
  /// Of small oscillations of a molecule between four neighbors like it, about the smallest moment
  /// of inertia I across its axis: 2 pi sqrt(I / k). Of a dipole, which neighbors point along, one
  /// largest sigma away: k = 8 dipole^2 / sigma^3. Of a quadrupole among neighbors across it, half
  /// of the largest sigma and of the farthest contact away: k = 56 quadrupole^2 / distance^5.
  /// 0 where nothing librates.
  double libration_period = 0.0;
  std::string librating;
  std::string moment;  ///< "dipole" or "quadrupole"
  /// Root mean square angular velocity about the axis of the smallest moment: sqrt(kT / I).
  double angular_velocity = 0.0;
  std::string rotating;
};
FastestTurn fastest_turn(const Input& input, double temperature);

/// The time step that is named where that of the input is far shorter than it need be: it suits
/// every motion of the model, turning and flying too. Nothing where the step is not, or where a
/// motion is unknown: that of charges that no Lennard-Jones site keeps apart, or of molecules with
/// a net charge.
std::optional<double> longer_timestep(const Input& input, double temperature);

/// What `physics_advice` says of the time step of a valid input whose particles move by
/// velocity-Verlet. `temperature`: the highest that the run will have.
std::vector<Diagnostic> timestep_advice(const Input& input, double temperature);

}  // namespace sterna::md
