#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "md/core/energy_and_virial.hpp"
#include "md/input/input.hpp"
#include "md/observe/thermodynamic_state.hpp"
#include "md/simulation/box_control.hpp"
#include "md/simulation/dynamics.hpp"
#include "md/simulation/engine/force_engine.hpp"
#include "md/simulation/files/logged_scalars.hpp"
#include "md/simulation/run_clock.hpp"
#include "md/simulation/simulated_system.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Energies, temperature and pressure of a run: measures them, and keeps the last ones.
class Thermodynamics {
 public:
  /// All that is given must outlive this.
  Thermodynamics(const comm::Context& context, const Input& input, const SimulatedSystem& system,
                 const RunClock& clock, Dynamics& dynamics, BoxControl& box_control)
      : context_(context),
        input_(input),
        system_(system),
        clock_(clock),
        dynamics_(dynamics),
        box_control_(box_control) {}

  /// Collective. `sums`: this rank's part, by the forces that were computed last. Velocities are
  /// those of the time of the positions.
  ThermodynamicState measure(const ForceEngine& engine, const EnergyAndVirial& sums);
  /// Collective. The same, and keeps it.
  void keep(const ForceEngine& engine, const EnergyAndVirial& sums);

  /// What was kept last, and this rank's part of the sums that it is of.
  const ThermodynamicState& state() const { return state_; }
  const EnergyAndVirial& sums() const { return sums_; }
  /// Whether that is of the present step.
  bool is_of_now() const { return measured_step_ == clock_.step; }
  /// Particles or forces were changed from outside.
  void forget() { measured_step_ = -1; }

  /// Collective. As of `state`: sum r_a f_b over pairs, xx yy zz xy xz yz, with the tail correction.
  std::array<double, 6> virial_tensor() const;
  /// What a row of the log says of `state`.
  std::vector<LoggedScalar> logged() const;

  /// Why the particles are so hot that the run tells nothing any more; empty: they are not.
  struct Overheating {
    std::string what;
    bool was_heated = false;  ///< it is hotter than it began and than was asked for
  };
  Overheating overheating();

 private:
  const comm::Context& context_;
  const Input& input_;
  const SimulatedSystem& system_;
  const RunClock& clock_;
  Dynamics& dynamics_;
  BoxControl& box_control_;
  ThermodynamicState state_;
  EnergyAndVirial sums_;
  std::int64_t measured_step_ = -1;
  std::optional<double> first_temperature_;  ///< that `overheating` saw
};

}  // namespace sterna::md
