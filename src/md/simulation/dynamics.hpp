#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "md/core/energy_and_virial.hpp"
#include "md/core/step_context.hpp"
#include "md/forces/sees_motion.hpp"
#include "md/input/input.hpp"
#include "md/integrate/constraints.hpp"
#include "md/integrate/integrators/minimizer.hpp"
#include "md/integrate/step_modifier.hpp"
#include "md/integrate/virtual_sites.hpp"
#include "md/simulation/engine/force_engine.hpp"
#include "md/simulation/engine/phase_timer.hpp"
#include "md/simulation/run_clock.hpp"
#include "md/simulation/simulated_system.hpp"
#include "md/system/molecule_places.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Degrees of freedom of all molecules together.
struct DegreesOfFreedom {
  double all = 0.0;            ///< translational and rotational
  double translational = 0.0;  ///< without constraints and a conserved momentum
  bool keeps_momentum = false;
  /// The factor from the kinetic energy to the kinetic part of the pressure. The ideal part of the
  /// pressure counts the centers of mass with their own degrees of freedom.
  double kinetic_factor = 1.0;
};

/// The motion of the particles of a run: the integrator, constraints, virtual sites, and step
/// modifiers such as thermostats. Functions are collective unless they say "Local".
class Dynamics {
 public:
  /// All arguments must outlive this object.
  Dynamics(const comm::Context& context, const Input& input, SimulatedSystem& system,
           const RunClock& clock, PhaseTimer& timer);
  ~Dynamics();

  /// Is called after the particles are counted and before `connect`.
  void make_modifiers();
  /// Is called after the engine is made. `places`: null if there are no flexible molecules.
  void connect(ForceEngine& engine, std::shared_ptr<MoleculePlaces> places,
               ConstraintGroups groups);

  // Local: properties of the integrator and of the modifiers.
  bool minimizes() const { return minimizer_ != nullptr; }
  bool has_converged() const { return minimizes() && minimizer_->has_converged(); }
  Minimizer* minimizer() { return minimizer_; }
  bool has_constraints() const { return constraints_ != nullptr; }
  const Constraints* constraints() const { return constraints_.get(); }
  const VirtualSites* virtual_sites() const { return virtual_sites_.get(); }
  std::span<const std::unique_ptr<StepModifier>> modifiers() const { return modifiers_; }
  /// Inverse masses by type, with which constraints distribute a correction among their atoms.
  std::vector<double> inverse_masses() const;

  /// Counts the degrees of freedom of the molecules, less those that constraints and conserved
  /// momentum take.
  void count_degrees_of_freedom();
  const DegreesOfFreedom& degrees_of_freedom() const { return degrees_; }

  // The functions of a step, in the order of their calls:

  /// Moves the particles to the positions of this step, unless `compute_forces_and_move` has done
  /// so.
  void advance_positions();
  /// Local. Upper bound of the distance that a particle of this rank moves in a step.
  ForceEngine::LargestStep largest_step() const;
  /// Whether a modifier has shifted all particles, so that lists must be rebuilt.
  bool shift_all();
  /// If a rebuild changes the slow part of a force, ends the step with forces by the old lists
  /// before they are rebuilt.
  void end_step_before_rebuild();
  /// Is called before a rebuild of the lists. Throws UnstableRun if constraints did not converge
  /// since the last rebuild.
  void check_constraints() {
    if (constraints_) constraints_->throw_where_not_converged();
  }
  /// Is called after a rebuild of the lists.
  void particles_were_sorted();
  /// Computes the forces at the present positions, and applies the run's limits to them.
  void compute_forces(EnergyAndVirial* sums);
  /// Completes the step. The forces at the new positions must have been computed.
  void finish_step();
  /// Lets the thermostats and other modifiers act that are due at the end of a step.
  void modify() { modify(Moment::end_of_step); }
  /// Tells velocities and constraint forces to the force terms that need them in this step.
  void tell_motion();

