#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "md/core/box.hpp"
#include "md/core/step_context.hpp"
#include "md/input/input.hpp"
#include "md/integrate/rigid_rotor.hpp"
#include "md/system/particle_store.hpp"
#include "md/system/selection.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// What step modifiers ask of the molecules, all by type.
struct MoleculeTable {
  std::span<const std::string> names;
  std::span<const std::int64_t> counts;  ///< on all ranks
  std::span<const double> masses;
  std::span<const RigidBody> bodies;  ///< empty where nothing rotates
  double range = 0.0;                 ///< of the pair forces
  std::span<const char> frozen = {};  ///< empty where none is
  /// Of the particle with an id, where there are constraints; otherwise empty. Translational
  /// degrees of freedom, and the first id of those that its constraints join it to.
  std::function<double(std::int64_t id)> degrees_of = {};
  std::function<std::int64_t(std::int64_t id)> first_joined_to = {};
};

/// The molecules that a section of the input names, without those that are frozen. `component` may
/// be empty: all.
Selection selection_of(const std::string& component, const std::optional<Vec3>& lower,
                       const std::optional<Vec3>& upper, const MoleculeTable& molecules);

/// In which steps a modifier acts.
struct StepRange {
  std::int64_t first = 0, last = 0, interval = 1;
  std::int64_t unit = 1;  ///< the interval is a multiple of it
  bool contains(std::int64_t step) const {
    return step >= first && step <= last && step % interval == 0;
  }
  /// In every `steps`-th step, or as many more as the unit wants.
  void act_every(std::int64_t steps) { interval = (steps + unit - 1) / unit * unit; }
  /// `stop_step` 0 means the run's last step. With multiple time steps only those count that compute
  /// all forces, in which velocities are those of a trajectory.
  static StepRange of(const Input& input, std::int64_t start_step, std::int64_t stop_step,
                      std::int64_t interval);
};

/// Changes the molecules of a run beside the forces: thermostats, limits, control of a drift. A run
/// has a list of them, which the step loop knows by this interface alone. All of it is collective.
///
/// A new modifier is one class, and one row of `simulation/step_modifier_table.cpp`.
class StepModifier {
 public:
  virtual ~StepModifier() = default;
  StepModifier(const StepModifier&) = delete;
  StepModifier& operator=(const StepModifier&) = delete;

  /// Whether `limit_forces` and `apply` have something to do in this step. Only then are velocities
  /// brought to the time of the positions.
  bool is_due(std::int64_t step) const { return steps_.contains(step); }

  /// Whether it leaves the total momentum as it is, in all steps; the same on all ranks.
  virtual bool keeps_momentum() const = 0;

  /// Whether it is one of those that some integrators have act between the drifts of a step.
  virtual bool is_thermostat() const { return false; }

  /// Of all molecules together: before the first step, and where a term that a program adds changes
  /// it.
  virtual void set_degrees_of_freedom(double) {}

  /// In every step after particles have moved. Velocities are those of the drift, half a step
  /// earlier. Nobody may go farther from where the step began.
  virtual void correct_positions(ParticleStore&, const StepContext&) {}
  /// In every step before forces. Returns whether all particles have been moved, by less than the
  /// range of the forces, so that lists must be rebuilt; the same on all ranks.
  virtual bool shift_all(ParticleStore&, const StepContext&) { return false; }
  /// In a step in which it is due, right after forces were computed.
  virtual void limit_forces(ParticleStore&, const StepContext&) {}
  /// At the end of a step in which it is due, with velocities of the time of the positions; a
  /// thermostat also between two drifts, where the integrator says so. Returns
  /// by what factor speeds have grown, the same on all ranks: noise on single molecules left out.
  virtual double apply(ParticleStore&, const StepContext&) { return 1.0; }
  /// Whether `apply` leaves relative velocities along constraints, which are then taken off; what
  /// energy that costs is given to `add_exchanged_energy`.
  virtual bool violates_constraints() const { return false; }

  /// This rank's part of the energy given to the particles since the start: their total energy
  /// less the sum of it over the ranks is constant.
  virtual double exchanged_energy() const { return exchanged_energy_; }

  /// What a checkpoint keeps besides the sum of the exchanged energy, and the way back.
  virtual std::vector<double> state() const { return {}; }
  virtual void set_state(const std::vector<double>&) {}
  /// `energy`: the sum; rank 0 goes on with it.
  virtual void set_exchanged_energy(double energy) {
    if (first_rank_) exchanged_energy_ = energy;
  }

  /// Adds to the exchanged energy, rounded to 2^-44 of the thermal energy of all molecules: sums of
  /// these are exact, so that a resumed run, which begins with the sum of all ranks, has the same
  /// bits.
  void add_exchanged_energy(double energy);

 protected:
  /// `thermal_energy`: kT of the run or its order, by which exchanged energies are rounded; 0
  /// where no energy is exchanged.
  StepModifier(const comm::Context& context, const StepRange& steps, const MoleculeTable& molecules,
               double thermal_energy);

  comm::Context context_;
  bool first_rank_;
  StepRange steps_;

 private:
  double energy_quantum_;  ///< a power of two
  double exchanged_energy_ = 0.0;
};

}  // namespace sterna::md
