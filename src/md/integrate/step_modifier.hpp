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
#include "md/system/topology.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Properties of the molecules that step modifiers need, all by type.
struct MoleculeTable {
  std::span<const std::string> names;
  std::span<const std::int64_t> counts;  ///< on all ranks
  std::span<const double> masses;
  std::span<const RigidBody> bodies;   ///< empty if nothing rotates
  double range = 0.0;                  ///< range of the pair forces
  std::span<const char> frozen = {};   ///< empty if no type is frozen
  const Topology* topology = nullptr;  ///< of flexible molecules; outlives the modifiers
  /// By particle id, only with constraints: translational degrees of freedom, and the lowest id of
  /// the atoms that constraints join to this one.
  std::function<double(std::int64_t id)> degrees_of = {};
  std::function<std::int64_t(std::int64_t id)> first_joined_to = {};
};

/// The molecules that a section of the input names, without frozen types. An empty `component`
/// means all.
Selection selection_of(const std::string& component, const std::optional<Vec3>& lower,
                       const std::optional<Vec3>& upper, const MoleculeTable& molecules);

/// The steps in which a modifier acts.
struct StepRange {
  std::int64_t first = 0, last = 0, interval = 1;
  std::int64_t unit = 1;  ///< the interval is a multiple of `unit`
  bool contains(std::int64_t step) const {
    return step >= first && step <= last && step % interval == 0;
  }
  /// Sets the interval to `steps`, rounded up to a multiple of the unit.
  void act_every(std::int64_t steps) { interval = (steps + unit - 1) / unit * unit; }
  /// `stop_step` 0 means the run's last step. With multiple time steps it contains only steps that
  /// compute all forces, because in these velocities are those of a trajectory.
  static StepRange of(const Input& input, std::int64_t start_step, std::int64_t stop_step,
                      std::int64_t interval);
};

/// Changes molecules in addition to the forces: thermostats, limits, drift control. A run has a
/// list of modifiers, and the step loop uses only this interface. All functions are collective.
///
/// A new modifier is one class, and one row of `simulation/step_modifier_table.cpp`.
class StepModifier {
 public:
  virtual ~StepModifier() = default;
  StepModifier(const StepModifier&) = delete;
  StepModifier& operator=(const StepModifier&) = delete;

  /// Whether `limit_forces` and `apply` act in this step. Only then are velocities brought to the
  /// time of the positions.
  bool is_due(std::int64_t step) const { return steps_.contains(step); }

  /// Whether it conserves the total momentum in all steps; the same on all ranks.
  virtual bool keeps_momentum() const = 0;

  /// Whether integrators may let it act between the drifts of a step.
  virtual bool is_thermostat() const { return false; }

  /// Sets the degrees of freedom of all molecules together: before the first step, and if a term
  /// that a program adds changes the number.
  virtual void set_degrees_of_freedom(double) {}

  /// Called in every step after particles have moved, with velocities of the drift, half a step
  /// earlier. It must not move a particle farther from its position at the begin of the step.
  virtual void correct_positions(ParticleStore&, const StepContext&) {}
  /// Called in every step before forces. Returns whether it has moved all particles, by less than
  /// the range of the forces, so that lists must be rebuilt; the same on all ranks.
  virtual bool shift_all(ParticleStore&, const StepContext&) { return false; }
  /// Called in a step in which it is due, right after forces were computed.
  virtual void limit_forces(ParticleStore&, const StepContext&) {}
  /// Called at the end of a step in which it is due, with velocities of the time of the positions;
  /// for a thermostat also between two drifts, if the integrator does so. Returns the factor by
  /// which speeds have grown, the same on all ranks, without noise on single molecules.
  virtual double apply(ParticleStore&, const StepContext&) { return 1.0; }
  /// Whether `apply` leaves relative velocities along constraints. These are then removed, and the
  /// change of energy is given to `add_exchanged_energy`.
  virtual bool violates_constraints() const { return false; }

  /// This rank's part of the energy given to the particles since the start. The particles' total
  /// energy minus the sum of this over the ranks is constant.
  virtual double exchanged_energy() const { return exchanged_energy_; }

  /// The state for checkpoints, besides the sum of the exchanged energy.
  virtual std::vector<double> state() const { return {}; }
  virtual void set_state(const std::vector<double>&) {}
  /// Sets the exchanged energy to the sum over all ranks; rank 0 continues with it.
  virtual void set_exchanged_energy(double energy) {
    if (first_rank_) exchanged_energy_ = energy;
  }

  /// Adds to the exchanged energy, rounded to 2^-44 of the thermal energy of all molecules. Sums of
  /// rounded energies are exact, so a resumed run, which begins with the sum over all ranks, has
  /// the same bits.
  void add_exchanged_energy(double energy);

 protected:
  /// `thermal_energy`: kT of the run, or its order of magnitude, by which exchanged energies are
  /// rounded; 0 if no energy is exchanged.
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
