#pragma once

#include <cstdint>
#include <vector>

#include "md/core/deformation.hpp"
#include "md/input/input.hpp"

namespace sterna::md {

/// What a barostat is made from.
struct BarostatRequest {
  const Input& input;
  double thermal_energy;  ///< kT of the first thermostat, or of the start
  double centers;         ///< how many move with it: atoms, molecules, groups under constraints
};

/// What moves with the box as a whole are centers: atoms, the centers of mass of rigid molecules,
/// and those of atoms that constraints join. All of it is summed over the ranks.
struct PressureState {
  Box box;
  double pressure;  ///< a third of the trace of the pressure tensor
  Tensor kinetic;   ///< sum m v_a v_b of the centers
  Tensor virial;    ///< sum r_a f_b between the centers, with the correction beyond the cutoff

  /// The pressure tensor where `centers` of them have `degrees` of freedom.
  Tensor tensor(double kinetic_factor) const {
    Tensor tensor;
    for (std::size_t k = 0; k < 6; ++k) {
      tensor[k] = (kinetic_factor * kinetic[k] + virial[k]) / box.volume();
    }
    return tensor;
  }
};

/// Keeps the pressure. The step loop knows it by this interface alone. All ranks call it with the
/// same numbers, and it answers with the same.
///
/// A new kind is one file, and one row of barostat_list.inc.
class Barostat {
 public:
  virtual ~Barostat() = default;
  Barostat() = default;
  Barostat(const Barostat&) = delete;
  Barostat& operator=(const Barostat&) = delete;

  /// Of the motion of what moves with the box: before the first step, and where a term that a
  /// program adds changes it.
  virtual void set_degrees_of_freedom(double degrees) = 0;

  /// From now on these are the ones to keep, kT and pressure. Called of kinds that take ramps.
  virtual void set_targets(double /*thermal_energy*/, double /*pressure*/) {}

  /// What centers and box do next.
  struct Change {
    Deformation velocities, box;
  };
  /// Whether `act` is due at the end of this step.
  virtual bool is_due(std::int64_t step) const = 0;
  /// Whether it reads the pressure then.
  virtual bool reads_pressure(std::int64_t step) const = 0;
  /// At the end of a step in which it is due, with velocities of the time of the positions. `state`
  /// is that of now where `reads_pressure`, otherwise it has the box alone.
  virtual Change act(const PressureState& state, std::int64_t step) = 0;
  /// Where it reads the pressure and has changed the box, with the state after that: false where
  /// box, positions and velocities must go back.
  virtual bool accepts(const PressureState&, std::int64_t) { return true; }

  /// Before the first step of a run, after the state of a checkpoint was given, and after particles
  /// were changed from outside.
  virtual void start(const PressureState&, std::int64_t) {}
  /// What the velocities of centers are multiplied by before the step after `step`.
  virtual Deformation begin_step(std::int64_t) { return {}; }

  /// `act` has changed the box, and the particles have lost this energy.
  virtual void has_lost(double) {}
  /// Added to the energy of particles and thermostats it is constant.
  virtual double energy(const Box& box) const = 0;

  /// What a checkpoint keeps, and the way back.
  virtual std::vector<double> state() const = 0;
  virtual void set_state(const std::vector<double>& state) = 0;
};

}  // namespace sterna::md
