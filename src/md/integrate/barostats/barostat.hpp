#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "md/core/deformation.hpp"
#include "md/input/input.hpp"

namespace sterna::md {

/// The arguments from which a barostat is made.
struct BarostatRequest {
  const Input& input;
  double thermal_energy;  ///< kT of the first thermostat, or of the start
  double centers;         ///< number of centers: atoms, molecules, constrained groups
};

/// The state of the system on which barostats act, summed over the ranks. The box scales the
/// positions of centers: of atoms, of the centers of mass of rigid molecules, and of those of atoms
/// that constraints join.
struct PressureState {
  Box box;
  double pressure;  ///< a third of the trace of the pressure tensor
  Tensor kinetic;   ///< sum m v_a v_b of the centers
  Tensor virial;    ///< sum r_a f_b between the centers, with the correction beyond the cutoff

  /// The pressure tensor with the kinetic part multiplied by `kinetic_factor`.
  Tensor tensor(double kinetic_factor) const {
    Tensor tensor;
    for (std::size_t k = 0; k < 6; ++k) {
      tensor[k] = (kinetic_factor * kinetic[k] + virial[k]) / box.volume();
    }
    return tensor;
  }
};

/// Keeps the pressure constant. The step loop uses only this interface. All ranks call it with the
/// same arguments and get the same results.
///
/// A new kind is one file, and one row of barostat_list.inc.
class Barostat {
 public:
  virtual ~Barostat() = default;
  Barostat() = default;
  Barostat(const Barostat&) = delete;
  Barostat& operator=(const Barostat&) = delete;

  /// Sets the number of degrees of freedom of the centers: before the first step, and if a term
  /// that a program adds changes it.
  virtual void set_degrees_of_freedom(double degrees) = 0;

  /// Sets the temperature, as kT, and the pressure to keep from now on. Called if the kind takes
  /// ramps.
  virtual void set_targets(double /*thermal_energy*/, double /*pressure*/) {}

  /// The next change of centers and box.
  struct Change {
    Deformation velocities, box;
  };
  /// Whether `act` is due at the end of this step.
  virtual bool is_due(std::int64_t step) const = 0;
  /// Whether `act` needs the pressure at the end of this step.
  virtual bool reads_pressure(std::int64_t step) const = 0;
  /// Called at the end of a step for which `is_due`; velocities and positions are of the same time.
  /// `state` is complete if `reads_pressure`; otherwise it has only the box.
  virtual Change act(const PressureState& state, std::int64_t step) = 0;
  /// Called with the state after a change of the box, if `reads_pressure`. If it returns false,
  /// box, positions and velocities must be restored.
  virtual bool accepts(const PressureState&, std::int64_t) { return true; }

  /// Called before the first step of a run, after `set_state` from a checkpoint, and after
  /// particles were changed from outside.
  virtual void start(const PressureState&, std::int64_t) {}
  /// The factor of the velocities of centers before the step after `step`.
  virtual Deformation begin_step(std::int64_t) { return {}; }

  /// Whether the box is strained before this step, whatever the pressure is.
  virtual bool deforms(std::int64_t /*step*/) const { return false; }
  /// The change of centers and box before a step for which `deforms`. Velocities stay.
  virtual Deformation deformation(const Box&, std::int64_t /*step*/) const { return {}; }
  /// The strain of the box since the first step, if the box is strained at a rate: of edges their
  /// growth by parts of their first lengths, of the others the offsets over the heights.
  virtual std::optional<Tensor> strain(const Box&) const { return std::nullopt; }

  /// Tells the energy that particles lost when `act` changed the box.
  virtual void has_lost(double) {}
  /// The barostat's part of the conserved energy, besides those of particles and thermostats.
  virtual double energy(const Box& box) const = 0;

  /// The state for checkpoints.
  virtual std::vector<double> state() const = 0;
  virtual void set_state(const std::vector<double>& state) = 0;
};

}  // namespace sterna::md
