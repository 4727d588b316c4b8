#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "md/core/energy_and_virial.hpp"
#include "md/core/step_context.hpp"
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

/// Of all molecules together.
struct DegreesOfFreedom {
  double all = 0.0;            ///< with those of rotation
  double translational = 0.0;  ///< without those that constraints take, and of a fixed momentum
  bool keeps_momentum = false;
  /// By which the kinetic part of the pressure is larger than the kinetic energy says: the ideal
  /// part of the pressure counts the centers of mass with the degrees of freedom that they have.
  double kinetic_factor = 1.0;
};

/// How the particles of a run move: the integrator, and what acts beside the forces. Those are
/// constraints, virtual sites and step modifiers such as thermostats. Functions are collective
/// unless they say "Local".
class Dynamics {
 public:
  /// All that is given must outlive this.
  Dynamics(const comm::Context& context, const Input& input, SimulatedSystem& system,
           const RunClock& clock, PhaseTimer& timer);
  ~Dynamics();

  /// Once the particles are counted, before `connect`.
  void make_modifiers();
  /// Once the engine is there. `places`: null where there are no flexible molecules.
  void connect(ForceEngine& engine, std::shared_ptr<MoleculePlaces> places,
               ConstraintGroups groups);

  // Local: what there is.
  bool minimizes() const { return minimizer_ != nullptr; }
  bool has_converged() const { return minimizes() && minimizer_->has_converged(); }
  Minimizer* minimizer() { return minimizer_; }
  bool has_constraints() const { return constraints_ != nullptr; }
  const Constraints* constraints() const { return constraints_.get(); }
  const VirtualSites* virtual_sites() const { return virtual_sites_.get(); }
  std::span<const std::unique_ptr<StepModifier>> modifiers() const { return modifiers_; }
  /// By type: those by which constraints share a correction among their atoms.
  std::vector<double> inverse_masses() const;

  /// Follows from the molecules and from all that acts on them.
  void count_degrees_of_freedom();
  const DegreesOfFreedom& degrees_of_freedom() const { return degrees_; }

  // A step, in the order of the calls:

  /// To the positions of this step, unless the particles are there already.
  void advance_positions();
  /// Local. How far a particle of this rank moves in a step at most.
  ForceEngine::LargestStep largest_step() const;
  /// Whether a modifier has shifted all particles, so that lists must be rebuilt.
  bool shift_all();
  /// Ends the step by the old lists where those must be rebuilt after all forces.
  void end_step_before_rebuild();
  /// Before a rebuild of the lists: UnstableRun where constraints did not converge since the last.
  void check_constraints() {
    if (constraints_) constraints_->throw_where_not_converged();
  }
  /// After a rebuild of the lists.
  void particles_were_sorted();
  /// Forces of the present positions, as far as the run's limits let them.
  void compute_forces(EnergyAndVirial* sums);
  /// Forces at the new positions are there.
  void finish_step();
  /// Thermostats and other modifiers that are due at the end of a step.
  void modify() { modify(Moment::end_of_step); }

  /// Local. Whether particles may go on into the next step one by one, as far as those that act on
  /// them are concerned.
  bool can_move_early() const;
  /// Forces, and each particle moves to where it is in the next step as soon as its force is there.
  void compute_forces_and_move();

  /// Brings the velocities to the time of the positions.
  void complete_velocities();
  /// Velocities and forces are of the same time, as at the start of a run.
  void reset_pending_kick() { integrator_->reset_pending_kick(); }
  /// Virtual sites go to their places. Returns the largest distance from there; above 0 lists must
  /// be rebuilt.
  double put_virtual_sites();
  /// Atoms of a start keep the constraints afterwards; lists must be rebuilt where they moved.
  Constraints::Violation project_positions();
  /// Velocities of a start change no constrained distance afterwards. Returns the largest that was
  /// taken off.
  double project_start_velocities();
  void project_velocities() { constraints_->constrain_velocities(system_.particles, clock_.step); }
  /// The next rebuild looks for constrained atoms at the same place.
  void positions_were_changed() { constrained_atoms_checked_ = false; }

  /// Local. This rank's share of the virial of constraints, for a state with these velocities.
  const EnergyAndVirial& measure_constraints();
  /// Local. This rank's share of what virtual sites change, of the last forces with sums.
  const EnergyAndVirial& virtual_site_sums() const { return virtual_site_sums_; }
  const EnergyAndVirial& constraint_sums() const { return constraint_sums_; }
  /// Local. This rank's share of the energy that modifiers gave to the particles.
  double exchanged_energy() const;

 private:
  /// Where in a step thermostats and other modifiers act.
  enum class Moment { between_drifts, end_of_step };
  Moment moment_of(const StepModifier& modifier) const {
    return thermostats_act_between_drifts_ && modifier.is_thermostat() ? Moment::between_drifts
                                                                       : Moment::end_of_step;
  }
  /// What the integrator asks for while it moves particles.
  class Stages;
  StepContext now() const;
  void make_integrator();
  /// The modifiers that are due and act at this moment.
  void modify(Moment moment);
  /// Moves these particles, some at a time, and lets the engine look at each part.
  void for_each_part(const MotionStages::Part& move);
  /// Virtual sites follow their atoms.
  void advance_virtual_sites();
  /// Forces on virtual sites act on their atoms.
  void spread_forces(EnergyAndVirial* sums);
  /// start_check.cpp. Throws UnstableRun where a constraint joins two atoms at the same place.
  void check_constrained_atoms();
  double unconstrained_degrees() const;

  const comm::Context& context_;
  const Input& input_;
  SimulatedSystem& system_;
  const RunClock& clock_;
  PhaseTimer& timer_;
  ForceEngine* engine_ = nullptr;  ///< null before `connect`

  std::unique_ptr<Integrator> integrator_;
  Minimizer* minimizer_ = nullptr;  ///< the integrator, where it is one
  bool thermostats_act_between_drifts_ = false;
  std::unique_ptr<Constraints> constraints_;     ///< null: there are none
  std::unique_ptr<VirtualSites> virtual_sites_;  ///< null: there are none
  std::vector<std::unique_ptr<StepModifier>> modifiers_;
  DegreesOfFreedom degrees_;

  bool ended_ = false;                      ///< velocities are those of the end of the present step
  bool moved_ = false;                      ///< particles are where they will be in the next step
  bool constrained_atoms_checked_ = false;  ///< since the start, or a change from outside
  EnergyAndVirial virtual_site_sums_, constraint_sums_;
};

}  // namespace sterna::md
