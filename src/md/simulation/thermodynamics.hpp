#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
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

/// Measures energies, temperature and pressure of a run, and keeps the last state.
class Thermodynamics {
 public:
  /// All arguments must outlive this object.
  Thermodynamics(const comm::Context& context, const Input& input, const SimulatedSystem& system,
                 const RunClock& clock, Dynamics& dynamics, BoxControl& box_control)
      : context_(context),
        input_(input),
        system_(system),
        clock_(clock),
        dynamics_(dynamics),
        box_control_(box_control) {}

  /// Collective. The state of the present step. `sums`: this rank's part, from the forces that were
  /// computed last. Velocities must belong to the time of the positions.
  ThermodynamicState measure(const ForceEngine& engine, const EnergyAndVirial& sums);
  /// Collective. Measures the state and keeps it.
  void keep(const ForceEngine& engine, const EnergyAndVirial& sums);

  /// The state that was kept last, and this rank's part of its sums.
  const ThermodynamicState& state() const { return state_; }
  const EnergyAndVirial& sums() const { return sums_; }
  /// Whether `state` belongs to the present step.
  bool is_of_now() const { return measured_step_ == clock_.step; }
  /// Marks `state` as outdated, because the program changed particles or forces.
  void forget() { measured_step_ = -1; }

  /// The number of the run's state, for the log; below 0: it has none.
  void set_state_number(int number) { state_number_ = number; }
  /// Adds to the energy that changes of the run's state gave, which the conserved energy lacks.
  void give(double energy) { given_by_states_ += energy; }
  double given_by_states() const { return given_by_states_; }

  /// Collective. The virial tensor at `state`: the sums of r_b f_a over pairs, xx yy zz xy xz yz,
  /// with the tail correction.
  std::array<double, 6> virial_tensor() const;
  /// Lets the row of the log have further entries, which `columns` tells.
  void log_also(std::function<std::vector<LoggedScalar>()> columns) {
    more_columns_ = std::move(columns);
  }
  /// The entries of the log's row for `state`.
  std::vector<LoggedScalar> logged() const;

  /// The reason why the particles are so hot that the run has failed; empty: they are not.
  struct Overheating {
    std::string what;
    bool was_heated = false;  ///< hotter than its start and its target
  };
  Overheating overheating();

 private:
  struct RankSums;
  /// Local. Sets in `state` what all ranks add up, and returns the rest of that.
  RankSums sums_of_rank(const ForceEngine& engine, const EnergyAndVirial& sums,
                        ThermodynamicState& state);
  void add_up(RankSums& sums, ThermodynamicState& state) const;

  const comm::Context& context_;
  const Input& input_;
  const SimulatedSystem& system_;
  const RunClock& clock_;
  Dynamics& dynamics_;
  BoxControl& box_control_;
  ThermodynamicState state_;
  EnergyAndVirial sums_;
  std::int64_t measured_step_ = -1;
  int state_number_ = -1;
  std::function<std::vector<LoggedScalar>()> more_columns_;
  double given_by_states_ = 0.0;
  std::optional<double> first_temperature_;  ///< at the first call of `overheating`
};

}  // namespace sterna::md
