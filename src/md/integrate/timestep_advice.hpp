#pragma once

#include <optional>
#include <string>
#include <vector>

#include "md/input/diagnostics.hpp"
#include "md/input/input.hpp"

namespace sterna::md {

/// The fastest motion of the model: the harmonic oscillation of two particles about the minimum of
/// their pair potential, 2 pi sqrt(m / k) with the reduced mass m and the curvature k = 36 *
/// 2^(2/3) epsilon / sigma^2 = 57.15 epsilon / sigma^2. For unlike charges the minimum is that of
/// charges and Lennard-Jones potential together. For components: two molecules of one kind in the
/// well of two of their sites, with the effective mass of a molecule that can also rotate.
struct FastestMotion {
  double period = 0.0;  ///< 0 if nothing interacts
  std::string first, second;
};
FastestMotion fastest_motion(const Input& input);
/// The fastest oscillation of two bonded atoms about the length of their bond, without constrained
/// bonds.
FastestMotion fastest_bond(const Input& input);

/// The fastest bending of an angle that is not fixed by constraints: 2 pi / sqrt(k G) with its
/// stiffness k and, of the masses and the lengths r of its bonds (E. B. Wilson, J. C. Decius and P.
/// C. Cross, Molecular Vibrations (1955), section 4-2), G = 1/(m1 r12^2) + 1/(m3 r32^2) + (1/r12^2
/// + 1/r32^2 - 2 cos(theta0)/(r12 r32)) / m2. Angles that share atoms are treated as independent.
struct FastestAngle {
  double period = 0.0;  ///< 0 if there is none
  std::string first, middle, last;
};
FastestAngle fastest_angle(const Input& input);

/// The fastest rotation of the components' molecules, with the name of the component.
struct FastestTurn {
  /// The period of libration of a molecule between four equal neighbors, about the smallest moment
  /// of inertia I across its axis: 2 pi sqrt(I / k). For a dipole, with neighbors along it at a
  /// distance of one largest sigma: k = 8 dipole^2 / sigma^3. For a quadrupole, with neighbors
  /// across it at half of the largest sigma plus the farthest contact: k = 56 quadrupole^2 /
  /// distance^5. 0 if nothing librates.
  double libration_period = 0.0;
  std::string librating;
  std::string moment;  ///< "dipole" or "quadrupole"
  /// The root mean square angular velocity about the axis of the smallest moment: sqrt(kT / I).
  double angular_velocity = 0.0;
  std::string rotating;
};
FastestTurn fastest_turn(const Input& input, double temperature);

/// A longer time step to suggest, if the input's is far shorter than it need be; it suits all
/// motions of the model, rotations and flights included. Nothing if the step is not too short, or
/// if a motion is unknown: of charges that no Lennard-Jones site keeps apart, or of molecules with
/// a net charge.
std::optional<double> longer_timestep(const Input& input, double temperature);

/// Advice on the time step of a valid input whose particles move by velocity Verlet. `temperature`:
/// the highest that the run will have.
std::vector<Diagnostic> timestep_advice(const Input& input, double temperature);

}  // namespace sterna::md
