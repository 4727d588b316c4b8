#pragma once

#include <array>
#include <vector>

namespace sterna::md {

/// Nose-Hoover chain. Idea: a friction coefficient is a dynamic variable. The difference between
/// twice the kinetic energy and its canonical mean drives it, and the next link of a chain
/// thermostats it. Deterministic and time reversible.
/// Paper: Martyna, Tuckerman, Tobias, Klein, Mol. Phys. 87, 1117 (1996), eqs. 21-30: third-order
/// Suzuki-Yoshida factors. The multiple steps of its eq. 28 are one in usual runs, and more if a link
/// moves fast: far from the target, in large systems, with long steps.
/// Where the temperature moves, the masses move with it, so that the period stays.
/// Cost: one reduction of the kinetic energy per step. Hazards: oscillates for many time constants
/// if started far from equilibrium; stiff and small systems may not be ergodic.
/// Another wins: stochastic velocity rescaling, to equilibrate and for few degrees of freedom.
class NoseHooverChain {
 public:
  /// `thermal_energy`: kT. `time_constant`: the period of temperature oscillations, in internal
  /// units. `degrees`: of freedom. `kt_moves`: whether `set_thermal_energy` is called.
  NoseHooverChain(double thermal_energy, double time_constant, double degrees,
                  bool kt_moves = false);

  void set_degrees(double degrees);

  /// Sets kT from now on. `energy` stays as it is: what the change costs is counted there.
  void set_thermal_energy(double thermal_energy);

  /// The factor of all velocities and angular momenta after `interval` of time, for this total
  /// kinetic energy.
  double factor(double kinetic_energy, double interval);

  /// The energy of the chain; its sum with that of the particles is constant (eq. 29).
  double energy() const;

  /// The state for checkpoints: positions and velocities of the chain; where kT moves,
  /// that and what its changes cost.
  std::vector<double> state() const;
  void set_state(const std::vector<double>& state);

 private:
  static constexpr std::size_t length = 3;

  void set_masses();
  /// How long a step of the chain may be for each link to move little, at most what is `left`.
  double part_of(double left, double kinetic_energy) const;

  double thermal_energy_;
  double frequency_;  ///< angular
  double degrees_;
  bool kt_moves_;
  double cost_ = 0.0;  ///< of changes of kT
  std::array<double, length> mass_{}, position_{}, velocity_{};
};

}  // namespace sterna::md