  /// Local. Whether particles may move on into the next step one by one, as far as constraints,
  /// virtual sites and modifiers allow.
  bool can_move_early() const;
  /// Computes the forces and moves each particle to its next position as soon as its force is
  /// known.
  void compute_forces_and_move();

  /// Brings the velocities to the time of the positions.
  void complete_velocities();
  /// Tells the integrator that velocities and forces belong to the same time, as at the start of a
  /// run.
  void reset_pending_kick() { integrator_->reset_pending_kick(); }
  /// Moves virtual sites to their positions. Returns the largest distance moved; if it is above 0,
  /// lists must be rebuilt.
  double put_virtual_sites();
  /// Moves the atoms of a start so that they satisfy the constraints. If any atom moved, lists must
  /// be rebuilt.
  Constraints::Violation project_positions();
  /// Removes the velocity components along constraints from a start. Returns the largest that was
  /// removed.
  double project_start_velocities();
  void project_velocities() { constraints_->constrain_velocities(system_.particles, clock_.step); }
  /// Makes the next rebuild check for constrained atoms at the same position.
  void positions_were_changed() { constrained_atoms_checked_ = false; }

  /// Local. This rank's share of the virial of the constraints, for a state with the present
  /// velocities.
  const EnergyAndVirial& measure_constraints();
  /// Local. This rank's share of the change by virtual sites to the sums of the last forces that
  /// had sums.
  const EnergyAndVirial& virtual_site_sums() const { return virtual_site_sums_; }
  const EnergyAndVirial& constraint_sums() const { return constraint_sums_; }
  /// Local. This rank's share of the energy that modifiers gave to the particles.
  double exchanged_energy() const;

 private:
  /// The point within a step at which thermostats and other modifiers act.
  enum class Moment { between_drifts, end_of_step };
  bool must_tell_motion() const;
  Moment moment_of(const StepModifier& modifier) const {
    return thermostats_act_between_drifts_ && modifier.is_thermostat() ? Moment::between_drifts
                                                                       : Moment::end_of_step;
  }
  /// The functions that the integrator calls while it moves particles.
  class Stages;
  StepContext now() const;
  void make_integrator();
  /// Lets the modifiers act that are due at this moment.
  void modify(Moment moment);
  /// Moves all particles, a block at a time, and lets the engine measure displacements of each
  /// block.
  void for_each_part(const MotionStages::Part& move);
  /// Moves virtual sites along with their atoms.
  void advance_virtual_sites();
  /// Distributes the forces on virtual sites to their atoms.
  void spread_forces(EnergyAndVirial* sums);
  /// In start_check.cpp. Throws UnstableRun if a constraint joins two atoms at the same position.
  void check_constrained_atoms();
  double unconstrained_degrees() const;

  const comm::Context& context_;
  const Input& input_;
  SimulatedSystem& system_;
  const RunClock& clock_;
  PhaseTimer& timer_;
  ForceEngine* engine_ = nullptr;  ///< null before `connect`

  std::unique_ptr<Integrator> integrator_;
  Minimizer* minimizer_ = nullptr;  ///< `integrator_`, or null if it is no minimizer
  bool thermostats_act_between_drifts_ = false;
  std::unique_ptr<Constraints> constraints_;     ///< null if there are none
  std::unique_ptr<VirtualSites> virtual_sites_;  ///< null if there are none
  std::vector<std::unique_ptr<StepModifier>> modifiers_;
  std::vector<SeesMotion*> terms_that_see_motion_;
  DegreesOfFreedom degrees_;

  bool ended_ = false;                      ///< velocities belong to the present step's end
  bool moved_ = false;                      ///< particles are at the next step's positions
  bool constrained_atoms_checked_ = false;  ///< since the start or a change by the program
  EnergyAndVirial virtual_site_sums_, constraint_sums_;
};

}  // namespace sterna::md
