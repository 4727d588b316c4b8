#pragma once

#include <array>
#include <vector>

namespace sterna::md {

/// Nose-Hoover chain. Idea: a friction that is a dynamic variable, driven by the difference of
/// twice the kinetic energy from its canonical mean, and itself thermostatted by the next in a
/// chain; deterministic, and time reversible.
/// Paper: Martyna, Tuckerman, Tobias, Klein, Mol. Phys. 87, 1117 (1996), eqs. 21-30: third-order
/// Suzuki-Yoshida factors, one multiple step.
/// Cost: one reduction of the kinetic energy a step. Hazards: oscillates for many time constants
/// when started far from equilibrium; stiff and small systems may not be ergodic.
/// Another wins: stochastic velocity rescaling, to equilibrate and for few degrees of freedom.
class NoseHooverChain {
 public:
  /// `thermal_energy` kT, `time_constant` in internal units: period of the oscillations of the
  /// temperature; `degrees` of freedom.
  NoseHooverChain(double thermal_energy, double time_constant, double degrees);

  void set_degrees(double degrees);

  /// The factor of all velocities and angular momenta of this total kinetic energy, after
  /// `interval` of time.
  double factor(double kinetic_energy, double interval);

  /// Energy of the chain: added to that of the particles it is constant (eq. 29).
  double energy() const;

  /// For a checkpoint: positions and velocities of the chain.
  std::vector<double> state() const;
  void set_state(const std::vector<double>& state);

 private:
  static constexpr std::size_t length = 3;

  double thermal_energy_;
  double degrees_ = 0.0;
  std::array<double, length> mass_{}, position_{}, velocity_{};
};

}  // namespace sterna::md
